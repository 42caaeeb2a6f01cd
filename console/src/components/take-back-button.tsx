import { type ReactNode, useState } from "react";
import { ActionDialog } from "./action-dialog.tsx";
import { Button } from "./button.tsx";
import { useToast } from "./toast.tsx";

interface TakeBackButtonProps {
  /** "Revoke" */
  readonly label: string;
  /** Of what is taken back. */
  readonly name: string;
  readonly icon?: ReactNode;
  /** What ends with it. */
  readonly children: ReactNode;
  readonly done: string;
  readonly failed: string;
  readonly write: { readonly isBusy: boolean; run(): Promise<unknown> };
}

/** Ends access after a confirmation, for the row of a list. */
export function TakeBackButton({ label, name, icon, children, done, failed, write }: TakeBackButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const toast = useToast();
  const run = async () => {
    setAsking(false);
    toast((await write.run()) === null ? { text: failed, tone: "bad" } : { text: done });
  };
  return (
    <>
      <Button
        size="small"
        icon={icon}
        isBusy={write.isBusy}
        aria-label={`${label} ${name}`}
        onClick={() => setAsking(true)}
      >
        {label}
      </Button>
      <ActionDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`${label} ${name}?`}
        action={label}
        isDangerous
        onAction={() => void run()}
      >
        <p className="text-ink-soft">{children}</p>
      </ActionDialog>
    </>
  );
}
