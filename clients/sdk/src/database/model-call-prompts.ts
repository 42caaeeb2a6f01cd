// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { AgentSettings } from "../agents.ts";
import type { PromptMessage, PromptTool } from "../prompts.ts";

export type ModelCallPromptsTable = {
  Row: {
    model_call_id: string;
    swarm_id: string;
    agent_id: string;
    kept_messages: number;
    system: string | null;
    messages: PromptMessage[];
    tools: PromptTool[] | null;
    tool_choice: string;
    settings: AgentSettings;
    max_output_tokens: number | null;
    sha256: string;
  };
  Insert: never;
  Update: never;
  Relationships: [
    {
      foreignKeyName: "model_call_prompts_model_call_id_fkey";
      columns: ["model_call_id"];
      isOneToOne: true;
      referencedRelation: "model_calls";
      referencedColumns: ["id"];
    },
  ];
};
