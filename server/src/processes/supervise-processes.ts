import { setTimeout as sleep } from "node:timers/promises";
import type { Observer } from "../observe/index.ts";
import type { ProcessExit } from "./worker-process.ts";

/** The part of a worker process that its supervisor knows. */
interface SupervisedProcess {
  readonly id: number;
  readonly pid: number | undefined;
  readonly child: { kill(signal: NodeJS.Signals): boolean };
  readonly exited: Promise<ProcessExit>;
}

interface SuperviseProcessesOptions<Process extends SupervisedProcess> {
  readonly count: number;
  readonly observer: Observer;
  /** Time that a worker process has to end after it was told to. */
  readonly stopTimeoutMs: number;
  fork(id: number): Process;
  /** Resolves when the worker process can serve. */
  start(workerProcess: Process): Promise<void>;
  /** The worker process serves from now on. */
  onReady(workerProcess: Process): void;
  /** The worker process gets no further work, because it is replaced or has ended. Called once. */
  onLeft(workerProcess: Process): void;
  /** The worker process has ended without finishing what it did. Called after `onLeft`. */
  onLost(workerProcess: Process): void;
  /** Tells a worker process to finish what it does, and to end. */
  retire(workerProcess: Process): void;
  /** Tells a worker process to stop, as the service stops. */
  stop(workerProcess: Process): void;
  readonly times?: Partial<typeof TIMES>;
}

export interface SupervisedProcesses {
  /** Replaces all worker processes, one after the other. Calls during a replacement cause one more. */
  replaceAll(): Promise<void>;
  /** Rejects when worker processes end again and again. */
  readonly failed: Promise<never>;
  stopAll(): Promise<void>;
}

interface Slot<Process extends SupervisedProcess> {
  readonly id: number;
  process: Process | null;
  /** How often in a row a worker process has ended soon after its start. */
  quickEnds: number;
  /** While a worker process that has ended is being started again. */
  restarting: Promise<void> | null;
}

const TIMES = {
  /** A worker process that lives this long counts as started well. */
  healthyAfterMs: 10_000,
  /** Before a worker process is started again, by the number of ends in a row. One more end than delays is a crash loop. */
  restartDelaysMs: [0, 500, 1_000, 2_000, 5_000] as readonly number[],
};

/** Starts the worker processes, and resolves when all of them serve. */
export async function superviseProcesses<Process extends SupervisedProcess>(
  options: SuperviseProcessesOptions<Process>,
): Promise<SupervisedProcesses> {
  const supervisor = new Supervisor(options);
  try {
    await supervisor.startAll();
  } catch (error) {
    await supervisor.stopAll();
    throw error;
  }
  return supervisor;
}

class Supervisor<Process extends SupervisedProcess> implements SupervisedProcesses {
  readonly failed: Promise<never>;
  readonly #fail: (error: Error) => void;
  readonly #options: SuperviseProcessesOptions<Process>;
  readonly #times: typeof TIMES;
  readonly #slots: readonly Slot<Process>[];
  /** All processes that have not ended. */
  readonly #running = new Set<Process>();
  readonly #left = new WeakSet<Process>();
  readonly #stopping = new AbortController();
  #replacing: Promise<void> = Promise.resolve();
  #isReplacementWaiting = false;

