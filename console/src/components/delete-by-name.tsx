import type { ReactNode } from "react";
import { useNavigate } from "react-router";
import { ConfirmByName } from "./confirm-by-name.tsx";
import { SAVED } from "./leave-guard.tsx";
import { useToast } from "./toast.tsx";

export interface DeleteByNameProps {
  readonly row: { readonly id: string; readonly name: string };
  /** What the row is, as in “Delete the agent”. */
  readonly noun: string;
  /** `run` resolves to null when the row could not be deleted. */
  readonly remove: { readonly isBusy: boolean; run(id: string): Promise<unknown> };
  /** The page to show when the row is deleted. */
  readonly listPath: string;
  readonly isOpen: boolean;
  onClose(): void;
  /** What is deleted with the row, and what stays. */
  readonly children: ReactNode;
}

/** Deletes a row after its name has been typed, and shows the list that it was in. */
export function DeleteByName(props: DeleteByNameProps) {
  const { row, noun, remove, listPath, isOpen, onClose, children } = props;
  const { id, name } = row;
  const toast = useToast();
  const navigate = useNavigate();
  const confirm = async () => {
    const isGone = (await remove.run(id)) !== null;
    onClose();
    toast(isGone ? { text: `${name} is deleted.` } : { text: `${name} could not be deleted.`, tone: "bad" });
    // Nobody saves changes of a deleted row.
    if (isGone) await navigate(listPath, { state: SAVED });
  };
  return (
    <ConfirmByName
      isOpen={isOpen}
      onClose={onClose}
      title={`Delete ${name}`}
      name={name}
      action={`Delete the ${noun}`}
      isBusy={remove.isBusy}
      onConfirm={() => void confirm()}
    >
      {children}
    </ConfirmByName>
  );
}
