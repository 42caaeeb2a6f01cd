import type pg from "pg";
import { createBatcher } from "../../concurrency/index.ts";
import { isUnavailable } from "../../db/index.ts";
import { retryWhileHeld } from "./retry-while-held.ts";
import type { RunHold } from "./sql/advance-runs.ts";
import { type DeltaBatch, type DeltaVerdict, storeDeltas } from "./sql/store-deltas.ts";
import type { EventRow } from "./steps.ts";

/** Few runs store what they say every 100 ms; with many there is more for each statement to carry, and each waits longer. */
const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 500;
/** Those who come a moment later go along. */
const GATHER_MS = 10;
const MOST_AT_ONCE = 200;

/** Stores what all runs of this node are saying, in one statement at a time. */
export interface DeltaStore {
  /** How long a run gathers before it asks. */
  readonly pauseMs: number;
  put(hold: RunHold, rows: readonly EventRow[]): Promise<Verdict>;
}

type Verdict = Omit<DeltaVerdict, "run_id">;

const LOST: Verdict = { is_stored: false, is_lost: true, cancel_reason: null };
const UNANSWERED: Verdict = { is_stored: false, is_lost: false, cancel_reason: null };
/** Each run decides for itself how long it waits for the database. */
const NOT_HERE = (): boolean => false;

export function createDeltaStore(pool: pg.Pool, countRuns: () => number): DeltaStore {
  const store = async (batches: readonly DeltaBatch[]): Promise<readonly (Verdict | Error)[]> => {
    try {
      const verdicts = await retryWhileHeld(() => storeDeltas(pool, batches), NOT_HERE);
      const byRun = new Map(verdicts.map((verdict) => [verdict.run_id, verdict]));
      return batches.map(({ hold }) => byRun.get(hold.runId) ?? LOST);
    } catch (error) {
      if (isUnavailable(error)) return batches.map(() => UNANSWERED);
      if (batches.length === 1) return [error instanceof Error ? error : new Error(String(error))];
      // What cannot be stored of one run must not end the others.
      const results: (Verdict | Error)[] = [];
      for (const batch of batches) results.push(...(await store([batch])));
      return results;
    }
  };
  const put = createBatcher<DeltaBatch, Verdict>({
    maxItems: MOST_AT_ONCE,
    delayMs: (afterBatch) => (afterBatch ? 0 : GATHER_MS),
    run: store,
  });

  return {
    get pauseMs() {
      return Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, countRuns()));
    },
    put: (hold, rows) => put({ hold, rows }),
  };
}
