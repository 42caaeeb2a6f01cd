import type { ModelError } from "./model-error.ts";

const MAX_RETRIES = 2;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 8000;
const LONGEST_HINT_MS = 20_000;

/** How long to wait before the next attempt at the same provider; null: no attempt any more. */
export function decideRetry(error: ModelError, attempt: number, random: () => number): number | null {
  if (!error.isRetryable || attempt > MAX_RETRIES) return null;
  // Our own timers have already waited longer than any delay; an answer that says so (408, 504) is another matter.
  if (error.code === "PROVIDER_TIMEOUT" && error.providerStatus === null) return null;
  const jitter = random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
  if (error.retryAfterMs === null) return jitter;
  return error.retryAfterMs > LONGEST_HINT_MS ? null : Math.min(LONGEST_HINT_MS, error.retryAfterMs + jitter);
}

/** Whether another provider may do better. What is wrong with the conversation itself stays wrong there. */
export function mayFallBack(error: ModelError): boolean {
  return error.isRetryable || error.code === "PROVIDER_AUTH_FAILED" || error.code === "PROVIDER_RATE_LIMITED";
}
