const MAX_JITTER_SHARE = 0.1;
const MAX_JITTER_MS = 5_000;

/** Entry k is the delay in seconds before attempt k; the last entry repeats. */
export type Schedule = readonly number[];

/** Attempts count from 1. */
export function findScheduledDelayMs(schedule: Schedule, attempt: number): number {
  const seconds = schedule[Math.min(attempt, schedule.length) - 1] ?? 0;
  return seconds * 1_000;
}

/** Jitter only adds, because the schedule promises a minimum delay. `random` is from 0 to 1. */
export function addJitterMs(delayMs: number, random: number): number {
  return delayMs + Math.round(Math.min(delayMs * MAX_JITTER_SHARE, MAX_JITTER_MS) * random);
}
