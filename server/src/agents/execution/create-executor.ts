import { type Commits, poll, WakeUp, type Worker, WorkNotice } from "../../jobs/index.ts";
import { createLoadMeter } from "../batcher.ts";
import type { StartedRun } from "./execute-run.ts";
import type { RunPorts } from "../run/live-run.ts";
import { LiveRuns } from "./live-runs.ts";
import { createLostNodeCheck } from "./lost-node-check.ts";
import { createRunNotifier, type RunNotifier } from "./run-notifier.ts";
import { createRunPlaces, type PlacedRun, type RunPlace, type RunPlaces } from "./run-places.ts";
import { createRunStore } from "../writer/run-store.ts";
import { pruneRuns } from "./prune-runs.ts";
import { claimRuns, expireLeases, selectNextClaimMs, settleAgentStatuses, sweepRuns } from "./sql/manage-runs.ts";

/** Without changes of rows, steps wait until something is due. */
export interface ExecutorTimes {
  /** How often a node polls for queued runs. */
  readonly claimPollMs: number;
  /** How often it renews the leases of its runs and reads what has changed about them. */
  readonly watchMs: number;
  /** How often it looks for nodes that are lost. */
  readonly sessionMs: number;
  /** How often it looks for runs and waits whose time is over, if none is due earlier. */
  readonly sweepMs: number;
  /** How often it writes the statuses of agents that their runs have left for later. */
  readonly statusMs: number;
  readonly pruneMs: number;
}

const TIMES: ExecutorTimes = {
  claimPollMs: 1_000,
  watchMs: 1_000,
  sessionMs: 1_000,
  sweepMs: 5_000,
  statusMs: 1_000,
  pruneMs: 60_000,
};
/** While a node may be lost. */
const SILENCE_POLL_MS = 500;
const RETRY_AFTER_MS = 1_000;
const MAX_SWEPT = 50;
/** What is due and locked comes again. */
const MIN_SWEEP_MS = 100;
/** Runs that end within this time cause one poll. */
const POLL_DELAY_MS = 100;

/** Executes the runs that are handed to it and the queued runs in the database. */
export interface Executor {
  /** The name under which this node starts runs. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Reserves capacity for a run, for `take` or release. Null means that the run must be queued. */
  reservePlace(run: PlacedRun): RunPlace | null;
  /** Executes a run that was started with `owner`. Returns at once. */
  take(started: StartedRun): void;
  /** Call when a run may be queued. Cheap: any number of calls cause one poll, here and on other nodes. */
  wake(): void;
  /** Call when a cancellation is stored. Aborts the run when this node executes it, else notifies the other nodes. */
  cancel(runId: string): void;
}

export interface ExecutorOptions {
  readonly ports: Omit<RunPorts, "store" | "onWait">;
  /** Identifies this process as the holder of leases; new at each start. */
  readonly owner: string;
  readonly concurrency: number;
  /** The share of `concurrency` that the runs of one provider can use. */
  readonly providerSharePercent: number;
  /** The share of `concurrency` that the runs of one user can use. */
  readonly userSharePercent: number;
  readonly leaseMs: number;
  /** Of the events of ended runs; 0 keeps them. */
  readonly eventRetentionHours: number;
  /** 0 keeps the rows. */
  readonly modelCallRetentionHours: number;
  /** How long live runs may take to finish when the node stops. */
  readonly stopTimeoutMs: number;
  readonly listenUrl: string | null;
  /** The database as the owner of the schema, who drops old partitions of events. */
  readonly ownerUrl?: string | null;
  readonly random: () => number;
  readonly commits?: Commits | undefined;
  readonly times?: Partial<ExecutorTimes>;
  /** Called for a wake-up of an extension; null means that any may have been missed. */
  onExtension?(name: string | null): void;
}