  constructor(options: SuperviseProcessesOptions<Process>) {
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.#slots = Array.from({ length: options.count }, (_, index) => ({
      id: index + 1,
      process: null,
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
        const workerProcess = await this.#launch(slot.id);
        this.#install(slot, workerProcess, startedAtMs);
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
    for (const workerProcess of this.#running) {
      this.#leave(workerProcess);
      stop(workerProcess);
    }
    await Promise.all(Array.from(this.#running, (workerProcess) => endWithin(workerProcess, stopTimeoutMs, observer)));
  }

  /** Resolves with a worker process that serves; rejects when it has ended or cannot start. */
  async #launch(id: number): Promise<Process> {
    const { fork, start, onReady, observer } = this.#options;
    this.#stopping.signal.throwIfAborted();
    const workerProcess = fork(id);
    this.#running.add(workerProcess);
    void workerProcess.exited.then(() => this.#running.delete(workerProcess));
    const ended = workerProcess.exited.then((exit) => {
      throw new Error(`worker process ${id} ended while it started (${describeExit(exit)})`);
    });
    ended.catch(() => {});
    try {
      await Promise.race([start(workerProcess), ended]);
      this.#stopping.signal.throwIfAborted();
    } catch (error) {
      workerProcess.child.kill("SIGKILL");
      throw error;
    }
    onReady(workerProcess);
    observer.note("process.started", { workerId: id, pid: workerProcess.pid });
    return workerProcess;
  }

  #install(slot: Slot<Process>, workerProcess: Process, startedAtMs: number): void {
    slot.process = workerProcess;
    void workerProcess.exited.then((exit) => this.#onExit(slot, workerProcess, exit, startedAtMs));
  }

  #leave(workerProcess: Process): boolean {
    if (this.#left.has(workerProcess)) return false;
    this.#left.add(workerProcess);
    this.#options.onLeft(workerProcess);
    return true;
  }

  #onExit(slot: Slot<Process>, workerProcess: Process, exit: ProcessExit, startedAtMs: number): void {
    // One that was replaced or stopped has left already.
    if (!this.#leave(workerProcess)) return;
    const { observer, onLost } = this.#options;
    if (slot.process === workerProcess) slot.process = null;
    if (performance.now() - startedAtMs >= this.#times.healthyAfterMs) slot.quickEnds = 0;
    observer.note("process.lost", { workerId: slot.id, pid: workerProcess.pid, ...exit });
    onLost(workerProcess);
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
        const error = new Error(`worker process ${slot.id} has ended ${slot.quickEnds} times soon after its start`);
        observer.note("process.crash_loop", { workerId: slot.id, ends: slot.quickEnds });
        return this.#fail(error);
      }
      await sleep(delayMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      if (this.#stopping.signal.aborted || slot.process !== null) return;
      const startedAtMs = performance.now();
      try {
        const workerProcess = await this.#launch(slot.id);
        // A replacement may have taken the place meanwhile.
        if (slot.process === null) return this.#install(slot, workerProcess, startedAtMs);
        this.#leave(workerProcess);
        return retire(workerProcess);
      } catch (error) {
        if (!this.#stopping.signal.aborted) observer.note("process.start_failed", { workerId: slot.id, error });
      }
    }
  }

  /** Returns false when the new worker process does not start: the old ones then go on. */
  async #replace(slot: Slot<Process>): Promise<boolean> {
    const { observer, retire, onLost, stopTimeoutMs } = this.#options;
    // One that was starting when the replacement was asked for may have read the old code and certificate.
    await slot.restarting;
    if (this.#stopping.signal.aborted || slot.process === null) return false;
    const startedAtMs = performance.now();
    try {
      const workerProcess = await this.#launch(slot.id);
      // The old one may have ended meanwhile, and its replacement may serve.
      const current = slot.process;
      this.#install(slot, workerProcess, startedAtMs);
      if (current === null) return true;
      this.#leave(current);
      retire(current);
      if (!(await endWithin(current, stopTimeoutMs, observer))) onLost(current);
      observer.note("process.replaced", { workerId: slot.id, pid: workerProcess.pid, oldPid: current.pid });
      return true;
    } catch (error) {
      if (!this.#stopping.signal.aborted) observer.note("process.replacement_failed", { workerId: slot.id, error });
      return false;
    }
  }
}

/** Returns whether the process has ended on its own. */
async function endWithin(workerProcess: SupervisedProcess, timeoutMs: number, observer: Observer): Promise<boolean> {
  const timer = setTimeout(() => {
    observer.note("process.stop_forced", { workerId: workerProcess.id, pid: workerProcess.pid });
    workerProcess.child.kill("SIGKILL");
  }, timeoutMs);
  const { code } = await workerProcess.exited;
  clearTimeout(timer);
  return code === 0;
}

function describeExit({ code, signal }: ProcessExit): string {
  return signal === null ? `code ${code}` : signal;
}
