import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { Failure, SECOND_FACTOR } from "./failure.ts";
import { revalidateSession } from "./session.ts";

const STALE_MS = 30_000;
const CACHE_MS = 10 * 60_000;
const MAX_RETRIES = 2;
const UNAUTHORIZED = 401;
const SERVER_FAULT = 500;

function shouldRetry(count: number, error: unknown): boolean {
  if (count >= MAX_RETRIES || !(error instanceof Failure)) return false;
  if (error.status === UNAUTHORIZED && count === 0) {
    // The retry happens after a delay and uses the token of that time.
    void revalidateSession();
    return true;
  }
  return error.status === 0 || error.status >= SERVER_FAULT;
}

function onError(error: unknown): void {
  if (!(error instanceof Failure)) return;
  // The refreshed session has the current level, so that the page asks for a missing second factor.
  if (error.status === UNAUTHORIZED || error.code === SECOND_FACTOR) void revalidateSession();
}

/**
 * Realtime keeps the rows current, so that queries are rarely repeated: a user has 100 requests per minute for all tabs
 * together.
 */
export function createQueries(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: onError }),
    mutationCache: new MutationCache({ onError: onError }),
    defaultOptions: {
      queries: {
        networkMode: "always",
        staleTime: STALE_MS,
        gcTime: CACHE_MS,
        retry: shouldRetry,
        refetchOnWindowFocus: false,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
}
