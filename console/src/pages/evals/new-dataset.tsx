import { useInsertRow } from "../../data/changed-rows.ts";
import type { EvalDatasetDraft } from "../../data/eval-datasets.ts";
import { NewRow } from "../../components/row-form.tsx";
import { DATASET_FORM, DatasetFields } from "./dataset-fields.tsx";

const LIST = { label: "Evals", to: "/evals" };

export function NewDataset() {
  const create = useInsertRow<EvalDatasetDraft>("eval_datasets");
  return (
    <NewRow
      noun="dataset"
      list={LIST}
      description="Its cases follow on the next page."
      kind={DATASET_FORM}
      create={create}
      onCreate={create.run}
    >
      {(fields) => <DatasetFields {...fields} />}
    </NewRow>
  );
}
