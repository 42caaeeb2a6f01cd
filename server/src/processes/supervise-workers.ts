import { setTimeout as sleep } from "node:timers/promises";
import type { Observer } from "../observe/index.ts";
import type { WorkerExit } from "./worker-process.ts";

/** The part of a worker process that its supervisor knows. */
interface SupervisedProcess {
  readonly id: number;
  readonly pid: number | undefined;
  readonly child: { kill(signal: NodeJS.Signals): boolean };
  readonly exited: Promise<WorkerExit>;
}

interface SuperviseWorkersOptions<Process extends SupervisedProcess> {
  readonly count: number;
  readonly observer: Observer;
  /** Time that a worker has to end after it was told to. */
  readonly stopTimeoutMs: number;
  fork(id: number): Process;
  /** Resolves when the worker can serve. */
  start(worker: Process): Promise<void>;
  /** The worker serves from now on. */
  onReady(worker: Process): void;
  /** The worker gets no further work, because it is replaced or has ended. Called once. */
  onLeft(worker: Process): void;
  /** The worker has ended without finishing what it did. Called after `onLeft`. */
  onLost(worker: Process): void;
  /** Tells a worker to finish what it does, and to end. */
  retire(worker: Process): void;
  /** Tells a worker to stop, as the service stops. */
  stop(worker: Process): void;
  readonly times?: Partial<typeof TIMES>;
}

export interface SupervisedWorkers {
  /** Replaces all workers, one after the other. Calls during a replacement cause one more. */
  replaceAll(): Promise<void>;
  /** Rejects when workers end again and again. */
  readonly failed: Promise<never>;
  stopAll(): Promise<void>;
}

interface Slot<Process extends SupervisedProcess> {
  readonly id: number;
  worker: Process | null;
  /** How often in a row a worker has ended soon after its start. */
  quickEnds: number;
  /** While a worker that has ended is being started again. */
  restarting: Promise<void> | null;
}

const TIMES = {
  /** A worker that lives this long counts as started well. */
  healthyAfterMs: 10_000,
  /** Before a worker is started again, by the number of ends in a row. One more end than delays is a crash loop. */
  restartDelaysMs: [0, 500, 1_000, 2_000, 5_000] as readonly number[],
};

/** Starts the workers, and resolves when all of them serve. */
export async function superviseWorkers<Process extends SupervisedProcess>(
  options: SuperviseWorkersOptions<Process>,
): Promise<SupervisedWorkers> {
  const supervisor = new Supervisor(options);
  try {
    await supervisor.startAll();
  } catch (error) {
    await supervisor.stopAll();
    throw error;
  }
  return supervisor;
}

class Supervisor<Process extends SupervisedProcess> implements SupervisedWorkers {
  readonly failed: Promise<never>;
  readonly #fail: (error: Error) => void;
  readonly #options: SuperviseWorkersOptions<Process>;
  readonly #times: typeof TIMES;
  readonly #slots: readonly Slot<Process>[];
  /** All processes that have not ended. */
  readonly #running = new Set<Process>();
  readonly #left = new WeakSet<Process>();
  readonly #stopping = new AbortController();
  #replacing: Promise<void> = Promise.resolve();
  #isReplacementWaiting = false;

