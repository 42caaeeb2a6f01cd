// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { AgentSettings, AgentStatus, Framework } from "../agents.ts";

/** The AI agents of a user. */
export type AgentsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The owner. It cannot change. */
    user_id: string;
    /** Shown to people and to other agents. Spaces at both ends are removed. */
    name: string;
    /** What the agent is for, in a few words. It is part of its instructions. */
    role: string | null;
    /** An `http` or `https` URL of a picture. */
    avatar: string | null;
    /** What the agent does, for the people who choose it. The model does not read it. */
    description: string | null;
    /** Questions that a user interface can offer to begin with. Spaces at both ends of each are removed. */
    starter_questions: string[];
    /** The AI provider, as the operator configured it. */
    framework: Framework;
    /** One of the `models` of the framework; null uses the default model. An empty text is stored as null, and `openai/<model>` as the framework of that vendor and its model. */
    model: string | null;
    /** The instructions of the agent. */
    system_prompt: string | null;
    /** Parameters of the model. Known keys are checked, other keys are kept as sent. */
    settings: AgentSettings;
    /** Tools of the agent may act for whoever asks it, also for others than its owner. Only the service role changes it. */
    acts_for_askers: boolean;
    /** What the agent is doing. The service sets it during a run; the owner can set it too. */
    status: AgentStatus;
    /** When `status` changed last. */
    status_changed_at: string;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the row changed last. A sent value is ignored. */
    updated_at: string;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The owner. It cannot change. */
    user_id?: string;
    /** Shown to people and to other agents. Spaces at both ends are removed. */
    name: string;
    /** What the agent is for, in a few words. It is part of its instructions. */
    role?: string | null;
    /** An `http` or `https` URL of a picture. */
    avatar?: string | null;
    /** What the agent does, for the people who choose it. The model does not read it. */
    description?: string | null;
    /** Questions that a user interface can offer to begin with. Spaces at both ends of each are removed. */
    starter_questions?: string[];
    /** The AI provider, as the operator configured it. */
    framework?: Framework;
    /** One of the `models` of the framework; null uses the default model. An empty text is stored as null, and `openai/<model>` as the framework of that vendor and its model. */
    model?: string | null;
    /** The instructions of the agent. */
    system_prompt?: string | null;
    /** Parameters of the model. Known keys are checked, other keys are kept as sent. */
    settings?: AgentSettings;
    /** Tools of the agent may act for whoever asks it, also for others than its owner. Only the service role changes it. */
    acts_for_askers?: boolean;
  };
  Update: {
    /** Shown to people and to other agents. Spaces at both ends are removed. */
    name?: string;
    /** What the agent is for, in a few words. It is part of its instructions. */
    role?: string | null;
    /** An `http` or `https` URL of a picture. */
    avatar?: string | null;
    /** What the agent does, for the people who choose it. The model does not read it. */
    description?: string | null;
    /** Questions that a user interface can offer to begin with. Spaces at both ends of each are removed. */
    starter_questions?: string[];
    /** The AI provider, as the operator configured it. */
    framework?: Framework;
    /** One of the `models` of the framework; null uses the default model. An empty text is stored as null, and `openai/<model>` as the framework of that vendor and its model. */
    model?: string | null;
    /** The instructions of the agent. */
    system_prompt?: string | null;
    /** Parameters of the model. Known keys are checked, other keys are kept as sent. */
    settings?: AgentSettings;
    /** Tools of the agent may act for whoever asks it, also for others than its owner. Only the service role changes it. */
    acts_for_askers?: boolean;
    /** What the agent is doing. The service sets it during a run; the owner can set it too. */
    status?: AgentStatus;
  };
  Relationships: [];
};
