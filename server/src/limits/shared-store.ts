import type { Observer } from "../observe/index.ts";

/** The part of a Redis or Valkey client that is used. Others connect and close it. */
export interface SharedStore {
  /** False while there is no connection; the store is not used then. */
  readonly isReady: boolean;
  eval(script: string, options: { readonly keys: string[]; readonly arguments: string[] }): Promise<unknown>;
}

interface GuardedStore extends SharedStore {
  /** Whether the store was unavailable when it was needed last. */
  readonly isAway: boolean;
}

/** Longer than any response on a healthy network, and short enough for a request to wait. */
const DEADLINE_MS = 100;
/** A store that does not respond is not used for this long, so that not every request waits for it. */
const PAUSE_MS = 1_000;

/** Adds a deadline to the store. Logs once when it becomes unavailable and once when it is back. */
export function guardStore(store: SharedStore, observer: Observer): GuardedStore {
  let isAway = false;
  let pausedUntilMs = 0;
  const noteAway = (error: unknown): void => {
    if (!isAway) observer.note("limits.store_away", { error });
    isAway = true;
  };
  return {
    get isAway() {
      return isAway;
    },
    get isReady() {
      if (!store.isReady) noteAway(new Error("not connected"));
      return store.isReady && performance.now() >= pausedUntilMs;
    },
    async eval(script, options) {
      try {
        const answer = await withDeadline(store.eval(script, options));
        if (isAway) observer.note("limits.store_back");
        isAway = false;
        pausedUntilMs = 0;
        return answer;
      } catch (error) {
        noteAway(error);
        pausedUntilMs = performance.now() + PAUSE_MS;
        throw error;
      }
    },
  };
}

function withDeadline<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${DEADLINE_MS} ms`)), DEADLINE_MS);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
