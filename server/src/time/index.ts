// In charge of: the clock, which is passed in.
// Not in charge of: timers and deadlines, which are AbortSignals.

export type { Clock } from "./clock.ts";
export { systemClock } from "./clock.ts";
