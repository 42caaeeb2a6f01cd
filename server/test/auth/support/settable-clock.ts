import type { Clock } from "../../../src/time/index.ts";

export interface SettableClock extends Clock {
  advance(ms: number): void;
}

/** Follows real time, because the database uses its own clock; `advance` adds an offset. */
export function createSettableClock(): SettableClock {
  let aheadMs = 0;
  return {
    now: () => new Date(Date.now() + aheadMs),
    advance: (ms) => {
      aheadMs += ms;
    },
  };
}
