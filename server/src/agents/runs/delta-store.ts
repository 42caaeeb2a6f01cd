import type pg from "pg";
import { isUnavailable } from "../../db/index.ts";
import { retryWhileHeld } from "./retry-while-held.ts";
import type { RunHold } from "./sql/advance-run.ts";
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
  put(hold: RunHold, rows: readonly EventRow[]): Promise<Omit<DeltaVerdict, "run_id">>;
}

interface Waiting extends DeltaBatch {
  resolve(verdict: Omit<DeltaVerdict, "run_id">): void;
  reject(error: unknown): void;
}

const LOST = { is_stored: false, is_lost: true, cancel_reason: null };
const UNANSWERED = { is_stored: false, is_lost: false, cancel_reason: null };
/** Each run decides for itself how long it waits for the database. */
const NOT_HERE = (): boolean => false;

export function createDeltaStore(pool: pg.Pool, countRuns: () => number): DeltaStore {
  const waiting: Waiting[] = [];
  let isStoring = false;

  const store = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const verdicts = await retryWhileHeld(() => storeDeltas(pool, batch), NOT_HERE);
      const byRun = new Map(verdicts.map((verdict) => [verdict.run_id, verdict]));
      for (const { hold, resolve } of batch) resolve(byRun.get(hold.runId) ?? LOST);
    } catch (error) {
      if (isUnavailable(error)) for (const { resolve } of batch) resolve(UNANSWERED);
      // What cannot be stored of one run must not end the others.
      else if (batch.length > 1) for (const one of batch) await store([one]);
      else for (const { reject } of batch) reject(error);
    }
  };
  const storeAll = async (): Promise<void> => {
    while (waiting.length > 0) await store(waiting.splice(0, MOST_AT_ONCE));
    isStoring = false;
  };

  return {
    get pauseMs() {
      return Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, countRuns()));
    },
    put(hold, rows) {
      return new Promise((resolve, reject) => {
        waiting.push({ hold, rows, resolve, reject });
        if (isStoring) return;
        isStoring = true;
        setTimeout(() => void storeAll(), GATHER_MS);
      });
    },
  };
}
