import type { Row } from "./client.ts";
import { useEvalProgress } from "./eval-runner.ts";
import { afterRow } from "./keyset.ts";
import { type Pages, type ReadResult, usePages, useRows } from "./rows.ts";
import { useInterval } from "./use-interval.ts";

export type EvalRun = Row<"eval_runs"> & {
  /** Null when the agent is deleted. */
  readonly agents: { readonly name: string } | null;
};
export type EvalResult = Row<"eval_results">;

export const RESULT_FILTERS = ["all", "failed", "regressions"] as const;
export type ResultFilter = (typeof RESULT_FILTERS)[number];

const COLUMNS = "*, agents(name)";
/** A run of the command stores its results as they come. A run of this tab reports them itself. */
const POLL_MS = 5_000;

/** The newest first. */
export function useEvalRuns(datasetId: string): Pages<EvalRun> {
  const pages = usePages<EvalRun>({
    table: "eval_runs",
    key: ["of", datasetId],
    read: (client, { last, size, signal }) => {
      let query = client.from("eval_runs").select(COLUMNS).eq("dataset_id", datasetId);
      if (last !== null) query = query.or(afterRow(last));
      return query
        .order("created_at", { ascending: false })
        .order("id", { ascending: false })
        .limit(size)
        .abortSignal(signal);
    },
  });
  // Only the newest one: an eval run whose command was killed stays "running".
  useInterval(POLL_MS, pages.reload, pages.rows?.[0]?.status === "running");
  return pages;
}

export function useEvalRun(id: string): ReadResult<EvalRun> {
  const result = useRows({
    table: "eval_runs",
    key: ["one", id],
    read: (client, signal) => client.from("eval_runs").select(COLUMNS).eq("id", id).abortSignal(signal).single(),
  });
  useInterval(POLL_MS, result.reload, useEvalProgress(id) === null && result.rows?.status === "running");
  return result;
}

/** In the order in which the cases were answered. */
export function useEvalResults({ id, status }: EvalRun, filter: ResultFilter): Pages<EvalResult> {
  const pages = usePages<EvalResult>({
    table: "eval_results",
    // With the status, so that the last results are read when the run has ended.
    key: ["of", id, filter, status],
    read: (client, { last, size, signal }) => {
      let query = client.from("eval_results").select("*").eq("eval_run_id", id);
      if (filter === "failed") query = query.eq("passed", false);
      if (filter === "regressions") query = query.eq("is_regression", true);
      if (last !== null) query = query.gt("id", last.id);
      return query.order("id").limit(size).abortSignal(signal);
    },
  });
  useInterval(POLL_MS, pages.reload, useEvalProgress(id) === null && status === "running");
  return pages;
}