interface RunningExecutor {
  readonly executor: Executor;
  /** How many runs are in progress here, or were a moment ago. */
  countRuns(): number;
  readonly workers: readonly Worker[];
  /** Those of every node, also of one that executes no runs: they notify the nodes that do. */
  readonly nodeWorkers: readonly Worker[];
  /** Takes over the runs of a node that was lost. */
  releaseOwner(owner: string): Promise<void>;
}

/** What the parts of an executor share. */
interface ExecutorState {
  readonly options: ExecutorOptions;
  readonly places: RunPlaces;
  readonly live: LiveRuns;
  readonly claimWakeUp: WakeUp;
  readonly watchWakeUp: WakeUp;
  readonly sweepWakeUp: WakeUp;
  readonly notice: WorkNotice;
  /** False means that leases are not renewed here, so no run may be taken. */
  isWorking: boolean;
}

export function createExecutor(options: ExecutorOptions): RunningExecutor {
  const { ports } = options;
  const places = createRunPlaces({ ...options, boundedFrameworks: () => ports.models.boundedFrameworks() });
  const load = createLoadMeter(() => performance.now());
  const countRuns = (): number => load.size(live.size);
  const claimWakeUp = new WakeUp();
  const wakeLater = createDelayedWakeUp(claimWakeUp);
  const sweepWakeUp = new WakeUp();
  const live = new LiveRuns({
    ...options,
    ports: { ...ports, store: createRunStore(ports.pool, countRuns), onWait: () => sweepWakeUp.trigger() },
    places,
    onStarted: () => load.note(live.size),
    // The end of a run does not see runs that were queued while it was written.
    onEnded: (mayWait) => (mayWait ? claimWakeUp.trigger() : wakeLater()),
  });
  const watchWakeUp = new WakeUp();
  const notifier = openNotifier({ options, live, claimWakeUp, watchWakeUp });
  const notice = new WorkNotice(() => notifier?.announceWaiting());
  const wakeUps = { claimWakeUp, watchWakeUp, sweepWakeUp };
  const state: ExecutorState = { options, places, live, ...wakeUps, notice, isWorking: false };
  return {
    executor: toExecutor(state, notifier),
    workers: createWorkers(state),
    nodeWorkers: notifier === null ? [] : [notifier.worker],
    countRuns,
    releaseOwner: async (owner) => {
      await expireLeases(ports.pool, owner);
      claimWakeUp.trigger();
    },
  };
}

function createDelayedWakeUp(wakeUp: WakeUp): () => void {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      wakeUp.trigger();
    }, POLL_DELAY_MS).unref();
  };
}

function openNotifier({
  options,
  live,
  claimWakeUp,
  watchWakeUp,
}: Pick<ExecutorState, "options" | "live" | "claimWakeUp" | "watchWakeUp">): RunNotifier | null {
  const { listenUrl, owner, ports } = options;
  if (listenUrl === null) return null;
  return createRunNotifier({
    listenUrl,
    owner,
    observer: ports.observer,
    onWaiting: () => claimWakeUp.trigger(),
    onCancel: (runId) => {
      if (live.has(runId)) watchWakeUp.trigger();
    },
    onExtension: (name) => options.onExtension?.(name),
  });
}

function toExecutor(state: ExecutorState, notifier: RunNotifier | null): Executor {
  const { options, places, live, claimWakeUp, watchWakeUp, notice } = state;
  return {
    owner: options.owner,
    leaseMs: options.leaseMs,
    reservePlace: (run) => (state.isWorking ? places.reserve(run) : null),
    take: (started) => live.start(started),
    wake: () => {
      claimWakeUp.trigger();
      notice.add();
    },
    cancel: (runId) => {
      if (live.has(runId)) watchWakeUp.trigger();
      else notifier?.announceCancel(runId);
    },
  };
}

