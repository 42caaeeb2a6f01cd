// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { EventFault } from "../event-types/shared.ts";

export type ToolExecutionsTable = {
  Row: {
    id: string;
    run_id: string;
    turn_id: string;
    swarm_id: string;
    agent_id: string | null;
    tool_id: string | null;
    tool_name: string;
    tool_call_id: string;
    sub_run_id: string | null;
    output_chars: number | null;
    truncated: boolean;
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
    error: EventFault | null;
    attempts: number;
    duration_ms: number | null;
    decided_by: string | null;
    approver_id: string | null;
    expires_at: string | null;
    started_at: string | null;
    finished_at: string | null;
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
