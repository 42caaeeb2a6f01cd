import type pg from "pg";
import { createRunBatcher } from "../batcher.ts";
import { type Ended, endRuns, type PlainEnd } from "./sql/end-runs.ts";

const MOST_AT_ONCE = 50;

/** Ends runs, those of the same moment together. Null: nothing was written, the run has to be ended alone. */
export type RunEnds = (end: PlainEnd) => Promise<Ended | null>;

export function createRunEnds(pool: pg.Pool, countRuns: () => number): RunEnds {
  return createRunBatcher<PlainEnd, Ended>({
    maxItems: MOST_AT_ONCE,
    countRuns,
    keysOf: ({ agent_id: agentId }) => [agentId],
    work: async (ends) => {
      const byRun = new Map((await endRuns(pool, ends)).map((ended) => [ended.run_id, ended]));
      return ends.map(({ run_id: runId }) => byRun.get(runId) ?? null);
    },
  });
}
