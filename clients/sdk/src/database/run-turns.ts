// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Framework } from "../agents.ts";
import type { EventFault } from "../event-types/shared.ts";
import type { JsonObject } from "../json.ts";

/** One row for each response of one agent in a run. */
export type RunTurnsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The run. */
    run_id: string;
    /** The swarm. */
    swarm_id: string;
    /** The agent; null after it was deleted. */
    agent_id: string | null;
    /** The name of the agent at that time. */
    agent_name: string;
    /** The order in the run. */
    position: number;
    /** How far the turn is. `waiting`: its run waits. */
    status: "waiting" | "thinking" | "responding" | "completed" | "failed" | "cancelled";
    /** The AI provider that answered. */
    framework: Framework;
    /** The model that answered. */
    model: string;
    /** The message that the turn wrote. */
    message_id: string | null;
    /** Why the model stopped; `empty_response` if it wrote no text. */
    finish_reason: string | null;
    /** The error of a turn that failed. */
    error: EventFault | null;
    /** Settings that the model did not accept, and messages that did not fit into its context. */
    warnings: JsonObject[];
    /** Calls of the model, retries included. */
    attempts: number;
    /** Milliseconds until the first text. */
    first_token_ms: number | null;
    /** Milliseconds of the whole turn. */
    duration_ms: number | null;
    /** Tokens that the model read. */
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
    /** When the turn started. */
    started_at: string | null;
    /** When the turn ended. */
    finished_at: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** The `number` of the version in `agent_versions` that answered; null for turns before there were versions. */
    agent_version: number | null;
    /** What another agent asks in the turn: `by_agent_id`, `by_agent_name` and `message`; null for a turn of the strategy. */
    asked: JsonObject | null;
    /** The agent that goes on: `agent_id`, `agent_name` and the `reason`; null for a turn without a handoff. */
    handoff: JsonObject | null;
    /** The grant by which the run asks an agent of somebody else. Whoever asks does not see the row. */
    grant_id: string | null;
    /** Whether the owner of the agent pays, so that whoever asks does not see the usage. */
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
