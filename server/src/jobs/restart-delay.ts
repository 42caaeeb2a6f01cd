const RESTART_DELAYS_MS = [500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;

/** Half of the delay is random, so that nodes that failed together do not restart together. */
export function decideRestartDelayMs(restarts: number, random: () => number): number {
  const stepMs = RESTART_DELAYS_MS[Math.min(restarts, RESTART_DELAYS_MS.length - 1)] ?? RESTART_DELAYS_MS[0];
  return Math.round(stepMs / 2 + (stepMs / 2) * random());
}
