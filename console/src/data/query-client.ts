import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { Failure, SECOND_FACTOR } from "./failure.ts";

const STALE_MS = 30_000;
const CACHE_MS = 10 * 60_000;
const MAX_RETRIES = 2;
const UNAUTHORIZED = 401;
const SERVER_FAULT = 500;

/**
 * Realtime keeps the rows current, so that queries are rarely repeated: a user has 100 requests per minute for all tabs
 * together. `revalidate` is called when the service has rejected the token.
 */
export function createQueries(revalidate: () => Promise<void>): QueryClient {
  const shouldRetry = (count: number, error: unknown): boolean => {
    if (count >= MAX_RETRIES || !(error instanceof Failure)) return false;
    if (error.status === UNAUTHORIZED && count === 0) {
      // The retry happens after a delay and uses the token of that time.
      void revalidate();
      return true;
    }
    return error.status === 0 || error.status >= SERVER_FAULT;
  };
  const onError = (error: unknown): void => {
    if (!(error instanceof Failure)) return;
    // The refreshed session has the current level, so that the page asks for a missing second factor.
    if (error.status === UNAUTHORIZED || error.code === SECOND_FACTOR) void revalidate();
  };
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
