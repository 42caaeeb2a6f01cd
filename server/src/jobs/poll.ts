/** Wakes one sleeper. A trigger without a sleeper is kept, so that no work between a poll and the next sleep is missed. */
export class WakeUp {
  #isTriggered = false;
  #wakeSleeper: (() => void) | null = null;

  get isTriggered(): boolean {
    return this.#isTriggered;
  }

  trigger(): void {
    this.#isTriggered = true;
    this.#wakeSleeper?.();
  }

  /** Resolves after a trigger, after the timeout, or when the signal aborts. */
  async sleep(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#isTriggered && !signal.aborted && timeoutMs > 0) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        const timer = setTimeout(wake, timeoutMs);
        signal.addEventListener("abort", wake, { once: true });
        this.#wakeSleeper = wake;
      });
      this.#wakeSleeper = null;
    }
    this.#isTriggered = false;
  }
}

/** Adds jitter of up to a fifth, so that nodes that started together do not poll together. */
export function spread(durationMs: number, random: () => number): number {
  return durationMs * (0.8 + 0.4 * random());
}

const RETRY_AFTER_MS = 1_000;

export interface PollOptions {
  readonly signal: AbortSignal;
  /** A number from 0 up to 1, as Math.random gives. */
  readonly random: () => number;
  /** Ends a wait early. */
  readonly wakeUp?: WakeUp;
  readonly retryAfterMs?: number;
  /** Called for the first of several failures in a row. */
  onFailure(error: unknown): void;
}

/** Runs steps until the signal aborts. Each resolves with the time to wait before the next one. */
export async function poll(step: () => Promise<number>, options: PollOptions): Promise<void> {
  const { signal, random, wakeUp = new WakeUp(), retryAfterMs = RETRY_AFTER_MS, onFailure } = options;
  let isFailing = false;
  while (!signal.aborted) {
    try {
      const waitMs = await step();
      isFailing = false;
      if (waitMs > 0) await wakeUp.sleep(waitMs, signal);
    } catch (error) {
      if (!isFailing) onFailure(error);
      isFailing = true;
      await wakeUp.sleep(spread(retryAfterMs, random), signal);
    }
  }
}
