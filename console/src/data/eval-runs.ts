import type { Row } from "./client.ts";
import { newestAfter } from "./keyset.ts";
import { useLivePages } from "./live-pages.ts";
import { useLiveTable } from "./live.ts";
import { type Pages, type ReadResult, usePages, useRow } from "./rows.ts";

export type EvalRun = Row<"eval_runs"> & {
  /** Null when the agent is deleted. */
  readonly agents: { readonly name: string } | null;
};
export type EvalResult = Row<"eval_results">;

export const RESULT_FILTERS = ["all", "failed", "regressions"] as const;
type ResultFilter = (typeof RESULT_FILTERS)[number];

const COLUMNS = "*, agents(name)";

/** The newest first. */
export function useEvalRuns(datasetId: string): Pages<EvalRun> {
  return useLivePages<EvalRun>({
    table: "eval_runs",
    key: ["of", datasetId],
    filter: `dataset_id=eq.${datasetId}`,
    read: (client, { last, size }) => {
      const query = client.from("eval_runs").select(COLUMNS).eq("dataset_id", datasetId);
      return newestAfter(query, last).limit(size);
    },
  });
}

export function useEvalRun(id: string): ReadResult<EvalRun> {
  useLiveTable("eval_runs", { filter: `id=eq.${id}` });
  return useRow("eval_runs", id, { columns: COLUMNS });
}

/** In the order in which the cases were answered. */
export function useEvalResults({ id, status }: EvalRun, filter: ResultFilter): Pages<EvalResult> {
  useLiveTable("eval_results", { filter: `eval_run_id=eq.${id}`, isOn: status === "running" });
  return usePages<EvalResult>({
    table: "eval_results",
    // With the status, so that the last results are read when the run has ended.
    key: ["of", id, filter, status],
    read: (client, { last, size }) => {
      let query = client.from("eval_results").select("*").eq("eval_run_id", id);
      if (filter === "failed") query = query.eq("passed", false);
      if (filter === "regressions") query = query.eq("is_regression", true);
      if (last !== null) query = query.gt("id", last.id);
      return query.order("id").limit(size);
    },
  });
}
