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
  /** Why; empty when the agent gave no reason. */
  readonly handoffReason?: string;
  /** A tool of the agent succeeded during the turn, so the turn added information. */
  readonly usedTool?: boolean;
}

/** The input of the decision about the next step. */
export interface RunView {
  readonly strategy: SwarmStrategy;
  /** The enabled agents, or those of them that the request names. */
  readonly agents: readonly RunAgent[];
  /** An enabled agent of the swarm; it need not be one of `agents`. */
  readonly coordinatorId: string | null;
  /** The agent to which an earlier run handed the conversation over; it need not be one of `agents`. */
  readonly inChargeId: string | null;
  readonly isNarrowed: boolean;
  readonly maxTurns: number;
  readonly maxRounds: number;
  readonly onAgentError: "continue" | "stop";
  /** In the order in which they finished. */
  readonly turns: readonly FinishedTurn[];
  /** The result of a `select` step, for the next decision only: an agent id or "done". */
  readonly selected: string | null;
}

export type EndReason =
  | "all_replied"
  | "no_reply_needed"
  | "max_turns"
  | "loop_detected"
  | "no_progress"
  /** A turn failed, and the swarm is set to stop on errors. */
  | "provider_error";

export type NextStep =
  | { readonly type: "turns"; readonly agentIds: string[] }
  | { readonly type: "select" }
  | { readonly type: "end"; readonly stopReason: EndReason };
