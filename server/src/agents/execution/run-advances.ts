import type pg from "pg";
import { isUnavailable } from "../../db/index.ts";
import { createRunBatcher } from "../batcher.ts";
import { type Advanced, advanceRuns, type RunAdvance } from "./sql/advance-runs.ts";

const MAX_RUNS = 50;

/** Writes the steps of runs: those of all runs of this node that come at about the same time in one statement. */
export type RunAdvances = (advance: RunAdvance) => Promise<Advanced>;

export function createRunAdvances(pool: pg.Pool, countRuns: () => number): RunAdvances {
  return createRunBatcher<RunAdvance, Advanced>({
    maxItems: MAX_RUNS,
    countRuns,
    keysOf: ({ steps }) => steps.flatMap((step) => ("agent_id" in step ? [step.agent_id] : [])),
    send: (advances) => advanceRuns(pool, advances),
    // Each run decides by itself how long it waits for the database.
    isInDoubt: isUnavailable,
  });
}
