import { type ReactNode, useEffect, useRef } from "react";
import { Banner } from "./banner.tsx";
import { Button } from "./button.tsx";
import { LeaveGuard } from "./leave-guard.tsx";

export interface FormFailure {
  readonly message: string;
  /** Field → what is wrong with it. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface FormFrameProps {
  readonly label: string;
  /** "Make the agent", "Save" */
  readonly action: string;
  readonly isBusy: boolean;
  /** Something would be lost by leaving. */
  readonly isDirty: boolean;
  /** Why it was refused. The first field that is named gets the focus. */
  readonly failure: FormFailure | null;
  /** What still holds of what was said about its fields. */
  readonly errors: Readonly<Record<string, string>>;
  onSubmit(): void;
  onCancel(): void;
  readonly cancel?: string;
  /** A form that changes something has nothing to save until it was changed. */
  readonly needsChange?: boolean;
  readonly children: ReactNode;
}

/** A long form: its fields, and a bar below them that stays in sight. */
export function FormFrame(props: FormFrameProps) {
  const { label, action, isBusy, isDirty, failure, errors, onSubmit, onCancel, children } = props;
  const { cancel = "Cancel", needsChange = false } = props;
  const form = useRef<HTMLFormElement>(null);
  const told = failure === null ? null : sayFailure(failure, Object.keys(errors).length);
  useEffect(() => {
    if (failure !== null) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [failure]);
  return (
    <form
      ref={form}
      aria-label={label}
      noValidate
      // What has the focus must not lie below the bar.
      className="grid min-w-0 gap-5 [&_:is(input,select,textarea,button)]:scroll-mb-36 lg:[&_:is(input,select,textarea,button)]:scroll-mb-24"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) onSubmit();
      }}
    >
      <LeaveGuard isOn={isDirty && !isBusy} />
      {children}
      <div className="sticky bottom-14 z-20 -mx-4 grid gap-2 border-t border-line bg-canvas px-4 py-3 sm:-mx-1 sm:px-1 lg:bottom-0">
        {told !== null && <Banner tone="bad">{told}</Banner>}
        <div className="flex items-center justify-end gap-2">
          <span role="status" className="mr-auto text-sm text-ink-faint">
            {needsChange && (isDirty ? "Not saved yet" : "Everything is saved")}
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

/** Where the fields say it all, only that they do; nothing when each was changed since. */
function sayFailure({ message, fields }: FormFailure, count: number): string | null {
  if (Object.keys(fields).length === 0) return message;
  if (count === 0) return null;
  return count === 1 ? "One field needs another look." : `${count} fields need another look.`;
}
