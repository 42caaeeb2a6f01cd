import { type Commits, UNWATCHED } from "./commits.ts";

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

  /** Resolves after a trigger, after the timeout, or when the signal aborts; with whether it was a trigger. */
  async sleep(timeoutMs: number, signal: AbortSignal): Promise<boolean> {
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
    const wasTriggered = this.#isTriggered;
    this.#isTriggered = false;
    return wasTriggered;
  }
}

/** Adds jitter of up to a fifth, so that nodes that started together do not poll together. */
export function spread(durationMs: number, random: () => number): number {
  return durationMs * (0.8 + 0.4 * random());
}

const RETRY_AFTER_MS = 1_000;
/** In case that a change was missed. */
const MAX_WAIT_MS = 5 * 60_000;

export interface PollOptions {
  readonly signal: AbortSignal;
  /** A number from 0 up to 1, as Math.random gives. */
  readonly random: () => number;
  /** Ends a wait early. */
  readonly wakeUp?: WakeUp;
  /** A wait for longer than this ends after it if a transaction has committed since the step began. */
  readonly everyMs?: number;
  readonly commits?: Commits | undefined;
  readonly retryAfterMs?: number;
  /** Called for the first of several failures in a row. */
  onFailure(error: unknown): void;
}

/** Runs steps until the signal aborts. Each resolves with the time until something is due; Infinity: nothing is. */
export async function poll(step: () => Promise<number>, options: PollOptions): Promise<void> {
  const { signal, random, wakeUp = new WakeUp(), retryAfterMs = RETRY_AFTER_MS, onFailure } = options;
  const { commits = UNWATCHED, everyMs = Number.POSITIVE_INFINITY } = options;
  let isFailing = false;
  while (!signal.aborted) {
    const { version } = commits;
    try {
      const waitMs = Math.min(await step(), MAX_WAIT_MS);
      isFailing = false;
      const firstMs = Math.min(waitMs, spread(everyMs, random));
      if (firstMs > 0 && (await wakeUp.sleep(firstMs, signal))) continue;
      if (waitMs <= firstMs) continue;
      const stop = commits.onceAfter(version, () => wakeUp.trigger());
      await wakeUp.sleep(waitMs - firstMs, signal);
      stop();
    } catch (error) {
      if (!isFailing) onFailure(error);
      isFailing = true;
      await wakeUp.sleep(spread(retryAfterMs, random), signal);
    }
  }
}
