import { findMentions } from "../context/find-mentions.ts";
import { readRunLimits } from "../guards/run-limits.ts";
import { decideEnd } from "./decide-end.ts";
import { createEventSequencer } from "./event-sequencer.ts";
import type { StartedRun } from "./executor.ts";
import { closeSuspended } from "./finish-turn.ts";
import type { LiveRun, WorkPorts } from "./live-run.ts";
import { retryWhileHeld } from "./retry-while-held.ts";
import { createRunBudget, NO_BUDGET } from "./run-budget.ts";
import { createRunWriter } from "./run-writer.ts";
import { executionsIn, type RunProgress, runLoop } from "./run-loop.ts";
import { RunStop, stopOf } from "./run-stop.ts";
import { loadRun, type RunContext } from "./sql/load-run.ts";
import type { SuspendedTurn } from "./turn.ts";

export interface RunControl {
  readonly controller: AbortController;
  readonly turnControllers: Map<string, AbortController>;
  /** Whether the lease may still be valid: until then it is worth trying to store what the run has come to. */
  isHeld(): boolean;
}

/**
 * From the row that says `running` to the row that says how it ended, or that it waits. Answers whether another run of the swarm
 * may have waited for it. Never rejects.
 */
export async function carryOutRun(ports: WorkPorts, started: StartedRun, control: RunControl): Promise<boolean> {
  const { controller } = control;
  try {
    ports.hub.open(started.runId);
    const scene = started.scene ?? (await retryWhileHeld(() => loadRun(ports.pool, started), control.isHeld));
    return scene === null || (await carryOut(ports, started, scene, control));
  } catch (error) {
    // The run is somebody else's, or the database is away: the lease runs out and the sweeper ends it.
    if (stopOf(controller.signal) !== "lost") ports.observer.note("agents.run_fault", { runId: started.runId, error });
    controller.abort(new RunStop("lost"));
    return true;
  } finally {
    ports.hub.close(started.runId);
  }
}

async function carryOut(
  ports: WorkPorts,
  started: StartedRun,
  scene: RunContext,
  control: RunControl,
): Promise<boolean> {
  const { controller } = control;
  const startedAtMs = ports.clock.now().getTime();
  const { runId, fence } = started;
  const swarmId = scene.run.swarm_id;
  const progress = scene.progress === null ? null : (scene.progress as RunProgress);
  const limits = readRunLimits(scene.swarm.settings, scene.run.request);
  const hold = { runId, swarmId, fence };
  const { pool, newId } = ports;
  const { isHeld } = control;
  const onLost = (): void => controller.abort(new RunStop("lost"));
  const ledger = createRunWriter({
    pool,
    deltas: ports.deltas,
    ends: ports.ends,
    hold,
    line: createEventSequencer(ports.hub, { id: runId, swarmId }, scene.last_seq),
    isHeld,
    onCancel: (reason) => controller.abort(new RunStop(reason === "interrupted" ? "interrupted" : "cancelled")),
    onLost: (error) => {
      if (error !== null) ports.observer.note("agents.run_lost", { runId, error });
      onLost();
    },
    onCommit: () => ports.onEvents(),
  });
  const budget = scene.has_budget
    ? createRunBudget({ pool, hold, payerId: scene.payer_id, ledger, newId, isHeld, onLost })
    : NO_BUDGET;
  const traceparent = scene.run.request["traceparent"];
  const { agents, isNarrowed } = narrow(scene);
  const run: LiveRun = {
    ports,
    scene,
    limits,
    ledger,
    budget,
    span: ports.tracing.startRun({
      runId,
      swarmId,
      swarmName: scene.swarm.name,
      strategy: scene.run.strategy,
      traceparent: typeof traceparent === "string" ? traceparent : null,
    }),
    signal: controller.signal,
    turnControllers: control.turnControllers,
    agents,
    isNarrowed,
    opened: started.opened ?? null,
    transcript: [],
    finished: [...(progress?.finished ?? [])],
    turnCount: progress?.turnCount ?? 0,
    toolCallCount: progress?.toolCallCount ?? 0,
    answerCount: progress?.answerCount ?? 0,
  };
  if (scene.swarm.status !== "active") controller.abort(new RunStop("gone"));
  else if (!scene.may_go_on) controller.abort(new RunStop("removed"));
  const leftMs = Math.max(1, limits.timeoutMs - (progress?.elapsedMs ?? 0));
  const timer = setTimeout(() => controller.abort(new RunStop("timeout")), leftMs);
  try {
    const end = await runLoop(run, progress);
    const isPaused = end.kind === "paused" && !controller.signal.aborted;
    const elapsedMs = (progress?.elapsedMs ?? 0) + ports.clock.now().getTime() - startedAtMs;
    if (isPaused && (await pauseRun(run, end.suspended, elapsedMs))) return true;
    const stop = stopOf(controller.signal);
    if (stop === "lost") return true;
    if (end.kind === "paused") for (const turn of end.suspended) closeSuspended(run, turn);
    const endReason = end.kind === "ended" ? end.endReason : null;
    const { status, stopReason, error } = decideEnd({ finished: run.finished, endReason, stop });
    run.span.end({ status, stopReason, errorType: error?.code ?? null });
    const { hasNext = true } = await ledger.submit({ op: "finish_run", status, stop_reason: stopReason, error });
    ports.observer.note("run.ended", { status, stopReason });
    return hasNext;
  } finally {
    clearTimeout(timer);
    run.span.end({});
    ledger.close();
  }
}

/** False: it was cancelled in the meantime and must end instead. */
async function pauseRun(run: LiveRun, suspended: readonly SuspendedTurn[], elapsedMs: number): Promise<boolean> {
  const { turnCount, toolCallCount, answerCount, finished, ports } = run;
  const progress: RunProgress = { elapsedMs, turnCount, toolCallCount, answerCount, finished, suspended };
  const executions = executionsIn(suspended);
  const { outcome } = await run.ledger.submit({ op: "pause", ttl_ms: ports.approvalTtlMs, executions, progress });
  return outcome !== "cancelled";
}

/** Whoever is named by the call, else by the message's mentions, answers alone. */
function narrow(scene: RunContext): Pick<LiveRun, "agents" | "isNarrowed"> {
  const named = scene.run.request["agent_ids"];
  const ids: readonly unknown[] = Array.isArray(named) && named.length > 0 ? named : [];
  const wanted = ids.length > 0 ? ids : findMentions(scene.message ?? "", scene.agents);
  const agents = scene.agents.filter(({ id }) => wanted.includes(id));
  if (wanted.length === 0) return { agents: scene.agents, isNarrowed: false };
  return { agents, isNarrowed: true };
}
