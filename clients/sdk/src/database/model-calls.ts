// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Framework } from "../agents.ts";
import type { EventFault } from "../event-types/shared.ts";

/** One row for each request to a model provider: the first attempt, retries and fallbacks. */
export type ModelCallsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The run. */
    run_id: string;
    /** The turn; null for the selection of the next speaker. */
    turn_id: string | null;
    /** The swarm. */
    swarm_id: string;
    /** The agent whose model was called; null if it was deleted during the turn. */
    agent_id: string | null;
    /** 1 for the first request of a call; higher for retries and fallbacks. */
    attempt: number;
    /** The AI provider that was called. */
    framework: Framework;
    /** The model that was called. */
    model: string;
    /** `cancelled`: aborted before the answer was complete. */
    status: "succeeded" | "failed" | "cancelled";
    /** Why the model stopped; null if the answer is incomplete. */
    finish_reason: string | null;
    /** The error of a call that failed. */
    error: EventFault | null;
    /** Milliseconds until the first text or reasoning; null if there was none. */
    first_token_ms: number | null;
    /** Milliseconds of the call. */
    duration_ms: number;
    /** Tokens that the model read; null if the attempt failed and another one followed. */
    input_tokens: number | null;
    /** The part of `input_tokens` that the provider had in its cache. */
    cached_input_tokens: number | null;
    /** Tokens that the model wrote. */
    output_tokens: number | null;
    /** The part of `output_tokens` that was reasoning. */
    reasoning_tokens: number | null;
    /** True if the provider reported no usage and the service estimated it. */
    estimated: boolean;
    /** The cost; null if the price is unknown. */
    cost_usd: number | null;
    /** When the request was sent. */
    started_at: string;
    /** When the call ended. */
    finished_at: string;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** The grant by which the run asks an agent of somebody else. */
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
