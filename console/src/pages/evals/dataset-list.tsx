import { ListChecks, Plus } from "lucide-react";
import { type EvalDataset, useEvalDatasets } from "../../data/eval-datasets.ts";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { useFilters } from "../../components/use-filters.ts";
import { useListCommands } from "../../components/use-list-commands.tsx";

const COLUMNS: readonly Column<EvalDataset>[] = [
  { title: "Name", width: "2fr", narrow: "title", render: ({ name }) => <span className="font-medium">{name}</span> },
  { title: "Description", width: "3fr", render: ({ description }) => description ?? "" },
  {
    title: "Created",
    width: "9rem",
    narrow: "trailing",
    isNumber: true,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
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
      selects={null}
      pages={datasets}
      empty={
        <EmptyState picture="search" title="No datasets yet" action={add}>
          A dataset has cases: what an agent is asked, and what its answer has to be. A run shows what a change of an
          agent breaks.
        </EmptyState>
      }
    >
      {(rows, foot) => (
        <DataTable
          label="Datasets"
          columns={COLUMNS}
          rows={rows}
          keyOf={({ id }) => id}
          onOpen={{
            label: ({ name }) => `Open ${name}`,
            to: ({ id }) => `/evals/${id}`,
          }}
          onEndReached={datasets.loadMore}
          foot={foot}
        />
      )}
    </ListPage>
  );
}
