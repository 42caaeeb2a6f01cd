import { createBatcher } from "@swarmbase/concurrency";
import { isUnavailable } from "@swarmbase/postgres";
import type pg from "pg";
import { createRunBatcher } from "../batcher.ts";
import { retryWhileHeld } from "./retry-while-held.ts";
import { type Advanced, advanceRuns, type RunAdvance } from "./sql/advance-runs.ts";
import { type DeltaBatch, type DeltaResult, storeDeltas } from "./sql/store-deltas.ts";

const MAX_RUNS = 50;
/** A run stores its deltas every 100 ms. With many runs the pause is longer, and each statement stores more. */
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 500;
/** Batches that arrive within this time share a statement. */
const DELTA_DELAY_MS = 10;
const MAX_DELTA_BATCHES = 200;

type StoredDeltas = Omit<DeltaResult, "run_id">;

/** Writes the state of all runs of this node. Writes that arrive at about the same time share a statement. */
export interface RunStore {
  /** How long a run collects deltas before it stores them. */
  readonly deltaPauseMs: number;
  storeDeltas(batch: DeltaBatch): Promise<StoredDeltas>;
  advance(advance: RunAdvance): Promise<Advanced>;
}

const UNANSWERED: StoredDeltas = { is_stored: false, has_gap: false, is_lost: false, cancel_reason: null };
const LOST: StoredDeltas = { ...UNANSWERED, is_lost: true };
/** Each run decides for itself how long it waits for the database. */
const NOT_HERE = (): boolean => false;

export function createRunStore(pool: pg.Pool, countRuns: () => number): RunStore {
  const store = async (batches: readonly DeltaBatch[]): Promise<readonly (StoredDeltas | Error)[]> => {
    try {
      const results = await retryWhileHeld(() => storeDeltas(pool, batches), NOT_HERE);
      const byRun = new Map(results.map((result) => [result.run_id, result]));
      return batches.map(({ hold }) => byRun.get(hold.runId) ?? LOST);
    } catch (error) {
      if (isUnavailable(error)) return batches.map(() => UNANSWERED);
      if (batches.length === 1) return [error instanceof Error ? error : new Error(String(error))];
      // A run whose deltas cannot be stored must not fail the other runs.
      const results: (StoredDeltas | Error)[] = [];
      for (const batch of batches) results.push(...(await store([batch])));
      return results;
    }
  };
  return {
    get deltaPauseMs() {
      return Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, countRuns()));
    },
    storeDeltas: createBatcher<DeltaBatch, StoredDeltas>({
      maxItems: MAX_DELTA_BATCHES,
      delayMs: (afterBatch) => (afterBatch ? 0 : DELTA_DELAY_MS),
      run: store,
    }),
    advance: createRunBatcher<RunAdvance, Advanced>({
      maxItems: MAX_RUNS,
      countRuns,
      keysOf: ({ hold }) => [hold.runId],
      send: (advances) => advanceRuns(pool, advances),
      isInDoubt: isUnavailable,
    }),
  };
}
