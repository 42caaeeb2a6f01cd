import type { Clock } from "../../../src/time/index.ts";

export interface SettableClock extends Clock {
  advance(ms: number): void;
}

/** Goes on with real time, because the database stamps rows with its own; `advance` leaps ahead of it. */
export function createSettableClock(): SettableClock {
  let aheadMs = 0;
  return {
    now: () => new Date(Date.now() + aheadMs),
    advance: (ms) => {
      aheadMs += ms;
    },
  };
}
