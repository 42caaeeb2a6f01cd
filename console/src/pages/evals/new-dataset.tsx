import { useState } from "react";
import { useNavigate } from "react-router";
import { type EvalDatasetDraft, useCreateEvalDataset } from "../../data/eval-datasets.ts";
import { FormFrame } from "../../components/form-frame.tsx";
import { SAVED } from "../../components/leave-guard.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { useFreshErrors } from "../../components/use-fresh-errors.ts";
import { DatasetFields } from "./dataset-fields.tsx";

const EMPTY: EvalDatasetDraft = { name: "", description: null };

export function NewDataset() {
  const [draft, setDraft] = useState(EMPTY);
  const save = useCreateEvalDataset();
  const { errors, touch } = useFreshErrors(save.errors);
  const navigate = useNavigate();
  const submit = async () => {
    const dataset = await save.run(draft);
    if (dataset !== null) await navigate(`/evals/${dataset.id}`, { state: SAVED });
  };
  return (
    <>
      <PageHeader
        title="New dataset"
        description="Its cases follow on the next page."
        crumbs={[{ label: "Evals", to: "/evals" }]}
      />
      <FormFrame
        label="New dataset"
        action="Create dataset"
        isBusy={save.isBusy || save.isDone}
        isDirty={draft !== EMPTY}
        failure={save.failure}
        errors={errors}
        onSubmit={() => void submit()}
        onCancel={() => void navigate("/evals")}
      >
        <DatasetFields
          draft={draft}
          errors={errors}
          onChange={(change) => {
            for (const field of Object.keys(change)) touch(field);
            setDraft({ ...draft, ...change });
          }}
        />
      </FormFrame>
    </>
  );
}
