// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Framework } from "../agents.ts";
import type { EventFault } from "../event-types/shared.ts";
import type { JsonObject } from "../json.ts";

export type RunTurnsTable = {
  Row: {
    id: string;
    run_id: string;
    swarm_id: string;
    agent_id: string | null;
    agent_name: string;
    position: number;
    status: "waiting" | "thinking" | "responding" | "completed" | "failed" | "cancelled";
    framework: Framework;
    model: string;
    message_id: string | null;
    finish_reason: string | null;
    error: EventFault | null;
    warnings: JsonObject[];
    attempts: number;
    first_token_ms: number | null;
    duration_ms: number | null;
    input_tokens: number | null;
    cached_input_tokens: number | null;
    output_tokens: number | null;
    reasoning_tokens: number | null;
    estimated: boolean;
    cost_usd: number | null;
    started_at: string | null;
    finished_at: string | null;
    created_at: string;
    agent_version: number | null;
    asked: JsonObject | null;
    handoff: JsonObject | null;
    grant_id: string | null;
    hides_usage: boolean;
  };
  Insert: never;
  Update: never;
  Relationships: [
    {
      foreignKeyName: "run_turns_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agent_cards";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "run_turns_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agents";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "run_turns_run_id_fkey";
      columns: ["swarm_id", "run_id"];
      isOneToOne: false;
      referencedRelation: "runs";
      referencedColumns: ["swarm_id", "id"];
    },
  ];
};