/** Resolves to the time until there may be more to claim; undefined means that there are runs, so it is polled for. */
async function claim({ options, places, live, claimWakeUp, notice }: ExecutorState): Promise<number | undefined> {
  const capacity = places.openClaim();
  try {
    notice.beginPoll(capacity.isLimited);
    if (capacity.maxRuns === 0) return undefined;
    const leasedAtMs = performance.now();
    const claimed = await claimRuns(options.ports.pool, options, capacity);
    for (const run of claimed) live.start({ runId: run.runId, fence: run.fence, leasedAtMs, place: places.take(run) });
    if (claimed.length < capacity.maxRuns && !places.mayHaveSkipped(claimed))
      return live.size > 0 ? undefined : await selectNextClaimMs(options.ports.pool);
    claimWakeUp.trigger();
    notice.add();
    return 0;
  } finally {
    capacity.close();
  }
}

/** Resolves to the time until something is due. */
async function sweep({ options: { ports }, claimWakeUp }: ExecutorState): Promise<number> {
  const { ended, expired, next_due_ms: nextDueMs } = await sweepRuns(ports.pool, MAX_SWEPT);
  for (const status of ended) ports.observer.note("run.ended", { status, stopReason: "worker_lost" });
  if (ended.length + expired > 0) {
    claimWakeUp.trigger();
    ports.onEvents();
  }
  if (ended.length >= MAX_SWEPT || expired >= MAX_SWEPT) return 0;
  return Math.max(MIN_SWEEP_MS, nextDueMs ?? Number.POSITIVE_INFINITY);
}

async function settleStatuses({ options: { ports } }: ExecutorState): Promise<number> {
  if ((await settleAgentStatuses(ports.pool)) > 0) ports.onEvents();
  return Number.POSITIVE_INFINITY;
}

function createWorkers(state: ExecutorState): Worker[] {
  const { options, live, claimWakeUp, watchWakeUp, sweepWakeUp, notice } = state;
  const { random, owner } = options;
  const { observer, pool } = options.ports;
  const findLostNodes = createLostNodeCheck(pool, owner, () => performance.now());
  const watchNodes = async (): Promise<number> => {
    const { lost, isWaiting, isAlone } = await findLostNodes();
    for (const node of lost) observer.note("agents.node_lost", { node });
    if (lost.length > 0) claimWakeUp.trigger();
    if (isAlone) return Number.POSITIVE_INFINITY;
    return isWaiting ? Math.min(SILENCE_POLL_MS, times.sessionMs) : times.sessionMs;
  };
  const times = { ...TIMES, ...options.times };
  const pollEvery = (
    intervalMs: number,
    /** Resolves to the time until something is due; undefined means that the next step comes after the interval. */
    step: () => Promise<number | undefined | void>,
    signal: AbortSignal,
    wakeUp = new WakeUp(),
  ): Promise<void> =>
    poll(async () => (await step()) ?? intervalMs, {
      signal,
      random,
      wakeUp,
      commits: options.commits,
      everyMs: intervalMs,
      retryAfterMs: Math.min(RETRY_AFTER_MS, intervalMs),
      onFailure: (error) => observer.note("agents.step_failed", { error }),
    });
  return [
    {
      name: "agent-runs",
      run: async (signal) => {
        state.isWorking = true;
        const closing = new AbortController();
        // Leases are renewed until the last run is done, which is after the signal.
        const watch = async (): Promise<number | undefined> => {
          await live.watch();
          return live.size === 0 ? Number.POSITIVE_INFINITY : undefined;
        };
        const watching = pollEvery(times.watchMs, watch, closing.signal, watchWakeUp);
        await notice.during(() => pollEvery(times.claimPollMs, () => claim(state), signal, claimWakeUp));
        state.isWorking = false;
        await live.drain();
        closing.abort();
        await watching;
      },
    },
    { name: "run-nodes", run: (signal) => pollEvery(times.sessionMs, watchNodes, signal) },
    {
      name: "run-sweeper",
      run: (signal) => pollEvery(times.sweepMs, () => sweep(state), signal, sweepWakeUp),
    },
    { name: "agent-statuses", run: (signal) => pollEvery(times.statusMs, () => settleStatuses(state), signal) },
    { name: "run-pruner", run: (signal) => pollEvery(times.pruneMs, () => pruneRuns(options, signal), signal) },
  ];
}
