import { useDeleteRow } from "../../data/changed-rows.ts";
import type { EvalDataset, EvalDatasetDraft } from "../../data/eval-datasets.ts";
import { useSaveEdit } from "../../data/save-edit.ts";
import { DeleteMenu } from "../../components/delete-menu.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { PathTabs } from "../../components/path-tabs.tsx";
import { EditRow } from "../../components/row-form.tsx";
import { CaseList } from "./case-list.tsx";
import { DATASET_FORM, DatasetFields } from "./dataset-fields.tsx";
import { EvalRunList } from "./eval-run-list.tsx";
import { RunDataset } from "./run-dataset.tsx";

export function DatasetPage({ row: dataset }: { readonly row: EvalDataset }) {
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
