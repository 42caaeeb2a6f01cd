import type { ErrorCode } from "@swarmbase/sdk";

/** A run that an extension starts for a user, for one agent or in one swarm. */
export interface RunStart {
  /** The user's own, or one that the user may ask by a grant. */
  readonly agentId?: string | null;
  /** A swarm in which the user may start runs. */
  readonly swarmId?: string | null;
  /** Of the user. */
  readonly message: string;
  /** What starts the run: a word and an id of the extension's own. Members of the swarm read it in `runs.cause`. */
  readonly cause: { readonly type: string; readonly id: string; readonly [member: string]: unknown };
  /**
   * With `agentId`. `own`: the conversation of this cause, which its first run begins. `new`: a conversation for this run alone.
   * Neither is a chat of the user. Default: `own`.
   */
  readonly conversation?: "own" | "new";
  /** The API key for which the extension acts: the run gets no more rights than the key has, and none when it was revoked. */
  readonly apiKeyId?: string | null;
  /**
   * The message has data of an outside sender, which the extension has marked for the model. From then on, tools that act for the user and
   * can write need an approval in this conversation, unless each start of this kind there has named them.
   */
  readonly outside?: { readonly allowedTools: readonly string[] } | null;
  /** Of this run, beside all other budgets that apply. */
  readonly budget?: { readonly maxTokens?: number | null; readonly maxCostUsd?: number | null } | null;
}

export type RunStartAnswer =
  | {
      readonly outcome: "started";
      readonly runId: string;
      readonly swarmId: string;
      /** The key has started this run before: nothing was stored. */
      readonly isRepeated: boolean;
    }
  /** A rate limit, a budget of the day or the queue of the swarm is full: nothing was stored, and the same start may succeed later. */
  | {
      readonly outcome: "limited";
      readonly code: ErrorCode;
      readonly message: string;
      readonly retryAfterSeconds: number;
    }
  /** The user may not start this run, or it cannot be stored. */
  | { readonly outcome: "rejected"; readonly code: ErrorCode; readonly message: string };
