import type { Framework } from "@swarmbase/sdk";

/** A call of a tool of the caller, and its result. */
export interface SentResult {
  readonly name: string;
  readonly input: string;
  readonly output: string;
  readonly is_error?: boolean | null | undefined;
}

/** What a call brings with it when it has a conversation of its own. */
export interface Conversation {
  /** The messages before the one that the agent answers, oldest first. */
  readonly history: readonly {
    readonly role: "user" | "assistant";
    readonly content: string;
    readonly tool_results?: readonly SentResult[];
  }[];
  /** Before the message that the agent answers. */
  readonly toolResults?: readonly SentResult[];
  /** The message that the agent answers says nothing but these results. */
  readonly areResultsAlone?: boolean;
  /** False means that the swarm of the conversation is hidden, and deleted after the run. */
  readonly isStored: boolean;
  /** Follows the system prompt of the agent. Null means that nothing does. */
  readonly instructions: string | null;
  /** Take precedence over the settings of the agent. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The agent answers as it was in this version. Null means that it answers as it is now. */
  readonly agentVersion: number | null;
  /** Take the place of the agent's values, or of those of the version. */
  readonly overrides: AgentOverrides;
}

/** A member that is absent overrides nothing. A model that is null is the default of the provider. */
export interface AgentOverrides {
  readonly framework?: Framework;
  readonly model?: string | null;
  readonly system_prompt?: string;
}
