import type { Observer } from "../observe/index.ts";
import { type WakeUp, spread } from "../jobs/index.ts";

const RETRY_AFTER_MS = 1_000;

export interface StepsOptions {
  readonly name: string;
  readonly wakeUp: WakeUp;
  readonly observer: Observer;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** Takes steps until the signal; each answers how long to sleep before the next one, unless the wakeUp rings. */
export async function runSteps(step: () => Promise<number>, options: StepsOptions): Promise<void> {
  const { name, wakeUp, observer, random, signal } = options;
  let isFailing = false;
  while (!signal.aborted) {
    try {
      const sleepMs = await step();
      isFailing = false;
      if (sleepMs > 0) await wakeUp.sleep(sleepMs, signal);
    } catch (error) {
      // Said once for an outage, however long it lasts.
      if (!isFailing) observer.note("webhook.step_failed", { worker: name, error });
      isFailing = true;
      await wakeUp.sleep(spread(RETRY_AFTER_MS, random), signal);
    }
  }
}
