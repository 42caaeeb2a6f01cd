import { useState } from "react";
import { type EvalDataset, type EvalDatasetDraft, useSaveEvalDataset } from "../../data/eval-datasets.ts";
import { FormFrame } from "../../components/form-frame.tsx";
import { useFreshErrors } from "../../components/use-fresh-errors.ts";
import { DatasetFields } from "./dataset-fields.tsx";

export function EditDataset({ dataset }: { readonly dataset: EvalDataset }) {
  const { name, description } = dataset;
  const [changed, setChanged] = useState<Partial<EvalDatasetDraft>>({});
  const save = useSaveEvalDataset();
  const { errors, touch } = useFreshErrors(save.errors);
  const draft = { name, description, ...changed };
  const isDirty = draft.name !== name || draft.description !== description;
  const submit = async () => {
    if ((await save.run({ id: dataset.id, draft })) !== null) setChanged({});
  };
  return (
    <FormFrame
      label="Edit the dataset"
      action="Save"
      cancel="Discard"
      needsChange
      isBusy={save.isBusy}
      isDirty={isDirty}
      failure={save.failure}
      errors={errors}
      onSubmit={() => void submit()}
      onCancel={() => {
        save.reset();
        setChanged({});
      }}
    >
      <DatasetFields
        draft={draft}
        errors={errors}
        onChange={(change) => {
          for (const field of Object.keys(change)) touch(field);
          setChanged({ ...changed, ...change });
        }}
      />
    </FormFrame>
  );
}
