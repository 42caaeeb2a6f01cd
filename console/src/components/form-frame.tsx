import { type ReactNode, useEffect, useRef, useState } from "react";
import { Banner } from "./banner.tsx";
import { Button } from "./button.tsx";
import { ConflictDialog, type FormConflict } from "./conflict-dialog.tsx";
import { LeaveGuard } from "./leave-guard.tsx";

export interface FormFailure {
  readonly message: string;
  /** Field → error message. */
  readonly fields: Readonly<Record<string, string>>;
  /** What was saved in the meantime with other values. */
  readonly conflicts?: readonly FormConflict[];
}

interface FormFrameProps {
  readonly label: string;
  /** "Create agent", "Save" */
  readonly action: string;
  readonly isBusy: boolean;
  /** There is unsaved input. */
  readonly isDirty: boolean;
  /** Why the service rejected the form. The first field with an error receives the focus. */
  readonly failure: FormFailure | null;
  /** The errors of fields that have not changed since. */
  readonly errors: Readonly<Record<string, string>>;
  onSubmit(): void;
  onCancel(): void;
  /** Saves after a conflict, with the values that the user chose. */
  onResolve?(choice: "mine" | "stored"): void;
  readonly cancel?: string;
  /** Disables the buttons until something has changed, for forms that edit an existing row. */
  readonly needsChange?: boolean;
  readonly children: ReactNode;
}

/** A long form with a sticky bar for its buttons. */
export function FormFrame(props: FormFrameProps) {
  const { label, action, isBusy, isDirty, failure, errors, onSubmit, onCancel, children } = props;
  const { cancel = "Cancel", needsChange = false } = props;
  const form = useRef<HTMLFormElement>(null);
  const [closed, setClosed] = useState<FormFailure | null>(null);
  const summary = failure === null ? null : describeFailure(failure, Object.keys(errors).length);
  useEffect(() => {
    if (failure !== null) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [failure]);
  return (
    <form
      ref={form}
      aria-label={label}
      noValidate
      // The focused field must not be hidden by the bar.
      className="grid min-w-0 gap-5 [&_:is(input,select,textarea,button)]:scroll-mb-36 lg:[&_:is(input,select,textarea,button)]:scroll-mb-24"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) onSubmit();
      }}
    >
      <LeaveGuard isOn={isDirty && !isBusy} />
      {children}
      {failure?.conflicts !== undefined && failure !== closed && (
        <ConflictDialog
          conflicts={failure.conflicts}
          onResolve={(choice) => props.onResolve?.(choice)}
          onClose={() => setClosed(failure)}
        />
      )}
      <div
        data-form-bar
        className="sticky bottom-14 z-20 -mx-4 grid gap-2 border-t border-line bg-canvas px-4 py-3 sm:-mx-1 sm:px-1 lg:bottom-0"
      >
        {summary !== null && <Banner tone="bad">{summary}</Banner>}
        <div className="flex items-center justify-end gap-2">
          <span role="status" className="mr-auto text-sm text-ink-faint">
            {needsChange && (isDirty ? "Unsaved changes" : "All changes saved")}
          </span>
          <Button onClick={onCancel} disabled={needsChange && !isDirty}>
            {cancel}
          </Button>
          <Button type="submit" variant="primary" isBusy={isBusy} disabled={needsChange && !isDirty}>
            {action}
          </Button>
        </div>
      </div>
    </form>
  );
}

/** Only counts errors that the fields show themselves; null when all of these fields have changed since. */
function describeFailure({ message, fields }: FormFailure, count: number): string | null {
  if (Object.keys(fields).length === 0) return message;
  if (count === 0) return null;
  return count === 1 ? "One field has an error." : `${count} fields have errors.`;
}
