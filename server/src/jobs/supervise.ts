import { setTimeout as sleep } from "node:timers/promises";
import type { Observer } from "../observe/index.ts";
import { aborted, type Worker } from "./worker.ts";

const DEFAULT_STOP_TIMEOUT_MS = 10_000;
/** After a run of this length, the next failure starts the restart schedule again. */
const HEALTHY_AFTER_MS = 60_000;
const RESTART_DELAYS_MS = [500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;

interface SuperviseOptions {
  readonly signal: AbortSignal;
  readonly observer: Observer;
  /** Time that workers have to end after the signal. One that does not is reported and abandoned. */
  readonly stopTimeoutMs?: number;
  /** A number from 0 up to 1, as Math.random gives. */
  readonly random?: () => number;
  readonly restartDelayMs?: (restarts: number, random: () => number) => number;
}

/** Resolves when all workers have stopped. Rejects with the error of a critical worker once the others have stopped. */
export async function supervise(workers: readonly Worker[], options: SuperviseOptions): Promise<void> {
  const { observer, stopTimeoutMs = DEFAULT_STOP_TIMEOUT_MS } = options;
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, failure.signal]);
  const running = new Set(workers.map((worker) => worker.name));

  const all = Promise.all(
    workers.map(async (worker) => {
      try {
        await keepRunning(worker, signal, options);
      } catch (error) {
        failure.abort(error);
      } finally {
        running.delete(worker.name);
      }
    }),
  );

  const ended = new AbortController();
  const reportStuck = async (): Promise<void> => {
    await aborted(AbortSignal.any([signal, ended.signal]));
    await sleep(stopTimeoutMs, undefined, { signal: ended.signal }).catch(() => {});
    if (ended.signal.aborted) return;
    for (const name of running) observer.note("worker.stuck", { worker: name, stopTimeoutMs });
  };
  await Promise.race([all, reportStuck()]);
  ended.abort();
  if (failure.signal.aborted) throw failure.signal.reason;
}

async function keepRunning(worker: Worker, signal: AbortSignal, options: SuperviseOptions): Promise<void> {
  const { observer, random = Math.random, restartDelayMs = decideRestartDelayMs } = options;
  let restarts = 0;
  while (!signal.aborted) {
    observer.note("worker.started", { worker: worker.name, restarts });
    const startedAtMs = performance.now();
    const fault = await runOnce(worker, signal);
    if (signal.aborted) break;

    if (worker.isCritical === true) {
      observer.note("worker.gave_up", { worker: worker.name, error: fault });
      throw fault ?? new Error(`the worker ${worker.name} ended on its own`);
    }
    if (performance.now() - startedAtMs >= HEALTHY_AFTER_MS) restarts = 0;
    const delayMs = restartDelayMs(restarts, random);
    restarts += 1;
    if (fault === null) observer.note("worker.ended", { worker: worker.name, delayMs });
    else observer.note("worker.failed", { worker: worker.name, delayMs, error: fault });
    await sleep(delayMs, undefined, { signal }).catch(() => {});
  }
  observer.note("worker.stopped", { worker: worker.name });
}

async function runOnce(worker: Worker, signal: AbortSignal): Promise<Error | null> {
  try {
    await worker.run(signal);
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Half of the delay is random, so that nodes that failed together do not restart together. */
export function decideRestartDelayMs(restarts: number, random: () => number): number {
  const stepMs = RESTART_DELAYS_MS[Math.min(restarts, RESTART_DELAYS_MS.length - 1)] ?? RESTART_DELAYS_MS[0];
  return Math.round(stepMs / 2 + (stepMs / 2) * random());
}
