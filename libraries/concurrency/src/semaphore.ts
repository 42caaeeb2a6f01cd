import { FairQueue } from "./fair-queue.ts";

interface SemaphoreOptions {
  readonly permits: number;
  /** Permits that one key may hold at a time; all of them by default. */
  readonly maxPerKey?: number;
  /** Callers of one key that may wait; any number by default. */
  readonly maxWaiting?: number;
  /** How long a caller waits; for any time by default. */
  readonly maxWaitMs?: number;
  /** Rejects a caller when the queue is full or the wait took too long. */
  overloadError?(): Error;
}

interface PermitRequest {
  readonly key?: string;
  /** Ends the wait. Work that has started is not affected. */
  readonly signal?: AbortSignal;
}

interface WaitingCaller {
  readonly key: string;
  start(): void;
}

/** Bounds how much work runs at a time. Keys that wait are served in turn, the callers of one key in the order of arrival. */
export class Semaphore {
  readonly #queue: FairQueue<WaitingCaller>;
  readonly #maxWaiting: number;
  readonly #maxWaitMs: number | null;
  readonly #overloadError: () => Error;

  constructor({ permits, maxPerKey = permits, maxWaiting, maxWaitMs, overloadError }: SemaphoreOptions) {
    this.#queue = new FairQueue({ permits, maxHeldBy: () => maxPerKey });
    this.#maxWaiting = maxWaiting ?? Number.POSITIVE_INFINITY;
    this.#maxWaitMs = maxWaitMs ?? null;
    this.#overloadError = overloadError ?? (() => new Error("too many callers wait for a permit"));
  }

  async run<T>(work: () => Promise<T>, { key = "", signal }: PermitRequest = {}): Promise<T> {
    signal?.throwIfAborted();
    const waiting = this.#queue.countWaiting(key);
    if (waiting > 0 || !this.#queue.tryTake({ key })) {
      if (waiting >= this.#maxWaiting) throw this.#overloadError();
      await this.#wait(key, signal);
    }
    try {
      return await work();
    } finally {
      this.#queue.leave({ key });
      this.#queue.free();
      this.#queue.take()?.start();
    }
  }

  #wait(key: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      const start = (): void => {
        end();
        resolve();
      };
      const caller = { key, start };
      const giveUp = (error: Error): void => {
        end();
        this.#queue.remove(caller);
        reject(error);
      };
      const onAbort = (): void => giveUp(signal?.reason as Error);
      const timer =
        this.#maxWaitMs === null ? undefined : setTimeout(() => giveUp(this.#overloadError()), this.#maxWaitMs);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#queue.add(caller);
    });
  }
}
