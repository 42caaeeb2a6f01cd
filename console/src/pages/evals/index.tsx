import { Route, Routes, useParams } from "react-router";
import { BULK_DELETE } from "../../components/bulk-bar.tsx";
import type { Column } from "../../components/data-table.tsx";
import { DeleteMenu } from "../../components/delete-menu.tsx";
import { formatPercent } from "../../components/formats.ts";
import { ListPage } from "../../components/list-page.tsx";
import { NoSuchRow } from "../../components/no-such-row.tsx";
import { LoadedRow } from "../../components/one-row.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { PathTabs } from "../../components/path-tabs.tsx";
import { EditRow, NewRow } from "../../components/row-form.tsx";
import { Sparkline } from "../../components/sparkline.tsx";
import { useFilters } from "../../components/use-filters.ts";
import { useSelection } from "../../components/use-selection.ts";
import { NAME_COLUMN, whenColumn } from "../../components/when-column.tsx";
import { useBulk } from "../../data/bulk.ts";
import { useDeleteRow, useInsertRow } from "../../data/changed-rows.ts";
import {
  type EvalDataset,
  type EvalDatasetDraft,
  type ListedDataset,
  useEvalDataset,
  useEvalDatasets,
} from "../../data/eval-datasets.ts";
import { useSaveEdit } from "../../data/save-edit.ts";
import { CaseList } from "./case-list.tsx";
import { CasePage } from "./case-page.tsx";
import { DATASET_FORM, DatasetFields } from "./dataset-fields.tsx";
import { EvalRunList } from "./eval-run-list.tsx";
import { EvalRunPage } from "./eval-run-page.tsx";
import { RunDataset } from "./run-dataset.tsx";

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

const BULK_TEXT = "Their cases, runs and results are deleted. This cannot be undone.";

const LIST = { label: "Evals", to: "/evals" };

export function EvalsPage() {
  return (
    <Routes>
      <Route index element={<DatasetList />} />
      <Route path="new" element={<NewDataset />} />
      <Route path=":id/:tab?" element={<LoadedRow noun="dataset" useRead={useEvalDataset} page={DatasetPage} />} />
      <Route path=":id/cases/:caseId" element={<OneCase />} />
      <Route path=":id/runs/:runId" element={<OneRun />} />
      <Route path="*" element={<NoSuchRow noun="dataset" />} />
    </Routes>
  );
}

/** The keys reset the state of a page when another row is opened. */
function OneCase() {
  const { id = "", caseId = "" } = useParams();
  return <CasePage key={caseId} datasetId={id} caseId={caseId === "new" ? null : caseId} />;
}

function OneRun() {
  const { id = "", runId = "" } = useParams();
  return <EvalRunPage key={runId} datasetId={id} runId={runId} />;
}

function DatasetPage({ row: dataset }: { readonly row: EvalDataset }) {
  const { id, name, description } = dataset;
  const edit = (
    <EditRow
      kind={DATASET_FORM}
      noun="dataset"
      row={dataset}
      save={useSaveEdit<EvalDataset, EvalDatasetDraft>("eval_datasets")}
    >
      {(fields) => <DatasetFields {...fields} />}
    </EditRow>
  );
  return (
    <>
      <PageHeader
        title={name}
        {...(description !== null && { description })}
        crumbs={[{ label: "Evals", to: "/evals" }]}
        actions={
          <>
            <RunDataset dataset={dataset} />
            <DeleteMenu row={dataset} noun="dataset" remove={useDeleteRow("eval_datasets")} listPath="/evals">
              The dataset, its cases, its runs and their results are deleted. This cannot be undone.
            </DeleteMenu>
          </>
        }
      />
      <PathTabs
        label="Parts of the dataset"
        path={`/evals/${id}`}
        tabs={[
          { value: "cases", label: "Cases", content: <CaseList dataset={dataset} /> },
          { value: "runs", label: "Runs", content: <EvalRunList dataset={dataset} /> },
          { value: "edit", label: "Edit", content: edit },
        ]}
      />
    </>
  );
}

function NewDataset() {
  const create = useInsertRow<EvalDatasetDraft>("eval_datasets");
  return (
    <NewRow
      noun="dataset"
      list={LIST}
      description="Its cases follow on the next page."
      kind={DATASET_FORM}
      create={create}
      onCreate={create.run}
    >
      {(fields) => <DatasetFields {...fields} />}
    </NewRow>
  );
}

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

function DatasetList() {
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
