import {
  type EvalResult,
  type EvalRun,
  RESULT_FILTERS,
  type ResultFilter,
  useEvalResults,
} from "../../data/eval-runs.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatDuration } from "../../components/formats.ts";
import { List } from "../../components/list-page.tsx";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { Toolbar } from "../../components/toolbar.tsx";
import { useAddress } from "../../components/use-address.ts";
import { useFilters } from "../../components/use-filters.ts";
import { EvalResultDrawer } from "./eval-result-drawer.tsx";
import { OutcomeBadge } from "./outcome-badge.tsx";

const FILTER_LABELS: Readonly<Record<ResultFilter, string>> = {
  all: "All",
  failed: "Failed",
  regressions: "Regressions",
};
const OPENED = "result";
const COLUMNS: readonly Column<EvalResult>[] = [
  { title: "Outcome", width: "8rem", narrow: "trailing", render: (result) => <OutcomeBadge result={result} /> },
  {
    title: "Case",
    width: "2fr",
    narrow: "title",
    render: ({ case_name: name }) => <span className="font-medium">{name}</span>,
  },
  { title: "Reason", width: "4fr", render: ({ reason }) => reason ?? "" },
  {
    title: "Score",
    width: "5rem",
    isNumber: true,
    render: ({ score }) => (score === null ? "" : <Badge>{String(score)}</Badge>),
  },
  {
    title: "Duration",
    width: "6rem",
    isNumber: true,
    render: ({ latency_ms: ms }) => (ms === null ? "" : formatDuration(ms)),
  },
];

export function EvalResultList({ run }: { readonly run: EvalRun }) {
  const filters = useFilters();
  const { address, change } = useAddress();
  const filter = filters.choice("show", RESULT_FILTERS) ?? "all";
  const results = useEvalResults(run, filter);
  const opened = results.rows?.find(({ id }) => id === address.get(OPENED)) ?? null;
  const open = (id: string | null) => change({ [OPENED]: id ?? "" });
  return (
    <>
      <Toolbar label="Filter the results">
        <SegmentedControl<ResultFilter>
          label="Results"
          value={filter}
          choices={RESULT_FILTERS.map((value) => ({ value, label: FILTER_LABELS[value] }))}
          onChange={(value) => filters.set("show", value === "all" ? "" : value)}
        />
      </Toolbar>
      <List
        noun="results"
        pages={results}
        isFiltered={filter !== "all"}
        noMatch={
          <EmptyState
            picture="search"
            title="No such result"
            action={<Button onClick={() => filters.set("show", "")}>Show all results</Button>}
          >
            {filter === "failed" ? "No case failed." : "No case failed that passed before."}
          </EmptyState>
        }
        empty={
          <EmptyState picture="events" title="No results yet">
            The results appear here as the agent answers.
          </EmptyState>
        }
        table={{
          label: "Results",
          columns: COLUMNS,
          keyOf: ({ id }) => id,
          onOpen: { label: ({ case_name: name }) => `Open the result of ${name}`, open: ({ id }) => open(id) },
        }}
      />
      {opened !== null && <EvalResultDrawer result={opened} onClose={() => open(null)} />}
    </>
  );
}
