import type { Observer } from "../observe/index.ts";

/** What is needed of a client of Redis or Valkey. It connects, reconnects and is closed elsewhere. */
export interface SharedStore {
  /** False while there is no connection: then it is not asked. */
  readonly isReady: boolean;
  eval(script: string, options: { readonly keys: string[]; readonly arguments: string[] }): Promise<unknown>;
}

/** Longer than any answer takes on a network in order, short enough for a request to wait. */
const DEADLINE_MS = 100;
/** A store that does not answer is left alone for so long: not every request is to wait for it. */
const REST_MS = 1_000;

/** The store with a deadline; the log says once that it is away and once that it is back. */
export function guardStore(store: SharedStore, observer: Observer): SharedStore {
  let isAway = false;
  let restUntilMs = 0;
  const noteAway = (error: unknown): void => {
    if (!isAway) observer.note("limits.store_away", { error });
    isAway = true;
  };
  return {
    get isReady() {
      if (!store.isReady) noteAway(new Error("not connected"));
      return store.isReady && performance.now() >= restUntilMs;
    },
    async eval(script, options) {
      try {
        const answer = await withDeadline(store.eval(script, options));
        if (isAway) observer.note("limits.store_back");
        isAway = false;
        restUntilMs = 0;
        return answer;
      } catch (error) {
        noteAway(error);
        restUntilMs = performance.now() + REST_MS;
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
