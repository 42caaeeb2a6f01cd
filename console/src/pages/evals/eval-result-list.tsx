import { type EvalResult, type EvalRun, RESULT_FILTERS, useEvalResults } from "../../data/eval-runs.ts";
import { Badge } from "../../components/badge.tsx";
import type { Column } from "../../components/data-table.tsx";
import { formatDuration } from "../../components/formats.ts";
import { List } from "../../components/list-page.tsx";
import { useAddress } from "../../components/use-address.ts";
import { useFilters } from "../../components/use-filters.ts";
import { EvalResultDrawer } from "./eval-result-drawer.tsx";
import { OutcomeBadge } from "./outcome-badge.tsx";

const FILTERS = [
  {
    name: "show",
    label: "Outcome",
    choices: [
      { value: "failed", label: "Failed" },
      { value: "regressions", label: "Regressions" },
    ],
  },
];
const OPENED = "result";
const COLUMNS: readonly Column<EvalResult>[] = [
  {
    title: "Outcome",
    width: "8rem",
    narrow: "trailing",
    text: ({ passed }) => (passed ? "passed" : "failed"),
    render: (result) => <OutcomeBadge result={result} />,
  },
  {
    title: "Case",
    text: ({ case_name: name }) => name,
    width: "2fr",
    narrow: "title",
    render: ({ case_name: name }) => <span className="font-medium">{name}</span>,
  },
  { title: "Reason", width: "4fr", render: ({ reason }) => reason ?? "" },
  {
    title: "Score",
    text: ({ score }) => score,
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
      <List
        noun="results"
        pages={results}
        filters={filters}
        choices={FILTERS}
        one="result"
        noMatchHint={filter === "failed" ? "No case failed." : "No case failed that passed before."}
        empty="The results appear here as the agent answers."
        picture="events"
        table={{
          label: "Results",
          columns: COLUMNS,
          onOpen: { label: ({ case_name: name }) => `Open the result of ${name}`, open: ({ id }) => open(id) },
        }}
      />
      {opened !== null && <EvalResultDrawer result={opened} onClose={() => open(null)} />}
    </>
  );
}
