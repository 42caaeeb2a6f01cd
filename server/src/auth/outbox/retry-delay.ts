const RETRY_DELAYS_SECONDS = [60, 300, 1_800, 7_200] as const;
const MAX_ATTEMPTS = 15;

/** Null when the mail is given up, a little more than a day after its first attempt. */
export function decideMailRetrySeconds(attempts: number): number | null {
  if (attempts >= MAX_ATTEMPTS) return null;
  return RETRY_DELAYS_SECONDS[Math.min(attempts, RETRY_DELAYS_SECONDS.length) - 1] ?? RETRY_DELAYS_SECONDS[0];
}
