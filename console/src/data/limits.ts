import { type LimitName, RATE_LIMIT_HEADERS } from "@swarmbase/sdk";
import { createStore, useStore } from "./store.ts";

/** How a limit stood when it was last heard of. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** When counting begins anew, in ms since 1970. */
  readonly resetAt: number;
}

export type RateLimitStates = Readonly<Partial<Record<LimitName, RateLimitState>>>;

const standings = createStore<RateLimitStates>({});

const ROWS_OF_PATHS: readonly (readonly [RegExp, LimitName])[] = [
  [/^\/functions\/v1\/agent-respond/, "ai"],
  [/^\/functions\/v1\/tools/, "tool"],
  [/^\/functions\/v1\/(test-webhook|webhook-dispatcher)/, "webhook"],
  [/^\/auth\/v1\/(token|signup|otp|verify|recover|resend|magiclink)|^\/auth\/v1\/factors\/[^/]+\/verify/, "auth"],
  [/^\/(rest|auth|functions)\/v1\//, "api"],
];

export function useRateLimitStates(): RateLimitStates {
  return useStore(standings);
}

/** Reads what an answer says about the limits. It tells of the row with the least left, without naming it. */
export function noteRateLimitState({ url, headers }: Response): void {
  const remaining = headers.get(RATE_LIMIT_HEADERS.remaining);
  if (remaining === null || url === "") return;
  const { pathname } = new URL(url);
  const expected = ROWS_OF_PATHS.find(([pattern]) => pattern.test(pathname))?.[1];
  if (expected === undefined) return;
  const standing: RateLimitState = {
    limit: Number(headers.get(RATE_LIMIT_HEADERS.limit)),
    remaining: Number(remaining),
    resetAt: Number(headers.get(RATE_LIMIT_HEADERS.reset)) * 1_000,
  };
  const before = standings.get();
  // Calls of the other rows count as API requests too, and may say how these stand instead.
  const isOfApi =
    expected !== "auth" && before.api?.limit === standing.limit && before.api.resetAt === standing.resetAt;
  standings.set({ ...before, [isOfApi ? "api" : expected]: standing });
}
