import { type PollOptions, poll } from "../jobs/index.ts";
import type { Observer } from "../observe/index.ts";

export interface StepsOptions extends Omit<PollOptions, "onFailure"> {
  readonly name: string;
  readonly observer: Observer;
}

/** Polls, and logs failures under the name of the worker. */
export function runSteps(step: () => Promise<number>, options: StepsOptions): Promise<void> {
  const { name, observer } = options;
  return poll(step, {
    ...options,
    onFailure: (error) => observer.note("webhook.step_failed", { worker: name, error }),
  });
}