  constructor(options: SuperviseWorkersOptions<Process>) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.#slots = Array.from({ length: options.count }, (_, index) => ({
      id: index + 1,
      worker: null,
      quickEnds: 0,
      restarting: null,
    }));
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    [this.failed, this.#fail] = [promise, reject];
  }

  async startAll(): Promise<void> {
    await Promise.all(
      this.#slots.map(async (slot) => {
        const startedAtMs = performance.now();
        const worker = await this.#launch(slot.id);
        this.#install(slot, worker, startedAtMs);
      }),
    );
  }

  replaceAll(): Promise<void> {
    if (this.#isReplacementWaiting) return this.#replacing;
    this.#isReplacementWaiting = true;
    this.#replacing = this.#replacing.then(async () => {
      this.#isReplacementWaiting = false;
      for (const slot of this.#slots) if (!(await this.#replace(slot))) return;
    });
    return this.#replacing;
  }

  async stopAll(): Promise<void> {
    const { observer, stopTimeoutMs, stop } = this.#options;
    this.#stopping.abort();
    for (const worker of this.#running) {
      this.#leave(worker);
      stop(worker);
    }
    await Promise.all(Array.from(this.#running, (worker) => endWithin(worker, stopTimeoutMs, observer)));
  }

  /** Resolves with a worker that serves; rejects when it has ended or cannot start. */
  async #launch(id: number): Promise<Process> {
    const { fork, start, onReady, observer } = this.#options;
    this.#stopping.signal.throwIfAborted();
    const worker = fork(id);
    this.#running.add(worker);
    void worker.exited.then(() => this.#running.delete(worker));
    const ended = worker.exited.then((exit) => {
      throw new Error(`worker ${id} ended while it started (${describeExit(exit)})`);
    });
    ended.catch(() => {});
    try {
      await Promise.race([start(worker), ended]);
      this.#stopping.signal.throwIfAborted();
    } catch (error) {
      worker.child.kill("SIGKILL");
      throw error;
    }
    onReady(worker);
    observer.note("process.started", { workerId: id, pid: worker.pid });
    return worker;
  }

  #install(slot: Slot<Process>, worker: Process, startedAtMs: number): void {
    slot.worker = worker;
    void worker.exited.then((exit) => this.#onExit(slot, worker, exit, startedAtMs));
  }

  #leave(worker: Process): boolean {
    if (this.#left.has(worker)) return false;
    this.#left.add(worker);
    this.#options.onLeft(worker);
    return true;
  }

  #onExit(slot: Slot<Process>, worker: Process, exit: WorkerExit, startedAtMs: number): void {
    // One that was replaced or stopped has left already.
    if (!this.#leave(worker)) return;
    const { observer, onLost } = this.#options;
    if (slot.worker === worker) slot.worker = null;
    if (performance.now() - startedAtMs >= this.#times.healthyAfterMs) slot.quickEnds = 0;
    observer.note("process.lost", { workerId: slot.id, pid: worker.pid, ...exit });
    onLost(worker);
    slot.restarting = this.#restart(slot).finally(() => {
      slot.restarting = null;
    });
  }

  async #restart(slot: Slot<Process>): Promise<void> {
    const { observer, retire } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const delayMs = this.#times.restartDelaysMs[slot.quickEnds];
      slot.quickEnds += 1;
      if (delayMs === undefined) {
        const error = new Error(`worker ${slot.id} has ended ${slot.quickEnds} times soon after its start`);
        observer.note("process.crash_loop", { workerId: slot.id, ends: slot.quickEnds });
        return this.#fail(error);
      }
      await sleep(delayMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      if (this.#stopping.signal.aborted || slot.worker !== null) return;
      const startedAtMs = performance.now();
      try {
        const worker = await this.#launch(slot.id);
        // A replacement may have taken the place meanwhile.
        if (slot.worker === null) return this.#install(slot, worker, startedAtMs);
        this.#leave(worker);
        return retire(worker);
      } catch (error) {
        if (!this.#stopping.signal.aborted) observer.note("process.start_failed", { workerId: slot.id, error });
      }
    }
  }

  /** Returns false when the new worker does not start: the old ones then go on. */
  async #replace(slot: Slot<Process>): Promise<boolean> {
    const { observer, retire, onLost, stopTimeoutMs } = this.#options;
    // One that was starting when the replacement was asked for may have read the old code and certificate.
    await slot.restarting;
    if (this.#stopping.signal.aborted || slot.worker === null) return false;
    const startedAtMs = performance.now();
    try {
      const worker = await this.#launch(slot.id);
      // The old one may have ended meanwhile, and its replacement may serve.
      const current = slot.worker;
      this.#install(slot, worker, startedAtMs);
      if (current === null) return true;
      this.#leave(current);
      retire(current);
      if (!(await endWithin(current, stopTimeoutMs, observer))) onLost(current);
      observer.note("process.replaced", { workerId: slot.id, pid: worker.pid, oldPid: current.pid });
      return true;
    } catch (error) {
      if (!this.#stopping.signal.aborted) observer.note("process.replacement_failed", { workerId: slot.id, error });
      return false;
    }
  }
}

/** Returns whether the process has ended on its own. */
async function endWithin(worker: SupervisedProcess, timeoutMs: number, observer: Observer): Promise<boolean> {
  const timer = setTimeout(() => {
    observer.note("process.stop_forced", { workerId: worker.id, pid: worker.pid });
    worker.child.kill("SIGKILL");
  }, timeoutMs);
  const { code } = await worker.exited;
  clearTimeout(timer);
  return code === 0;
}

function describeExit({ code, signal }: WorkerExit): string {
  return signal === null ? `code ${code}` : signal;
}
