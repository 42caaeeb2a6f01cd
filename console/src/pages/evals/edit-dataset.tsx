import { useState } from "react";
import { type EvalDataset, type EvalDatasetDraft, useSaveEvalDataset } from "../../data/eval-datasets.ts";
import { FormFrame } from "../../components/form-frame.tsx";
import { useEditedRow } from "../../components/use-edited-row.ts";
import { useFreshErrors } from "../../components/use-fresh-errors.ts";
import { DatasetFields } from "./dataset-fields.tsx";

export function EditDataset({ dataset }: { readonly dataset: EvalDataset }) {
  const [changed, setChanged] = useState<Partial<EvalDatasetDraft>>({});
  const base = useEditedRow(dataset, Object.keys(changed).length > 0);
  const { name, description } = base;
  const save = useSaveEvalDataset();
  const { errors, touch } = useFreshErrors(save.errors);
  const draft = { name, description, ...changed };
  const isDirty = draft.name !== name || draft.description !== description;
  const finish = (saved: EvalDataset | null) => {
    if (saved !== null) setChanged({});
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
      onSubmit={() => void save.run({ base, change: draft }).then(finish)}
      onResolve={(choice) => void save.resolve(choice).then(finish)}
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
