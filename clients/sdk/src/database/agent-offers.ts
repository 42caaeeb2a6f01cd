// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { GrantParty, GrantTranscripts } from "../grants.ts";

export type AgentOffersView = {
  Row: {
    id: string;
    agent_id: string;
    name: string;
    role: string | null;
    avatar: string | null;
    description: string | null;
    payer: GrantParty;
    approver: GrantParty;
    transcripts: GrantTranscripts;
    runs_per_day: number | null;
    cost_per_day: number | null;
    owner_name: string | null;
    created_at: string;
    expires_at: string | null;
  };
  Relationships: [];
};
