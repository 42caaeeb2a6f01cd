import { type EvalDataset, useDeleteEvalDataset } from "../../data/eval-datasets.ts";
import { DeleteByName } from "../../components/delete-by-name.tsx";

export interface DeleteDatasetProps {
  readonly dataset: EvalDataset;
  readonly isOpen: boolean;
  onClose(): void;
}

export function DeleteDataset({ dataset, ...dialog }: DeleteDatasetProps) {
  return (
    <DeleteByName {...dialog} row={dataset} noun="dataset" remove={useDeleteEvalDataset()} listPath="/evals">
      The dataset, its cases, its runs and their results are deleted. This cannot be undone.
    </DeleteByName>
  );
}
