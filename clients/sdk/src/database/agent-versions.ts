// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { AgentSettings, AgentVersionTool, Framework } from "../agents.ts";
import type { AgentVersionGuardrail } from "../guardrails.ts";

/** The state of an agent after each change: its instructions, model, parameters, tools and guardrails. */
export type AgentVersionsTable = {
  Row: {
    /** The agent. */
    agent_id: string;
    /** Counts the versions of the agent from 1. */
    number: number;
    /** The role of the agent. */
    role: string | null;
    /** The AI provider. */
    framework: Framework;
    /** The model; null is the default model of the framework. */
    model: string | null;
    /** The instructions of the agent. */
    system_prompt: string | null;
    /** Parameters of the model. */
    settings: AgentSettings;
    /** The assigned tools, each with `tool_id`, its `name` at that time, `enabled`, `configuration`, `approver` and `is_vouched`, and for a tool of the owner its `definition`, without secrets. */
    tools: AgentVersionTool[];
    /** The guardrails of the agent in the order in which they apply, each with `guardrail_id`, without secrets. */
    guardrails: AgentVersionGuardrail[];
    /** The owner, if the change was a request of theirs; null is the service or a migration. */
    changed_by: string | null;
    /** When the change was made. */
    created_at: string;
  };
  Insert: never;
  Update: never;
  Relationships: [
    {
      foreignKeyName: "agent_versions_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agent_cards";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "agent_versions_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agents";
      referencedColumns: ["id"];
    },
  ];
};
