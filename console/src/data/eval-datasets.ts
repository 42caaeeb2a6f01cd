import type { Database } from "@swarmbase/sdk";
import { useMemo } from "react";
import type { Row } from "./client.ts";
import { containsText, newestAfter } from "./keyset.ts";
import { useLivePages } from "./live-pages.ts";
import { useLiveTable } from "./live.ts";
import { useReloadSoon } from "./reload-soon.ts";
import { type Pages, type ReadResult, useRow } from "./rows.ts";

export type EvalDataset = Row<"eval_datasets">;

/** A dataset with what a list says of it. */
export interface ListedDataset extends EvalDataset {
  readonly cases: readonly { readonly count: number }[];
  /** The last completed ones, the newest first. */
  readonly runs: readonly Pick<Row<"eval_runs">, "passed_count" | "case_count">[];
}

export type EvalDatasetDraft = Required<
  Pick<Database["public"]["Tables"]["eval_datasets"]["Insert"], "name" | "description">
>;

const MAX_TREND = 12;
const LISTED = "*, cases:eval_cases(count), runs:eval_runs(passed_count, case_count)";

/** The newest first. */
export function useEvalDatasets(search: string): Pages<ListedDataset> {
  // What a run has passed is part of the rows of another table.
  const onChange = useReloadSoon(useMemo(() => ["eval_datasets", "list", search], [search]));
  useLiveTable("eval_runs", { onChange });
  return useLivePages<ListedDataset>({
    table: "eval_datasets",
    key: ["list", search],
    read: (client, { last, size }) => {
      let query = client
        .from("eval_datasets")
        .select(LISTED)
        .eq("runs.status", "completed")
        .order("created_at", { referencedTable: "runs", ascending: false })
        .limit(MAX_TREND, { referencedTable: "runs" });
      if (search.trim() !== "") query = query.or(containsText(["name", "description"], search.trim()));
      return newestAfter(query, last).limit(size);
    },
  });
}

export function useEvalDataset(id: string): ReadResult<EvalDataset> {
  useLiveTable("eval_datasets", { filter: `id=eq.${id}` });
  return useRow("eval_datasets", id);
}
