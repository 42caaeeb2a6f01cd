// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { AgentStatus } from "../agents.ts";

/** What members of a swarm can see of each other's agents. */
export type AgentCardsView = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The name of the agent. */
    name: string;
    /** What the agent is for. */
    role: string | null;
    /** A URL of a picture. */
    avatar: string | null;
    /** What the agent is doing. */
    status: AgentStatus;
  };
  Relationships: [];
};
