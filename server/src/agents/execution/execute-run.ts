import { decideAnswering } from "../strategies/who-answers.ts";
import { readRunLimits } from "../strategies/run-limits.ts";
import { decideEnd } from "./decide-end.ts";
import { EventSequencer } from "../writer/event-sequencer.ts";
import { closeSuspended } from "../turn/finish-turn.ts";
import type { LiveRun, OpenedTurn, RunPorts, RunProgress } from "../run/live-run.ts";
import type { RunPlace } from "./run-places.ts";
import type { RunSpan } from "../tracing.ts";
import { retryWhileHeld } from "../writer/retry-while-held.ts";
import { createRunBudget, NO_BUDGET } from "../run/run-budget.ts";
import { RunWriter } from "../writer/run-writer.ts";
import { executionsIn, runLoop } from "./run-loop.ts";
import { describeProgress, isNewerProgress, readProgress, snapshotRun } from "../turn/run-progress.ts";
import { RunStop, stopOf } from "../writer/run-stop.ts";
import { loadImages } from "../run/sql/load-images.ts";
import { loadRun, type LoadedRun } from "../run/sql/load-run.ts";
import { storeSummary } from "../run/sql/summaries.ts";
import { leaveRun } from "./sql/manage-runs.ts";
import type { SuspendedTurn } from "../run/turn-state.ts";

export interface StartedRun {
  readonly runId: string;
  readonly fence: number;
  /** By `performance.now()`, before the lease was requested: the answer may have arrived much later. */
  readonly leasedAtMs: number;
  /** Its share of the node's capacity; absent means one run without a provider and a user. */
  readonly place?: RunPlace;
  /** Absent means that the context has to be loaded. */
  readonly context?: LoadedRun;
  /** The first turn, when it started with the run. */
  readonly opened?: OpenedTurn;
}

/** A run of which this node has the lease. */
export interface HeldRun extends Omit<StartedRun, "place"> {
  readonly controller: AbortController;
  /** By turn id; aborting one aborts that turn alone. */
  readonly turnControllers: Map<string, AbortController>;
  /** Whether the lease may still be valid. Until it is not, results of the run are worth storing. */
  isHeld(): boolean;
}

/**
 * Executes a run from the status `running` to its end or its pause. Resolves to whether another run of the swarm may be queued.
 * Never rejects.
 */
export async function executeRun(ports: RunPorts, held: HeldRun): Promise<boolean> {
  const { controller, runId } = held;
  try {
    ports.streamHub.open(runId);
    const context = held.context ?? (await retryWhileHeld(() => loadRun(ports.pool, held), held.isHeld));
    if (context === null) return true;
    if (isNewerProgress(context)) {
      await leaveRun(ports.pool, held);
      ports.observer.note("agents.run_left", { runId });
      controller.abort(new RunStop("lost"));
      return true;
    }
    return await execute(ports, held, context);
  } catch (error) {
    // Another node holds the run, or the database is unreachable: the lease runs out and the sweeper ends the run.
    if (stopOf(controller.signal) !== "lost") ports.observer.note("agents.run_fault", { runId, error });
    controller.abort(new RunStop("lost"));
    return true;
  } finally {
    ports.streamHub.close(runId);
  }
}

async function execute(ports: RunPorts, held: HeldRun, context: LoadedRun): Promise<boolean> {
  const { controller } = held;
  const { run, readElapsedMs } = await openRun(ports, held, context);
  const { writer } = run;
  if (context.swarm.status !== "active") controller.abort(new RunStop("gone"));
  else if (!context.may_go_on) controller.abort(new RunStop("removed"));
  const leftMs = run.limits.timeoutMs - (run.progress?.elapsedMs ?? 0);
  const onTimeout = (): void => controller.abort(new RunStop("timeout"));
  const timer = setTimeout(onTimeout, Math.max(1, leftMs));
  if (leftMs <= 0) onTimeout();
  try {
    const end = await run.span.within(() => runLoop(run));
    const isPaused = end.kind === "paused" && !controller.signal.aborted;
    if (isPaused && (await pauseRun(run, end.suspended, readElapsedMs()))) return true;
    const stop = stopOf(controller.signal);
    if (stop === "lost") return true;
    if (end.kind === "paused") for (const turn of end.suspended) closeSuspended(run, turn);
    const endReason = end.kind === "ended" ? end.endReason : null;
    const { status, stopReason, error } = decideEnd({ finished: run.finished, endReason, stop });
    run.span.end({ status, stopReason, errorType: error?.code ?? null });
    const { hasNext = true } = await writer.submit({ op: "finish_run", status, stop_reason: stopReason, error });
    ports.observer.note("run.ended", { status, stopReason });
    return hasNext;
  } finally {
    clearTimeout(timer);
    run.span.end({});
    writer.close();
  }
}

interface OpenedRun {
  readonly run: LiveRun;
  /** How long the run has been executed, here and on other nodes. */
  readElapsedMs(): number;
}

