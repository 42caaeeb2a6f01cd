// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { AgentStatus } from "../agents.ts";

export type AgentCardsView = {
  Row: {
    id: string;
    name: string;
    role: string | null;
    avatar: string | null;
    status: AgentStatus;
  };
  Relationships: [];
};
