import { type ReactNode, useState } from "react";
import { ActionDialog } from "./action-dialog.tsx";
import { Field } from "./field.tsx";
import { TextInput } from "./text-input.tsx";

export interface ConfirmByNameProps {
  readonly isOpen: boolean;
  onClose(): void;
  /** "Delete the agent Ada" */
  readonly title: string;
  /** What is deleted, and that this is irreversible. */
  readonly children: ReactNode;
  /** The text that the user must type. */
  readonly name: string;
  readonly action: string;
  readonly isBusy?: boolean;
  onConfirm(): void;
}

/** Confirms an irreversible action. Reversible actions run at once and offer Undo in a toast. */
export function ConfirmByName(props: ConfirmByNameProps) {
  const { isOpen, onClose, title, children, name, action, isBusy = false, onConfirm } = props;
  const [typed, setTyped] = useState("");
  const isSame = typed.trim() === name.trim();
  const close = () => {
    setTyped("");
    onClose();
  };
  return (
    <ActionDialog
      isOpen={isOpen}
      onClose={close}
      title={title}
      action={action}
      isDangerous
      isDisabled={!isSame}
      isBusy={isBusy}
      isForm
      onAction={() => {
        setTyped("");
        onConfirm();
      }}
    >
      <div className="wrap-anywhere text-ink-soft">{children}</div>
      <Field label={`Type “${name}” to confirm`}>
        <TextInput
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          autoComplete="off"
          spellCheck={false}
        />
      </Field>
    </ActionDialog>
  );
}
