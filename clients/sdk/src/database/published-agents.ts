// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { GrantParty, GrantTranscripts } from "../grants.ts";

export type PublishedAgentsView = {
  Row: {
    id: string;
    name: string;
    role: string | null;
    avatar: string | null;
    description: string | null;
    starter_questions: string[];
    payer: GrantParty;
    approver: GrantParty;
    transcripts: GrantTranscripts;
    receivers: string[];
    provider: string | null;
    owner_name: string | null;
    acts_for_asker: boolean;
  };
  Relationships: [];
};
