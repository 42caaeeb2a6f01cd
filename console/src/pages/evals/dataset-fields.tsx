import { FIELD_BOUNDS } from "@swarmbase/sdk";
import type { EvalDataset, EvalDatasetDraft } from "../../data/eval-datasets.ts";
import { Card } from "../../components/card.tsx";
import { bindForm, type FieldsProps, TextAreaField, TextField } from "../../components/form-fields.tsx";
import type { RowForm } from "../../components/row-form.tsx";

export const DATASET_FORM: RowForm<EvalDataset, EvalDatasetDraft, EvalDatasetDraft> = {
  formOf: (row) => ({ name: row?.name ?? "", description: row?.description ?? null }),
  render: ({ name, description }) => ({ draft: { name, description: description || null } }),
};

export function DatasetFields(props: FieldsProps<EvalDatasetDraft>) {
  const bind = bindForm(props);
  return (
    <Card className="grid gap-4">
      <TextField
        label="Name"
        hint="The command finds the dataset by its name."
        maxLength={FIELD_BOUNDS["eval_datasets.name"].max}
        autoComplete="off"
        {...bind("name")}
      />
      <TextAreaField
        label="Description"
        isOptional
        maxLength={FIELD_BOUNDS["eval_datasets.description"].max}
        {...bind("description")}
      />
    </Card>
  );
}
