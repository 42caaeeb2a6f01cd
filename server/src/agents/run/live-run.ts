import type { Framework } from "@swarmbase/sdk";
import type pg from "pg";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import type { Calibration } from "../providers/estimate-tokens.ts";
import type { TranscriptMessage } from "../context/transcript.ts";
import type { Guardrails } from "../guardrails/guardrail.ts";
import type { RunLimits, RunMaxima } from "../strategies/run-limits.ts";
import type { NamedImage } from "../providers/model-port.ts";
import type { Models } from "../providers/open-models.ts";
import type { FinishedTurn } from "../strategies/run-view.ts";
import type { SchemaCompiler } from "../schemas/schema-compiler.ts";
import type { Starters } from "../tools/starters.ts";
import type { Tools } from "../tools/tool-port.ts";
import type { RunSpan, Tracing } from "../tracing.ts";
import type { RunBudget } from "./run-budget.ts";
import type { RunStore } from "../writer/run-store.ts";
import type { OpenStreamHub } from "../streams/stream-hub.ts";
import type { RunWriter } from "../writer/run-writer.ts";
import type { LoadedRun } from "./sql/load-run.ts";
import type { storeSummary, SummaryCall } from "./sql/summaries.ts";
import type { QuestionRow, SpeakingAgent } from "../writer/steps.ts";
import type { OpenTurn, SuspendedTurn, TurnStop } from "./turn-state.ts";

/** The dependencies of executing runs. */
export interface RunPorts {
  readonly pool: pg.Pool;
  /** Shared by all runs of the node. */
  readonly store: RunStore;
  readonly models: Models;
  readonly tools: Tools;
  /** The people for whom tools act. */
  readonly starters: Starters;
  readonly schemas: SchemaCompiler;
  readonly guardrails: Guardrails;
  readonly tracing: Tracing;
  readonly streamHub: OpenStreamHub;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly calibration: Calibration;
  /** Both resolve to false when the user has reached the rate limit. */
  readonly charge: {
    answer(userId: string): Promise<boolean>;
    tool(userId: string): Promise<boolean>;
  };
  newId(): string;
  /** Called when a commit may have raised events. */
  onEvents(): void;
  /** Writes summaries. Null means the model of the agent. */
  readonly summaryModel: SummaryModel | null;
  /** Called when a run waits for something that is due at a time. */
  onWait(): void;
  readonly maxima: RunMaxima;
  /** Of one user; then no further run may wait for a time or a signal. */
  readonly maxWaitingRuns: number;
  /** 0: without end. */
  readonly approvalTtlMs: number;
  readonly clientToolTtlMs: number;
  /** The maximum number of concurrent tool calls of one turn. */
  readonly toolConcurrency: number;
}

/** `off`: no summary is written. */
export type SummaryModel = "off" | { readonly framework: Framework; readonly model: string };

/** The context of a run that this node executes: what all parts of it read and change. */
export interface LiveRun {
  readonly ports: RunPorts;
  readonly context: LoadedRun;
  readonly limits: RunLimits;
  /** Where another node left the run; null for a run that begins. */
  readonly progress: RunProgress | null;
  readonly writer: RunWriter;
  readonly budget: RunBudget;
  /** Those that the call has sent. */
  readonly images: readonly NamedImage[];
  readonly span: RunSpan;
  readonly signal: AbortSignal;
  /** By turn id; aborting one aborts that turn alone. */
  readonly turnControllers: Map<string, AbortController>;
  /** By id: the turns that have begun and not ended, some of them not resumed yet, and the ended ones that another turn asked for. */
  readonly turns: Map<string, OpenTurn>;
  /** By turn id: the last result of a tool that is being stored. Resolves when it is known whether the turn may go on. */
  readonly recorded: Map<string, Promise<void>>;
  /** Throws a RunStop when another node may have taken over the run, because this process was paused. */
  assertHeld(): void;
  /** Of the node that holds the lease. */
  storeSummary(summary: Omit<SummaryCall, "run_id" | "fence">): ReturnType<typeof storeSummary>;
  /** The run gets one summary at most. */
  hasSummarized: boolean;
  /** The agents that the strategy can choose: the enabled agents, or those of them that the request names. */
  agents: LoadedRun["agents"];
  readonly isNarrowed: boolean;
  /** The swarm's coordinator, if it is enabled. */
  readonly coordinatorId: string | null;
  /** The turn that started with the run, until it continues. */
  opened: OpenedTurn | null;
  /** The messages of the swarm that turns have read. */
  transcript: TranscriptMessage[];
  /** What agents were asked by others, by the id of the message that answers it. */
  readonly questions: Map<string, QuestionRow>;
  /** How often the coordinator's model named no next speaker. */
  missedSelections: number;
  readonly finished: (FinishedTurn & TurnOutcome)[];
  turnCount: number;
  toolCallCount: number;
  answerCount: number;
}

/** A turn whose row and first events are stored. */
export interface OpenedTurn {
  readonly id: string;
  readonly messageId: string;
  readonly agent: SpeakingAgent;
  /** The messages of the swarm when the turn began. */
  readonly messages: readonly TranscriptMessage[];
}

/** What a node needs to continue a run that another one executed, as stored. */
export interface RunProgress {
  /** Nodes of a later release may store what this one does not know. */
  readonly version: number;
  readonly elapsedMs: number;
  readonly turnCount: number;
  readonly toolCallCount: number;
  readonly answerCount: number;
  readonly finished: readonly (FinishedTurn & TurnOutcome)[];
  readonly suspended: readonly SuspendedTurn[];
  readonly hasSummarized?: boolean;
  /** The last event when it was stored; absent in the progress of a run that waits. */
  readonly seq?: number;
}

/** What the end of a run depends on, apart from the texts. */
export interface TurnOutcome {
  readonly errorCode: string | null;
  /** The stored text is incomplete. */
  readonly isPartial: boolean;
  /** A limit or a fault of this turn that ends the run or decides its stop reason. */
  readonly stop: TurnStop | null;
}

/** Who pays for what an agent does in the run. */
export function payerOf({ agents, payer_id: payerId }: LoadedRun, agentId: string): string {
  return agents.find(({ id }) => id === agentId)?.payer_id ?? payerId;
}

/** The grant by which an agent answers in the run, or null. */
export function grantOf({ agents }: LoadedRun, agentId: string): string | null {
  return agents.find(({ id }) => id === agentId)?.grant_id ?? null;
}

/** The user whose rate limits apply; null for the service role, which names the payer. */
export function chargedUserOf({ run }: LoadedRun): string | null {
  return run.request["payer_id"] === undefined ? run.user_id : null;
}
