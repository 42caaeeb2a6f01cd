import type { SwarmStrategy } from "@swarmbase/sdk";

export interface RunAgent {
  readonly id: string;
  readonly name: string;
  readonly position: number;
  readonly role?: string | null;
}

export interface FinishedTurn {
  readonly agentId: string;
  readonly outcome: "completed" | "failed" | "cancelled";
  readonly text: string;
  readonly handoffTo: string | null;
  /** A tool of the agent's own answered during the turn: something new came in. */
  readonly usedTool?: boolean;
}

/** All that the choice of the next step depends on. */
export interface RunView {
  readonly strategy: SwarmStrategy;
  /** Enabled ones; where the call named some, those alone. */
  readonly agents: readonly RunAgent[];
  /** An enabled agent of the swarm, possibly outside of a narrowed set. */
  readonly coordinatorId: string | null;
  readonly isNarrowed: boolean;
  readonly maxTurns: number;
  readonly maxRounds: number;
  readonly onAgentError: "continue" | "stop";
  /** In the order in which they finished. */
  readonly turns: readonly FinishedTurn[];
  /** The answer to a `select` step, for the very next decision alone: an agent, or "done". */
  readonly selected: string | null;
}

export type EndReason =
  | "all_replied"
  | "no_reply_needed"
  | "max_turns"
  | "loop_detected"
  | "no_progress"
  /** A turn failed where the swarm asks to stop then. */
  | "provider_error";

export type NextStep =
  | { readonly type: "turns"; readonly agentIds: string[]; readonly isParallel: boolean }
  | { readonly type: "select" }
  | { readonly type: "end"; readonly stopReason: EndReason };
