import { FIELD_BOUNDS } from "@swarmbase/sdk";
import type { EvalDatasetDraft } from "../../data/eval-datasets.ts";
import { Card } from "../../components/card.tsx";
import { Field } from "../../components/field.tsx";
import { TextArea } from "../../components/text-area.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { typed } from "../../components/typed.ts";

export interface DatasetFieldsProps {
  readonly draft: EvalDatasetDraft;
  readonly errors: Readonly<Record<string, string>>;
  onChange(change: Partial<EvalDatasetDraft>): void;
}

export function DatasetFields({ draft, errors, onChange }: DatasetFieldsProps) {
  return (
    <Card className="grid gap-4">
      <Field label="Name" hint="The command finds the dataset by its name." error={errors["name"]}>
        <TextInput
          {...typed(draft.name, (name) => onChange({ name }))}
          maxLength={FIELD_BOUNDS["eval_datasets.name"].max}
          autoComplete="off"
        />
      </Field>
      <Field label="Description" isOptional error={errors["description"]}>
        <TextArea
          value={draft.description ?? ""}
          maxLength={FIELD_BOUNDS["eval_datasets.description"].max}
          onChange={({ target }) => onChange({ description: target.value === "" ? null : target.value })}
        />
      </Field>
    </Card>
  );
}
