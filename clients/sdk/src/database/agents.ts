// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { AgentSettings, AgentStatus, Framework } from "../agents.ts";

export type AgentsTable = {
  Row: {
    id: string;
    user_id: string;
    name: string;
    role: string | null;
    avatar: string | null;
    description: string | null;
    starter_questions: string[];
    framework: Framework;
    model: string | null;
    system_prompt: string | null;
    settings: AgentSettings;
    acts_for_askers: boolean;
    status: AgentStatus;
    status_changed_at: string;
    created_at: string;
    updated_at: string;
  };
  Insert: {
    id?: string;
    user_id?: string;
    name: string;
    role?: string | null;
    avatar?: string | null;
    description?: string | null;
    starter_questions?: string[];
    framework?: Framework;
    model?: string | null;
    system_prompt?: string | null;
    settings?: AgentSettings;
    acts_for_askers?: boolean;
  };
  Update: {
    name?: string;
    role?: string | null;
    avatar?: string | null;
    description?: string | null;
    starter_questions?: string[];
    framework?: Framework;
    model?: string | null;
    system_prompt?: string | null;
    settings?: AgentSettings;
    acts_for_askers?: boolean;
    status?: AgentStatus;
  };
  Relationships: [];
};
