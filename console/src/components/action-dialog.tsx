import { type ReactNode, useId } from "react";
import { Button } from "./button.tsx";
import { Dialog, type DialogProps } from "./dialog.tsx";

interface ActionDialogProps extends Omit<DialogProps, "footer"> {
  /** "Revoke key" */
  readonly action: string;
  readonly icon?: ReactNode;
  readonly isDangerous?: boolean;
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  /** The children are fields: Enter in one of them does the same as the button. */
  readonly isForm?: boolean;
  onAction(): void;
}

/** A dialog with one action, and “Cancel”. */
export function ActionDialog(props: ActionDialogProps) {
  const { isOpen, onClose, title, description, size = "small", children } = props;
  const { action, icon, isDangerous = false, isBusy = false, isDisabled = false, isForm = false, onAction } = props;
  const formId = useId();
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      description={description}
      size={size}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant={isDangerous ? "danger" : "primary"}
            icon={icon}
            isBusy={isBusy}
            disabled={isDisabled}
            {...(isForm ? { type: "submit", form: formId } : { onClick: onAction })}
          >
            {action}
          </Button>
        </>
      }
    >
      {isForm ? (
        <form
          id={formId}
          className="grid grid-cols-1 gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (!isBusy && !isDisabled) onAction();
          }}
        >
          {children}
        </form>
      ) : (
        children
      )}
    </Dialog>
  );
}
