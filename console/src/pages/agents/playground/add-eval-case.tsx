import { FIELD_BOUNDS } from "@swarmbase/sdk";
import { useState } from "react";
import { useNavigate } from "react-router";
import { useInsertRow } from "../../../data/changed-rows.ts";
import { useChoices } from "../../../data/choices.ts";
import type { EvalDatasetDraft } from "../../../data/eval-datasets.ts";
import type { SuggestedCase } from "../../../data/eval-cases.ts";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { Banner } from "../../../components/banner.tsx";
import { Field } from "../../../components/field.tsx";
import { PickerField } from "../../../components/form-fields.tsx";
import { Skeleton } from "../../../components/skeleton.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { typed } from "../../../components/typed.ts";

interface AddEvalCaseProps {
  readonly question: string;
  readonly answer: string;
  readonly isFirst: boolean;
  onClose(): void;
}

const NEW = "";

/** Chooses the dataset of a new case, and opens its form with the question and the answer. */
export function AddEvalCase({ question, answer, isFirst, onClose }: AddEvalCaseProps) {
  const save = useInsertRow<EvalDatasetDraft>("eval_datasets");
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<string | null>(null);
  const { rows: datasets, failure, search } = useChoices("eval_datasets", { ids: [chosen ?? NEW] });
  const [name, setName] = useState("");
  const datasetId = chosen ?? datasets?.[0]?.id ?? NEW;
  const open = async () => {
    const id = datasetId === NEW ? (await save.run({ name, description: null }))?.id : datasetId;
    if (id === undefined) return;
    const suggested: SuggestedCase = { input: question, answer };
    await navigate(`/evals/${id}/cases/new`, { state: { suggested } });
  };
  return (
    <ActionDialog
      isOpen
      onClose={onClose}
      title="Add as eval case"
      description={
        isFirst
          ? "The next page says what answers have to be. It begins with this question and this answer."
          : "The case has this question alone, without what was said before. The next page says what answers have to be."
      }
      action="Continue"
      isBusy={save.isBusy}
      isDisabled={datasets === undefined || (datasetId === NEW && name.trim() === "")}
      onAction={() => void open()}
    >
      <div className="grid grid-cols-1 gap-4">
        {datasets === undefined && failure === null && <Skeleton className="h-14" />}
        {datasets !== undefined && (
          <PickerField
            label="Dataset"
            value={datasetId}
            choices={[
              { value: NEW, label: "A new dataset" },
              ...datasets.map(({ id, name: label }) => ({ value: id, label })),
            ]}
            onChange={setChosen}
            onSearch={search}
          />
        )}
        {datasets !== undefined && datasetId === NEW && (
          <Field label="Name of the dataset" error={save.errors["name"]}>
            <TextInput
              {...typed(name, setName)}
              maxLength={FIELD_BOUNDS["eval_datasets.name"].max}
              autoComplete="off"
            />
          </Field>
        )}
        {failure !== null && <Banner tone="bad">{failure.message}</Banner>}
        {save.failure !== null && save.errors["name"] === undefined && (
          <Banner tone="bad">{save.failure.message}</Banner>
        )}
      </div>
    </ActionDialog>
  );
}
