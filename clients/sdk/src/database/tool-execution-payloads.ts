// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Json } from "../json.ts";

/** Inputs and outputs of tool calls. */
export type ToolExecutionPayloadsTable = {
  Row: {
    /** The tool call. */
    tool_execution_id: string;
    /** The swarm. */
    swarm_id: string;
    /** The agent; null after it was deleted. */
    agent_id: string | null;
    /** The arguments of the call: those of the model, and those that the assignment fixes. */
    input: Json | null;
    /** What the model read as the result. */
    output: Json | null;
    /** The latest question of the tool to the owner of the agent: `id`, `message` and the `schema` of the answer. */
    question: Json | null;
    /** The answer to the question, until the tool has received it. */
    answer: Json | null;
    /** The only user who can read the row: the starter of a run, where the tool acts for them, except in a private conversation. Null: the row has more readers. */
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
