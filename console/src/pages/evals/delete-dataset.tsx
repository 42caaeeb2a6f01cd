import { useNavigate } from "react-router";
import { type EvalDataset, useDeleteEvalDataset } from "../../data/eval-datasets.ts";
import { ConfirmByName } from "../../components/confirm-by-name.tsx";
import { useToast } from "../../components/toast.tsx";

export interface DeleteDatasetProps {
  readonly dataset: EvalDataset;
  readonly isOpen: boolean;
  onClose(): void;
}

export function DeleteDataset({ dataset: { id, name }, isOpen, onClose }: DeleteDatasetProps) {
  const remove = useDeleteEvalDataset();
  const toast = useToast();
  const navigate = useNavigate();
  const confirm = async () => {
    const isGone = (await remove.run(id)) !== null;
    onClose();
    toast(isGone ? { text: `${name} is deleted.` } : { text: `${name} could not be deleted.`, tone: "bad" });
    if (isGone) await navigate("/evals");
  };
  return (
    <ConfirmByName
      isOpen={isOpen}
      onClose={onClose}
      title={`Delete ${name}`}
      name={name}
      action="Delete the dataset"
      isBusy={remove.isBusy}
      onConfirm={() => void confirm()}
    >
      The dataset, its cases, its runs and their results are deleted. This cannot be undone.
    </ConfirmByName>
  );
}
