// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Framework } from "../agents.ts";
import type { EventFault } from "../event-types/shared.ts";

export type ModelCallsTable = {
  Row: {
    id: string;
    run_id: string;
    turn_id: string | null;
    swarm_id: string;
    agent_id: string | null;
    attempt: number;
    framework: Framework;
    model: string;
    status: "succeeded" | "failed" | "cancelled";
    finish_reason: string | null;
    error: EventFault | null;
    first_token_ms: number | null;
    duration_ms: number;
    input_tokens: number | null;
    cached_input_tokens: number | null;
    output_tokens: number | null;
    reasoning_tokens: number | null;
    estimated: boolean;
    cost_usd: number | null;
    started_at: string;
    finished_at: string;
    created_at: string;
    grant_id: string | null;
  };
  Insert: never;
  Update: never;
  Relationships: [
    {
      foreignKeyName: "model_calls_run_id_fkey";
      columns: ["swarm_id", "run_id"];
      isOneToOne: false;
      referencedRelation: "runs";
      referencedColumns: ["swarm_id", "id"];
    },
    {
      foreignKeyName: "model_calls_turn_id_fkey";
      columns: ["turn_id"];
      isOneToOne: false;
      referencedRelation: "customer_turns";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "model_calls_turn_id_fkey";
      columns: ["turn_id"];
      isOneToOne: false;
      referencedRelation: "run_turns";
      referencedColumns: ["id"];
    },
  ];
};