async function openRun(ports: RunPorts, held: HeldRun, context: LoadedRun): Promise<OpenedRun> {
  const { runId, fence, controller, isHeld } = held;
  const { pool, newId } = ports;
  const { request, strategy, swarm_id: swarmId } = context.run;
  // Not the clock of the day, which can be set.
  const startedAtMs = performance.now();
  const progress = readProgress(context);
  const readElapsedMs = (): number => Math.round((progress?.elapsedMs ?? 0) + performance.now() - startedAtMs);
  const onLost = (): void => controller.abort(new RunStop("lost"));
  const writer = openWriter(ports, held, context, (seq) => snapshotRun(run, readElapsedMs(), seq));
  const hold = { runId, swarmId, fence };
  const { agents, isNarrowed, coordinatorId } = decideAnswering({
    strategy,
    agents: context.agents,
    coordinatorId: context.swarm.coordinator_agent_id,
    agentIds: request["agent_ids"],
    message: context.message,
  });
  const hasImages = request["image_count"] !== undefined;
  const run: LiveRun = {
    ports,
    context,
    images: hasImages ? await retryWhileHeld(() => loadImages(pool, runId), isHeld) : [],
    limits: readRunLimits(context.swarm.settings, request, ports.maxima),
    progress,
    writer,
    budget: context.has_budget ? createRunBudget({ pool, hold, writer, newId, isHeld, onLost }) : NO_BUDGET,
    span: startSpan(ports, runId, context),
    signal: controller.signal,
    turnControllers: held.turnControllers,
    turns: new Map(),
    recorded: new Map(),
    assertHeld() {
      if (isHeld()) return;
      onLost();
      throw new RunStop("lost");
    },
    storeSummary: (summary) => retryWhileHeld(() => storeSummary(pool, { ...summary, run_id: runId, fence }), isHeld),
    hasSummarized: progress?.hasSummarized ?? false,
    agents,
    isNarrowed,
    coordinatorId,
    opened: held.opened ?? null,
    transcript: [],
    questions: new Map(context.questions.map(({ message_id: messageId, asked }) => [messageId, asked])),
    missedSelections: 0,
    finished: [...(progress?.finished ?? [])],
    turnCount: progress?.turnCount ?? 0,
    toolCallCount: progress?.toolCallCount ?? 0,
    answerCount: progress?.answerCount ?? 0,
  };
  return { run, readElapsedMs };
}

function openWriter(
  ports: RunPorts,
  { runId, fence, controller, isHeld }: HeldRun,
  context: LoadedRun,
  readProgressAt: (seq: number) => RunProgress | null,
): RunWriter {
  const swarmId = context.run.swarm_id;
  return new RunWriter({
    store: ports.store,
    hold: { runId, swarmId, fence },
    sequencer: new EventSequencer(ports.streamHub, {
      run: { id: runId, swarmId },
      lastSeq: context.last_seq,
      maxUnstoredSeqs: context.max_unstored_seqs,
    }),
    isHeld,
    onCancel: (reason) => controller.abort(new RunStop(reason === "interrupted" ? "interrupted" : "cancelled")),
    onLost: (error) => {
      if (error !== null) ports.observer.note("agents.run_lost", { runId, error });
      controller.abort(new RunStop("lost"));
    },
    onEvents: () => ports.onEvents(),
    readProgress: readProgressAt,
  });
}

function startSpan({ tracing }: RunPorts, runId: string, { run, swarm, agents }: LoadedRun): RunSpan {
  const traceparent = run.request["traceparent"];
  return tracing.startRun({
    runId,
    swarmId: run.swarm_id,
    // A message has given its name to a private conversation, and to one that a call brings.
    swarmName: swarm.is_private || "store" in run.request ? null : swarm.name,
    isPrivate: agents.some(({ grant_id: grantId }) => grantId !== null),
    strategy: run.strategy,
    traceparent: typeof traceparent === "string" ? traceparent : null,
  });
}

/** Resolves to false when the run was cancelled in the meantime and must end instead. */
async function pauseRun(run: LiveRun, suspended: readonly SuspendedTurn[], elapsedMs: number): Promise<boolean> {
  const progress = describeProgress(run, suspended, elapsedMs);
  const executions = executionsIn(suspended, run.ports);
  for (const turn of suspended) submitWaiting(run, turn);
  const { maxWaitingRuns: max_waiting, onWait } = run.ports;
  const { outcome } = await run.writer.submit({ op: "pause", executions, max_waiting, progress });
  // A sub-task that waits is announced by the next sweep.
  if (executions.some(({ wait }) => wait !== undefined) || run.context.run.request["source"] === "sub_task") onWait();
  return outcome !== "cancelled";
}

/** Neither the turn nor those that it asked for are live while the run waits. */
function submitWaiting(run: LiveRun, { id, agentId, waiting }: SuspendedTurn): void {
  for (const call of waiting) if (call.kind === "member") submitWaiting(run, call.turn);
  void run.writer.submit({
    op: "turn_status",
    turn_id: id,
    agent_id: agentId,
    status: "waiting",
    reason: "waiting",
    first_token_ms: null,
  });
}
