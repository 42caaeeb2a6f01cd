import { LIMITS } from "@swarmbase/sdk";
import { AppError, type AppErrorExtra } from "../errors/index.ts";
import { WINDOWS, type WindowName } from "./windows.ts";
import type { RateLimitState } from "./rate-limit-state.ts";

/** The error for a key that has no calls left. */
export function rateLimitedError(
  window: WindowName,
  { limit, retryAfterSeconds }: RateLimitState,
  extra: AppErrorExtra = {},
): AppError {
  const { name } = LIMITS[WINDOWS[window].row];
  return new AppError("RATE_LIMITED", `Request rate limit reached: ${name}, ${limit} per minute`, {
    ...extra,
    retryAfterSeconds,
  });
}
