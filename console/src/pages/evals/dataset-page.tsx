import { Ellipsis, Trash2 } from "lucide-react";
import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { type EvalDataset, useEvalDataset } from "../../data/eval-datasets.ts";
import { DropdownMenu } from "../../components/dropdown-menu.tsx";
import { IconButton } from "../../components/icon-button.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { CaseList } from "./case-list.tsx";
import { DeleteDataset } from "./delete-dataset.tsx";
import { EditDataset } from "./edit-dataset.tsx";
import { EvalRunList } from "./eval-run-list.tsx";
import { NotLoaded } from "./missing.tsx";
import { RunDataset } from "./run-dataset.tsx";

export function DatasetPage({ id }: { readonly id: string }) {
  const { rows: dataset, failure, reload } = useEvalDataset(id);
  if (dataset === undefined) return <NotLoaded noun="dataset" failure={failure} onRetry={reload} />;
  return <Page dataset={dataset} />;
}

function Page({ dataset }: { readonly dataset: EvalDataset }) {
  const { id, name, description } = dataset;
  const navigate = useNavigate();
  const { tab: asked } = useParams();
  const [isDeleting, setDeleting] = useState(false);
  const pathOf = (part: string) => (part === "cases" ? `/evals/${id}` : `/evals/${id}/${part}`);
  const tabs = [
    { value: "cases", label: "Cases", content: <CaseList dataset={dataset} /> },
    { value: "runs", label: "Runs", content: <EvalRunList dataset={dataset} /> },
    { value: "edit", label: "Edit", content: <EditDataset dataset={dataset} /> },
  ];
  return (
    <>
      <PageHeader
        title={name}
        {...(description !== null && { description })}
        crumbs={[{ label: "Evals", to: "/evals" }]}
        actions={
          <>
            <RunDataset dataset={dataset} />
            <DropdownMenu
              trigger={<IconButton label={`More about ${name}`} icon={<Ellipsis />} />}
              groups={[[{ label: "Delete …", icon: <Trash2 />, isDangerous: true, onSelect: () => setDeleting(true) }]]}
            />
          </>
        }
      />
      <Tabs
        label="Parts of the dataset"
        value={tabs.find(({ value }) => value === asked)?.value ?? "cases"}
        tabs={tabs}
        pathOf={pathOf}
        onChange={(next) => void navigate(pathOf(next))}
      />
      <DeleteDataset dataset={dataset} isOpen={isDeleting} onClose={() => setDeleting(false)} />
    </>
  );
}
