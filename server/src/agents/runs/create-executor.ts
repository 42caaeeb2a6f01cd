import { setTimeout as sleep } from "node:timers/promises";
import { poll, spread, WakeUp, type Worker } from "../../jobs/index.ts";
import { createLoadMeter } from "../batcher.ts";
import { carryOutRun, type RunControl } from "./carry-out-run.ts";
import { createDeltaStore } from "./delta-store.ts";
import { createRunEnds } from "./run-ends.ts";
import type { Executor, StartedRun } from "./executor.ts";
import { createRunPlaces } from "./run-places.ts";
import type { RunPorts } from "./live-run.ts";
import { createRunNotifier } from "./run-notifier.ts";
import { RunStop } from "./run-stop.ts";
import { claimRuns, type KeptRun, keepRuns, pruneRunRows, sweepRuns } from "./sql/keep-runs.ts";

export interface ExecutorTimes {
  /** How often a node looks for runs that wait. */
  readonly claimPollMs: number;
  /** How often it asks about its own: cancelled, lost, without their agent, or without the right of their starter. */
  readonly watchMs: number;
  readonly sweepMs: number;
  readonly pruneMs: number;
}

const TIMES: ExecutorTimes = { claimPollMs: 1_000, watchMs: 1_000, sweepMs: 5_000, pruneMs: 60_000 };
/** Without an answered renewal for this share of the lease, work stops before others may take the run. */
const SURE_SHARE = 0.6;
const WATCH_TIMEOUT_MS = 3_000;
const RETRY_AFTER_MS = 1_000;
const SWEPT_AT_ONCE = 50;
const PRUNED_AT_ONCE = 5_000;
/** One look for all runs that ended within it. */
const LATER_MS = 100;
/** Runs that are broken off when the node stops still have to write that down. */
const LAST_WORDS_MS = 2_000;

export interface ExecutorOptions {
  readonly ports: RunPorts;
  /** Names this process among the nodes, anew at each start. */
  readonly owner: string;
  readonly concurrency: number;
  /** Of `concurrency`, how much the runs of one provider take at most. */
  readonly providerSharePercent: number;
  readonly leaseMs: number;
  readonly retentionHours: number;
  /** What live runs get to finish when the node stops. */
  readonly stopTimeoutMs: number;
  readonly listenUrl: string | null;
  readonly random: () => number;
  readonly times?: Partial<ExecutorTimes>;
}

interface Live extends RunControl, Omit<StartedRun, "place"> {
  /** When the last renewal that was answered was sent. */
  readonly lease: { renewedAtMs: number };
  readonly done: Promise<void>;
}

export interface RunningExecutor {
  readonly executor: Executor;
  /** How many runs are under way here, or were a moment ago. */
  countRuns(): number;
  readonly workers: readonly Worker[];
  /** Those of them that a node needs which leaves the work to others: it tells them of it. */
  readonly links: readonly Worker[];
}

