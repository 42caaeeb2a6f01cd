import type pg from "pg";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import type { Calibration } from "../context/estimate-tokens.ts";
import type { TranscriptMessage } from "../context/transcript.ts";
import type { RunLimits } from "../guards/run-limits.ts";
import type { Models } from "../providers/model-port.ts";
import type { FinishedTurn } from "../strategies/run-view.ts";
import type { Tools } from "../tools/tool-port.ts";
import type { RunSpan, Tracing } from "../tracing.ts";
import type { DeltaStore } from "./delta-store.ts";
import type { OpenedTurn } from "./executor.ts";
import type { RunBudget } from "./run-budget.ts";
import type { RunEnds } from "./run-ends.ts";
import type { OpenStreamHub } from "./stream-hub.ts";
import type { RunWriter } from "./run-writer.ts";
import type { RunContext } from "./sql/load-run.ts";

/** What carrying runs out needs of the world. */
export interface RunPorts {
  readonly pool: pg.Pool;
  readonly models: Models;
  readonly tools: Tools;
  readonly tracing: Tracing;
  readonly hub: OpenStreamHub;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly calibration: Calibration;
  /** False: the user has none left in this minute. */
  readonly charge: {
    answer(userId: string): Promise<boolean>;
    tool(userId: string): Promise<boolean>;
  };
  newId(): string;
  /** Something was committed that may have raised events. */
  onEvents(): void;
  readonly approvalTtlMs: number;
}

/** With what the runs of a node share. */
export interface WorkPorts extends RunPorts {
  readonly deltas: DeltaStore;
  readonly ends: RunEnds;
}

/** One run while it is carried out here. */
export interface LiveRun {
  readonly ports: RunPorts;
  readonly scene: RunContext;
  readonly limits: RunLimits;
  readonly ledger: RunWriter;
  readonly budget: RunBudget;
  readonly span: RunSpan;
  readonly signal: AbortSignal;
  /** By turn; aborting one breaks that turn off alone. */
  readonly turnControllers: Map<string, AbortController>;
  /** Whom the strategy may call: enabled, and named where the caller named some. */
  agents: RunContext["agents"];
  readonly isNarrowed: boolean;
  /** The turn that began with the run, until it is gone on with. */
  opened: OpenedTurn | null;
  /** What the swarm has said, as far as turns have read it. */
  transcript: TranscriptMessage[];
  readonly finished: (FinishedTurn & TurnMarks)[];
  turnCount: number;
  toolCallCount: number;
  answerCount: number;
}

/** What the end of a run depends on besides who said what. */
export interface TurnMarks {
  readonly errorCode: string | null;
  /** A text was kept that is not whole. */
  readonly isPartial: boolean;
  /** What this turn met that ends the run, or says how it ended. */
  readonly stop: TurnStop | null;
}

export type TurnStop = "budget_exceeded" | "loop_detected" | "max_tool_steps" | "max_turns" | "approval_expired";

/** Whose limits count. The service role, which names the payer itself, has none. */
export function chargedUserOf({ run }: RunContext): string | null {
  return run.request["payer_id"] === undefined ? run.user_id : null;
}
