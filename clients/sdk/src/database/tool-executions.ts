// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { EventFault } from "../event-types/shared.ts";

/** One row for each tool call of an agent. */
export type ToolExecutionsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The run. */
    run_id: string;
    /** The turn. */
    turn_id: string;
    /** The swarm. */
    swarm_id: string;
    /** The agent; null after it was deleted. */
    agent_id: string | null;
    /** The tool; null after it was deleted, and for tools that the call brought. */
    tool_id: string | null;
    /** The name of the tool at that time. */
    tool_name: string;
    /** The id that the model gave the call. */
    tool_call_id: string;
    /** The run of the sub-task that the call began; null for calls of other tools. */
    sub_run_id: string | null;
    /** The length of the whole output. */
    output_chars: number | null;
    /** The model read only the first `max_output_chars` of the output. */
    truncated: boolean;
    /** `pending_approval` waits for a decision with `agent-respond`, `pending_client` for a result, `waiting` for a time or a signal. */
    status:
      | "pending_approval"
      | "pending_client"
      | "waiting"
      | "running"
      | "succeeded"
      | "failed"
      | "denied"
      | "timed_out"
      | "cancelled";
    /** The error of a call that failed. */
    error: EventFault | null;
    /** Requests, retries included. */
    attempts: number;
    /** Milliseconds of the call. */
    duration_ms: number | null;
    /** The user who approved or denied the call, submitted its result, or sent the signal; null where that is the owner of an agent of somebody else. */
    decided_by: string | null;
    /** The user who decides on the call while it waits for an approval. Null: the owner of the agent, who is no member of the swarm. The computed field `may_decide` says whether it is the caller. */
    approver_id: string | null;
    /** When a call that waits for an approval is denied, one that waits for the client fails, and another wait ends. Null: the call waits without end, or does not wait. */
    expires_at: string | null;
    /** When the call started. */
    started_at: string | null;
    /** When the call ended. */
    finished_at: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
  };
  Insert: never;
  Update: never;
  Relationships: [
    {
      foreignKeyName: "tool_executions_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agent_cards";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "tool_executions_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agents";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "tool_executions_run_id_fkey";
      columns: ["swarm_id", "run_id"];
      isOneToOne: false;
      referencedRelation: "runs";
      referencedColumns: ["swarm_id", "id"];
    },
    {
      foreignKeyName: "tool_executions_tool_id_fkey";
      columns: ["tool_id"];
      isOneToOne: false;
      referencedRelation: "tools";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "tool_executions_turn_id_fkey";
      columns: ["turn_id"];
      isOneToOne: false;
      referencedRelation: "customer_turns";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "tool_executions_turn_id_fkey";
      columns: ["turn_id"];
      isOneToOne: false;
      referencedRelation: "run_turns";
      referencedColumns: ["id"];
    },
  ];
};
