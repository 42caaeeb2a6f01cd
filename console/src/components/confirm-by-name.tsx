import { type ReactNode, useState } from "react";
import { ActionDialog } from "./action-dialog.tsx";
import { Field } from "./field.tsx";
import { TextInput } from "./text-input.tsx";
import { typed } from "./typed.ts";

interface ConfirmByNameProps {
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
  const [text, setText] = useState("");
  const isSame = text.trim() === name.trim();
  const close = () => {
    setText("");
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
        setText("");
        onConfirm();
      }}
    >
      <div className="wrap-anywhere text-ink-soft">{children}</div>
      <Field label={`Type “${name}” to confirm`}>
        <TextInput {...typed(text, setText)} autoComplete="off" spellCheck={false} />
      </Field>
    </ActionDialog>
  );
}
