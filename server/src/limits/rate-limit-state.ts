import type { RateLimiterRes } from "rate-limiter-flexible";

/** The state of a key in its window. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: Date;
  readonly retryAfterSeconds: number;
  /** The counted call exceeded the limit. */
  readonly isExceeded: boolean;
}

export function toRateLimitState(
  { remainingPoints, msBeforeNext }: Pick<RateLimiterRes, "remainingPoints" | "msBeforeNext">,
  { limit, isExceeded, now }: { readonly limit: number; readonly isExceeded: boolean; readonly now: Date },
): RateLimitState {
  const leftMs = Math.max(0, msBeforeNext);
  return {
    limit,
    remaining: isExceeded ? 0 : Math.max(0, remainingPoints),
    resetAt: new Date(now.getTime() + leftMs),
    retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
    isExceeded,
  };
}
