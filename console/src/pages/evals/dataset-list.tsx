import { useBulk } from "../../data/bulk.ts";
import { BULK_DELETE } from "../../components/bulk-bar.tsx";
import { useSelection } from "../../components/use-selection.ts";
import { NAME_COLUMN, whenColumn } from "../../components/when-column.tsx";
import { type ListedDataset, useEvalDatasets } from "../../data/eval-datasets.ts";
import type { Column } from "../../components/data-table.tsx";
import { formatPercent } from "../../components/formats.ts";
import { ListPage } from "../../components/list-page.tsx";
import { Sparkline } from "../../components/sparkline.tsx";
import { useFilters } from "../../components/use-filters.ts";

const COLUMNS: readonly Column<ListedDataset>[] = [
  NAME_COLUMN,
  { title: "Description", width: "3fr", render: ({ description }) => description ?? "" },
  { title: "Cases", width: "5rem", isNumber: true, render: ({ cases: [counted] }) => counted?.count ?? 0 },
  {
    title: "Passed",
    width: "6rem",
    isNumber: true,
    render: ({ runs: [last] }) => (last === undefined ? "–" : formatPercent(shareOf(last))),
  },
  {
    title: "Trend",
    width: "8rem",
    narrow: "hidden",
    render: ({ runs }) => runs.length > 1 && <Trend shares={runs.map(shareOf).toReversed()} />,
  },
  whenColumn("Created"),
];

function shareOf({ passed_count: passed, case_count: all }: ListedDataset["runs"][number]): number {
  return all === 0 ? 0 : passed / all;
}

function Trend({ shares }: { readonly shares: readonly number[] }) {
  return (
    <span className="block [&_svg]:h-6">
      <Sparkline label={`Passed in the last runs: ${shares.map(formatPercent).join(", ")}`} values={shares} />
    </span>
  );
}

const BULK_TEXT = "Their cases, runs and results are deleted. This cannot be undone.";

export function DatasetList() {
  const filters = useFilters();
  const datasets = useEvalDatasets(filters.debouncedSearch);
  const bulk = useBulk("eval_datasets");
  const selection = useSelection(datasets.rows);
  return (
    <ListPage
      title="Evals"
      description="Datasets of questions with the answers that you expect, and how the versions of your agents answered them."
      named={{ path: "evals" }}
      noun="datasets"
      one="dataset"
      noMatchHint="No name or description matches."
      filters={filters}
      searchLabel="Search by name or description"
      bulk={{ selection, actions: [{ ...BULK_DELETE, explanation: BULK_TEXT, run: bulk.remove }] }}
      pages={datasets}
      empty="A dataset has cases: what an agent is asked, and what its answer has to be. A run shows what a change of an agent breaks."
      table={{ columns: COLUMNS }}
    />
  );
}
