import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { Failure } from "./failure.ts";
import { questionSession } from "./session.ts";

const FRESH_MS = 30_000;
const KEPT_MS = 10 * 60_000;
const TRIES = 2;
const UNAUTHORIZED = 401;
const SERVER_FAULT = 500;

function askAgain(count: number, error: unknown): boolean {
  if (count >= TRIES || !(error instanceof Failure)) return false;
  if (error.status === UNAUTHORIZED && count === 0) {
    // The next try comes after the delay, and takes the token that there is then.
    void questionSession();
    return true;
  }
  return error.status === 0 || error.status >= SERVER_FAULT;
}

function lookAt(error: unknown): void {
  if (error instanceof Failure && error.status === UNAUTHORIZED) void questionSession();
}

/**
 * Rows are kept up to date by realtime, so that nothing is asked twice without need: a person has a hundred requests a minute, and
 * several tabs share them.
 */
export function createQueries(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: lookAt }),
    mutationCache: new MutationCache({ onError: lookAt }),
    defaultOptions: {
      queries: {
        networkMode: "always",
        staleTime: FRESH_MS,
        gcTime: KEPT_MS,
        retry: askAgain,
        refetchOnWindowFocus: false,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
}
