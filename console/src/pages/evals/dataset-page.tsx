import { type EvalDataset, useDeleteEvalDataset, useEvalDataset } from "../../data/eval-datasets.ts";
import { DeleteMenu } from "../../components/delete-menu.tsx";
import { PageNotLoaded } from "../../components/no-such-row.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { PathTabs } from "../../components/path-tabs.tsx";
import { CaseList } from "./case-list.tsx";
import { EditDataset } from "./edit-dataset.tsx";
import { EvalRunList } from "./eval-run-list.tsx";
import { RunDataset } from "./run-dataset.tsx";

export function DatasetPage({ id }: { readonly id: string }) {
  const read = useEvalDataset(id);
  if (read.rows === undefined) return <PageNotLoaded noun="dataset" read={read} />;
  return <Page dataset={read.rows} />;
}

function Page({ dataset }: { readonly dataset: EvalDataset }) {
  const { id, name, description } = dataset;
  return (
    <>
      <PageHeader
        title={name}
        {...(description !== null && { description })}
        crumbs={[{ label: "Evals", to: "/evals" }]}
        actions={
          <>
            <RunDataset dataset={dataset} />
            <DeleteMenu row={dataset} noun="dataset" remove={useDeleteEvalDataset()} listPath="/evals">
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
          { value: "edit", label: "Edit", content: <EditDataset dataset={dataset} /> },
        ]}
      />
    </>
  );
}