export function createExecutor(options: ExecutorOptions): RunningExecutor {
  const { ports, owner, leaseMs, listenUrl, random } = options;
  const { pool, observer } = ports;
  const times = { ...TIMES, ...options.times };
  const live = new Map<string, Live>();
  const places = createRunPlaces({ ...options, boundedFrameworks: () => ports.models.boundedFrameworks() });
  const crowd = createLoadMeter(() => performance.now());
  const countRuns = (): number => crowd.size(live.size);
  const work = { ...ports, deltas: createDeltaStore(pool, countRuns), ends: createRunEnds(pool, countRuns) };
  const claimWakeUp = new WakeUp();
  const watchWakeUp = new WakeUp();
  /** Leases are renewed by the worker: without it nothing may be taken. */
  let isWorking = false;
  const nowMs = (): number => ports.clock.now().getTime();

  const relay =
    listenUrl === null
      ? null
      : createRunNotifier({
          listenUrl,
          observer,
          onWaiting: () => claimWakeUp.trigger(),
          onCancel: (runId) => {
            if (live.has(runId)) watchWakeUp.trigger();
          },
        });

  let isLooking = false;
  /** Who came while the end was being written was not seen by it. */
  const lookLater = (): void => {
    if (isLooking) return;
    isLooking = true;
    setTimeout(() => {
      isLooking = false;
      claimWakeUp.trigger();
    }, LATER_MS).unref();
  };
  const take = ({ place = places.take([]), ...started }: StartedRun): void => {
    const lease = { renewedAtMs: nowMs() };
    const control: RunControl = {
      controller: new AbortController(),
      turnControllers: new Map(),
      isHeld: () => nowMs() < lease.renewedAtMs + leaseMs,
    };
    const done = carryOutRun(work, started, control).then((hasNext) => {
      const wasFull = place.release();
      live.delete(started.runId);
      // The next one of the swarm may be waiting, here or elsewhere.
      if (hasNext || wasFull) claimWakeUp.trigger();
      else lookLater();
    });
    live.set(started.runId, { ...control, ...started, lease, done });
    crowd.note(live.size);
  };

  const claim = async (): Promise<void> => {
    const room = places.openClaim();
    try {
      if (room.maxRuns === 0) return;
      const claimed = await claimRuns(pool, { owner, leaseMs }, room);
      for (const { frameworks, ...started } of claimed) take({ ...started, place: places.take(frameworks) });
      // Only a part of what waits for a provider is claimed at a time.
      if (claimed.length > 0 && room.frameworks.length > 0) claimWakeUp.trigger();
    } finally {
      room.close();
    }
  };

  const judge = (kept: KeptRun): void => {
    const run = live.get(kept.run_id);
    if (run === undefined) return;
    if (kept.is_lost) run.controller.abort(new RunStop("lost"));
    else if (kept.cancel_reason !== null)
      run.controller.abort(new RunStop(kept.cancel_reason === "interrupted" ? "interrupted" : "cancelled"));
    else if (kept.swarm_status !== "active") run.controller.abort(new RunStop("gone"));
    else if (!kept.may_go_on) run.controller.abort(new RunStop("removed"));
    else for (const id of kept.gone_turn_ids) run.turnControllers.get(id)?.abort(new RunStop("gone"));
  };
  const watch = async (): Promise<void> => {
    const runs = [...live.values()];
    if (runs.length === 0) return;
    const askedAtMs = nowMs();
    try {
      const given = AbortSignal.timeout(WATCH_TIMEOUT_MS);
      const late = new Promise<never>((_, reject) => {
        given.addEventListener("abort", () => reject(new Error("no answer about the leases in time")), { once: true });
      });
      const kept = await Promise.race([keepRuns(pool, runs, leaseMs), late]);
      for (const { lease } of runs) lease.renewedAtMs = askedAtMs;
      // One that has ended in the meantime was not lost: its own writes know best.
      for (const row of kept) judge(row);
    } finally {
      const unsureBeforeMs = nowMs() - leaseMs * SURE_SHARE;
      for (const { lease, controller } of live.values())
        if (lease.renewedAtMs < unsureBeforeMs) controller.abort(new RunStop("lost"));
    }
  };

  const drain = async (): Promise<void> => {
    isWorking = false;
    const allDone = (): Promise<unknown> => Promise.all([...live.values()].map(({ done }) => done));
    const waited = new AbortController();
    const wait = (ms: number): Promise<void> => sleep(ms, undefined, { signal: waited.signal }).catch(() => {});
    await Promise.race([allDone(), wait(options.stopTimeoutMs)]);
    for (const { controller } of live.values()) controller.abort(new RunStop("draining"));
    await Promise.race([allDone(), wait(LAST_WORDS_MS)]);
    waited.abort();
  };

  const pollEvery = (
    intervalMs: number,
    step: () => Promise<void>,
    signal: AbortSignal,
    wakeUp = new WakeUp(),
  ): Promise<void> =>
    poll(
      async () => {
        await step();
        return spread(intervalMs, random);
      },
      {
        signal,
        random,
        wakeUp,
        retryAfterMs: Math.min(RETRY_AFTER_MS, intervalMs),
        onFailure: (error) => observer.note("agents.step_failed", { error }),
      },
    );
  const sweep = async (): Promise<void> => {
    const { ended, denied } = await sweepRuns(pool, SWEPT_AT_ONCE);
    for (const status of ended) observer.note("run.ended", { status, stopReason: "worker_lost" });
    if (ended.length + denied === 0) return;
    claimWakeUp.trigger();
    ports.onEvents();
  };
  const prune = async (): Promise<void> => {
    if (options.retentionHours > 0) await pruneRunRows(pool, options.retentionHours, PRUNED_AT_ONCE);
  };

  const runWorker: Worker = {
    name: "agent-runs",
    run: async (signal) => {
      isWorking = true;
      const closing = new AbortController();
      // Leases are kept until the last run is done, which is after the signal.
      const watching = pollEvery(times.watchMs, watch, closing.signal, watchWakeUp);
      await pollEvery(times.claimPollMs, claim, signal, claimWakeUp);
      await drain();
      closing.abort();
      await watching;
    },
  };
  const links = relay === null ? [] : [relay.worker];
  return {
    executor: {
      leaseMs,
      offerRoom(frameworks) {
        const place = isWorking ? places.reserve(frameworks) : null;
        return place === null ? null : { owner, release: () => place.release() };
      },
      take,
      wake: () => {
        claimWakeUp.trigger();
        relay?.announceWaiting();
      },
      cancel: (runId) => {
        if (live.has(runId)) watchWakeUp.trigger();
        else relay?.announceCancel(runId);
      },
    },
    workers: [
      runWorker,
      { name: "run-sweeper", run: (signal) => pollEvery(times.sweepMs, sweep, signal) },
      { name: "run-pruner", run: (signal) => pollEvery(times.pruneMs, prune, signal) },
      ...links,
    ],
    links,
    countRuns,
  };
}
