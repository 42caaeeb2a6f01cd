// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { SwarmSettings, SwarmStatus, SwarmStrategy } from "../swarms.ts";

/** Conversations between agents and people. */
export type SwarmsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The owner. It cannot change. */
    owner_id: string;
    /** Spaces at both ends are removed. */
    name: string;
    /** What the swarm is about. */
    description: string | null;
    /** An `http` or `https` URL of a picture. */
    avatar: string | null;
    /** Whether agents respond. */
    status: SwarmStatus;
    /** Which agents respond to a message, and in which order. */
    strategy: SwarmStrategy;
    /** An agent of the swarm that leads the strategies `selector` and `supervisor`. */
    coordinator_agent_id: string | null;
    /** Limits of runs, budgets, moderation, `preamble` (which only the owner can change), and `a2a_published`. Known keys are checked, other keys are kept as sent. */
    settings: SwarmSettings;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the row changed last. A sent value is ignored. */
    updated_at: string;
    /** Of the conversation of a sub-task: the run whose tool call began it. Only the service role sees such rows. */
    parent_run_id: string | null;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The owner. It cannot change. */
    owner_id?: string;
    /** Spaces at both ends are removed. */
    name: string;
    /** What the swarm is about. */
    description?: string | null;
    /** An `http` or `https` URL of a picture. */
    avatar?: string | null;
    /** Whether agents respond. */
    status?: SwarmStatus;
    /** Which agents respond to a message, and in which order. */
    strategy?: SwarmStrategy;
    /** An agent of the swarm that leads the strategies `selector` and `supervisor`. */
    coordinator_agent_id?: string | null;
    /** Limits of runs, budgets, moderation, `preamble` (which only the owner can change), and `a2a_published`. Known keys are checked, other keys are kept as sent. */
    settings?: SwarmSettings;
    /** Of the conversation of a sub-task: the run whose tool call began it. Only the service role sees such rows. */
    parent_run_id?: string | null;
  };
  Update: {
    /** Spaces at both ends are removed. */
    name?: string;
    /** What the swarm is about. */
    description?: string | null;
    /** An `http` or `https` URL of a picture. */
    avatar?: string | null;
    /** Whether agents respond. */
    status?: SwarmStatus;
    /** Which agents respond to a message, and in which order. */
    strategy?: SwarmStrategy;
    /** An agent of the swarm that leads the strategies `selector` and `supervisor`. */
    coordinator_agent_id?: string | null;
    /** Limits of runs, budgets, moderation, `preamble` (which only the owner can change), and `a2a_published`. Known keys are checked, other keys are kept as sent. */
    settings?: SwarmSettings;
  };
  Relationships: [
    {
      foreignKeyName: "swarms_coordinator_agent_id_fkey";
      columns: ["coordinator_agent_id"];
      isOneToOne: false;
      referencedRelation: "agent_cards";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "swarms_coordinator_agent_id_fkey";
      columns: ["coordinator_agent_id"];
      isOneToOne: false;
      referencedRelation: "agents";
      referencedColumns: ["id"];
    },
  ];
};
