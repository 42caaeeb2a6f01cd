import { spread, WakeUp } from "./wake-up.ts";

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
