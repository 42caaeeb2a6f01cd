// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { AgentSettings, AgentVersionTool, Framework } from "../agents.ts";
import type { AgentVersionGuardrail } from "../guardrails.ts";

export type AgentVersionsTable = {
  Row: {
    agent_id: string;
    number: number;
    role: string | null;
    framework: Framework;
    model: string | null;
    system_prompt: string | null;
    settings: AgentSettings;
    tools: AgentVersionTool[];
    guardrails: AgentVersionGuardrail[];
    changed_by: string | null;
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
