import type { EvalDataset } from "../../data/eval-datasets.ts";
import { type EvalRun, useEvalRuns } from "../../data/eval-runs.ts";
import { Badge } from "../../components/badge.tsx";
import type { Column } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatCount } from "../../components/formats.ts";
import { List } from "../../components/list-page.tsx";
import { StatusBadge } from "../../components/status-dot.tsx";
import { whenColumn } from "../../components/when-column.tsx";
import { nameRun } from "./name-run.ts";

const COLUMNS: readonly Column<EvalRun>[] = [
  {
    title: "Agent",
    width: "3fr",
    narrow: "title",
    render: (run) => <span className="font-medium">{nameRun(run)}</span>,
  },
  { title: "Status", width: "9rem", render: ({ status }) => <StatusBadge status={status} /> },
  {
    title: "Passed",
    isNumber: true,
    render: ({ status, passed_count: passed, case_count: all }) =>
      status === "completed" ? `${formatCount(passed)} of ${formatCount(all)}` : "",
  },
  {
    title: "Failed",
    isNumber: true,
    render: ({ status, passed_count: passed, case_count: all }) =>
      status === "completed" ? formatCount(all - passed) : "",
  },
  {
    title: "Regressions",
    isNumber: true,
    render: ({ status, regression_count: count }) =>
      count > 0 ? <Badge tone="bad">{formatCount(count)}</Badge> : status === "completed" ? "0" : "",
  },
  whenColumn(),
];

export function EvalRunList({ dataset }: { readonly dataset: EvalDataset }) {
  const runs = useEvalRuns(dataset.id);
  return (
    <List
      noun="runs"
      pages={runs}
      empty={
        <EmptyState picture="events" title="Not run yet">
          A run asks a version of an agent all cases of the dataset, and compares the results with an earlier run.
          Choose the agent with the button “Run …”.
        </EmptyState>
      }
      table={{
        columns: COLUMNS,
        onOpen: {
          label: (run) => `Open the run of ${nameRun(run)} at ${run.created_at}`,
          to: ({ id }) => `/evals/${dataset.id}/runs/${id}`,
        },
      }}
    />
  );
}
