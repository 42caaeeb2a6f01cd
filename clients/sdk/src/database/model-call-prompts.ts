// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { AgentSettings } from "../agents.ts";
import type { PromptMessage, PromptTool } from "../prompts.ts";

/** What a model call sent: system prompt, messages, tools and settings. The owner of the agent can read it. */
export type ModelCallPromptsTable = {
  Row: {
    /** The first attempt of the call. */
    model_call_id: string;
    /** The swarm. */
    swarm_id: string;
    /** The agent whose model was called. */
    agent_id: string;
    /** How many messages of the call before in the turn were sent again, before `messages`; 0 for the first call. */
    kept_messages: number;
    /** The system prompt; null: that of the call before in the turn. */
    system: string | null;
    /** The messages, the oldest first. */
    messages: PromptMessage[];
    /** The tools that the model was offered; null: those of the call before in the turn. */
    tools: PromptTool[] | null;
    /** `auto`, `none` (the model had to answer), or the name of the tool that it had to call. */
    tool_choice: string;
    /** The settings of the agent, with those of the call. */
    settings: AgentSettings;
    /** The limit that a budget set; null if none applied. */
    max_output_tokens: number | null;
    /** A hash of all texts that were sent, also of those that `kept_messages` counts. */
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
