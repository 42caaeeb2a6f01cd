import { type ReactNode, useId, useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
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
  const formId = useId();
  const isSame = typed.trim() === name.trim();
  const close = () => {
    setTyped("");
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={title}
      size="small"
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" form={formId} variant="danger" disabled={!isSame} isBusy={isBusy}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="grid grid-cols-1 gap-4 wrap-anywhere"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isSame || isBusy) return;
          setTyped("");
          onConfirm();
        }}
      >
        <div className="text-ink-soft">{children}</div>
        <Field label={`Type “${name}” to confirm`}>
          <TextInput
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
      </form>
    </Dialog>
  );
}
