import { useState } from "react";
import { useChoices } from "../../../data/choices.ts";
import { useEvalCases } from "../../../data/eval-cases.ts";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { PickerField } from "../../../components/form-fields.tsx";
import { formatCount } from "../../../components/formats.ts";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { Skeleton } from "../../../components/skeleton.tsx";

interface AskCasesProps {
  onAsk(questions: readonly string[]): void;
  onClose(): void;
}

/** More would cost a lot by one click. Evals run whole datasets. */
const MAX_CASES = 20;

/** Chooses the dataset whose cases every column is asked. */
export function AskCases({ onAsk, onClose }: AskCasesProps) {
  const [chosen, setChosen] = useState("");
  const datasets = useChoices("eval_datasets", { ids: [chosen] });
  const datasetId = chosen === "" ? (datasets.rows?.[0]?.id ?? "") : chosen;
  const cases = useEvalCases(datasetId, datasetId !== "");
  const asked = cases.rows?.slice(0, MAX_CASES) ?? [];
  return (
    <ActionDialog
      isOpen
      onClose={onClose}
      title="Ask the cases of a dataset"
      description="Every column is asked one case after the other. Each case is a conversation of its own."
      action={asked.length === 1 ? "Ask 1 case" : `Ask ${formatCount(asked.length)} cases`}
      isDisabled={asked.length === 0}
      onAction={() => {
        onAsk(asked.map(({ input }) => input));
        onClose();
      }}
    >
      {datasets.rows === undefined ? (
        <NotLoaded title="The datasets could not be loaded." read={datasets} skeleton={<Skeleton className="h-14" />} />
      ) : datasets.rows.length === 0 ? (
        <p className="text-ink-soft">There is no dataset yet. “Add as eval case …” below an answer makes the first.</p>
      ) : (
        <PickerField
          label="Dataset"
          hint={`Its first ${MAX_CASES} cases are asked.`}
          value={datasetId}
          choices={datasets.rows.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={setChosen}
          onSearch={datasets.search}
        />
      )}
    </ActionDialog>
  );
}
