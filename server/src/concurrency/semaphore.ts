export interface SemaphoreOptions {
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

export interface PermitRequest {
  readonly key?: string;
  /** Ends the wait. Work that has started is not affected. */
  readonly signal?: AbortSignal;
}

interface KeyState {
  held: number;
  /** In the order of arrival. */
  readonly waiting: Set<() => void>;
}

/** Bounds how much work runs at a time. Keys that wait are served in turn, the callers of one key in the order of arrival. */
export class Semaphore {
  readonly #permits: number;
  readonly #maxPerKey: number;
  readonly #maxWaiting: number;
  readonly #maxWaitMs: number | null;
  readonly #overloadError: () => Error;
  /** The key that was served last is the last one. */
  readonly #keys = new Map<string, KeyState>();
  #held = 0;

  constructor({ permits, maxPerKey, maxWaiting, maxWaitMs, overloadError }: SemaphoreOptions) {
    this.#permits = permits;
    this.#maxPerKey = maxPerKey ?? permits;
    this.#maxWaiting = maxWaiting ?? Number.POSITIVE_INFINITY;
    this.#maxWaitMs = maxWaitMs ?? null;
    this.#overloadError = overloadError ?? (() => new Error("too many callers wait for a permit"));
  }

  async run<T>(work: () => Promise<T>, { key = "", signal }: PermitRequest = {}): Promise<T> {
    signal?.throwIfAborted();
    const state = this.#keys.get(key) ?? { held: 0, waiting: new Set() };
    if (state.waiting.size === 0 && this.#isFreeFor(state)) this.#grant(key, state);
    else if (state.waiting.size >= this.#maxWaiting) throw this.#overloadError();
    else await this.#wait(key, state, signal);
    try {
      return await work();
    } finally {
      this.#release(key, state);
    }
  }

  #wait(key: string, state: KeyState, signal: AbortSignal | undefined): Promise<void> {
    this.#keys.set(key, state);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        state.waiting.delete(start);
      };
      const start = (): void => {
        leave();
        resolve();
      };
      const giveUp = (error: Error): void => {
        leave();
        this.#forgetUnused(key, state);
        reject(error);
      };
      const onAbort = (): void => giveUp(signal?.reason as Error);
      const timer =
        this.#maxWaitMs === null ? undefined : setTimeout(() => giveUp(this.#overloadError()), this.#maxWaitMs);
      signal?.addEventListener("abort", onAbort, { once: true });
      state.waiting.add(start);
    });
  }

  #release(key: string, state: KeyState): void {
    this.#held -= 1;
    state.held -= 1;
    this.#forgetUnused(key, state);
    for (const [nextKey, next] of this.#keys) {
      const [start] = next.waiting;
      if (start === undefined || !this.#isFreeFor(next)) continue;
      this.#grant(nextKey, next);
      start();
      return;
    }
  }

  #isFreeFor({ held }: KeyState): boolean {
    return this.#held < this.#permits && held < this.#maxPerKey;
  }

  #grant(key: string, state: KeyState): void {
    this.#held += 1;
    state.held += 1;
    this.#keys.delete(key);
    this.#keys.set(key, state);
  }

  #forgetUnused(key: string, state: KeyState): void {
    if (state.held === 0 && state.waiting.size === 0) this.#keys.delete(key);
  }
}
