import { ListChecks, Plus } from "lucide-react";
import { type EvalDataset, useEvalDatasets } from "../../data/eval-datasets.ts";
import type { Column } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { useFilters } from "../../components/use-filters.ts";
import { useListCommands } from "../../components/use-list-commands.tsx";
import { whenColumn } from "../../components/when-column.tsx";

const COLUMNS: readonly Column<EvalDataset>[] = [
  { title: "Name", width: "2fr", narrow: "title", render: ({ name }) => <span className="font-medium">{name}</span> },
  { title: "Description", width: "3fr", render: ({ description }) => description ?? "" },
  whenColumn("Created"),
];

export function DatasetList() {
  const filters = useFilters();
  const datasets = useEvalDatasets(filters.debouncedSearch);
  useListCommands({
    path: "evals",
    newLabel: "New dataset",
    group: "Evals",
    icon: <ListChecks />,
    rows: datasets.rows,
  });
  const add = (
    <ButtonLink to="/evals/new" variant="primary" icon={<Plus />}>
      New dataset
    </ButtonLink>
  );
  return (
    <ListPage
      title="Evals"
      description="Datasets of questions with the answers that you expect, and how the versions of your agents answered them."
      actions={add}
      noun="datasets"
      one="dataset"
      noMatchHint="No name or description matches."
      filters={filters}
      searchLabel="Search by name or description"
      pages={datasets}
      empty={
        <EmptyState picture="search" title="No datasets yet" action={add}>
          A dataset has cases: what an agent is asked, and what its answer has to be. A run shows what a change of an
          agent breaks.
        </EmptyState>
      }
      table={{
        label: "Datasets",
        columns: COLUMNS,
        keyOf: ({ id }) => id,
        onOpen: { label: ({ name }) => `Open ${name}`, to: ({ id }) => `/evals/${id}` },
      }}
    />
  );
}
