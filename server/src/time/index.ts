// In charge of: what time it is, as something that is passed in.
// Not in charge of: timers and deadlines; those travel as AbortSignal.

export type { Clock } from "./clock.ts";
export { systemClock } from "./clock.ts";
