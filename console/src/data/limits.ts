import { type LimitName, RATE_LIMIT_HEADERS } from "@swarmbase/sdk";
import { createStore, useStore } from "./store.ts";

/** The state of a rate limit in the last response that reported it. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** When the window ends, in ms since 1970. */
  readonly resetAt: number;
}

type RateLimitStates = Readonly<Partial<Record<LimitName, RateLimitState>>>;

const rateLimitStates = createStore<RateLimitStates>({});

const ROWS_OF_PATHS: readonly (readonly [RegExp, LimitName])[] = [
  [/^\/functions\/v1\/agent-respond/, "ai"],
  [/^\/functions\/v1\/tools/, "tool"],
  [/^\/functions\/v1\/(test-webhook|webhook-dispatcher)/, "webhook"],
  [/^\/auth\/v1\/(token|signup|otp|verify|recover|resend|magiclink)|^\/auth\/v1\/factors\/[^/]+\/verify/, "auth"],
  [/^\/(rest|auth|functions)\/v1\//, "api"],
];

export function useRateLimitStates(): RateLimitStates {
  return useStore(rateLimitStates);
}

/** Records the rate-limit headers of a response. They describe the limit with the least remaining, without naming it. */
export function recordRateLimitState({ url, headers }: Response): void {
  const remaining = headers.get(RATE_LIMIT_HEADERS.remaining);
  if (remaining === null || url === "") return;
  const { pathname } = new URL(url);
  const expected = ROWS_OF_PATHS.find(([pattern]) => pattern.test(pathname))?.[1];
  if (expected === undefined) return;
  const state: RateLimitState = {
    limit: Number(headers.get(RATE_LIMIT_HEADERS.limit)),
    remaining: Number(remaining),
    resetAt: Number(headers.get(RATE_LIMIT_HEADERS.reset)) * 1_000,
  };
  const before = rateLimitStates.get();
  // Calls of other limits also count as API requests, so the headers may describe that limit instead.
  const isOfApi = expected !== "auth" && before.api?.limit === state.limit && before.api.resetAt === state.resetAt;
  rateLimitStates.set({ ...before, [isOfApi ? "api" : expected]: state });
}
