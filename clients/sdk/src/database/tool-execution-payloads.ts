// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Json } from "../json.ts";

export type ToolExecutionPayloadsTable = {
  Row: {
    tool_execution_id: string;
    swarm_id: string;
    agent_id: string | null;
    input: Json | null;
    output: Json | null;
    question: Json | null;
    answer: Json | null;
    private_to: string | null;
  };
  Insert: never;
  Update: never;
  Relationships: [
    {
      foreignKeyName: "tool_execution_payloads_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agent_cards";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "tool_execution_payloads_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agents";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "tool_execution_payloads_swarm_id_fkey";
      columns: ["swarm_id"];
      isOneToOne: false;
      referencedRelation: "swarms";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "tool_execution_payloads_tool_execution_id_fkey";
      columns: ["tool_execution_id"];
      isOneToOne: true;
      referencedRelation: "tool_executions";
      referencedColumns: ["id"];
    },
  ];
};
