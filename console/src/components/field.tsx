import { CircleAlert } from "lucide-react";
import { createContext, type ReactNode, useContext, useId } from "react";

export interface FieldProps {
  readonly label: string;
  /** A short sentence about the expected input. */
  readonly hint?: ReactNode;
  /** The validation error; screen readers announce it. */
  readonly error?: string | undefined;
  readonly isOptional?: boolean;
  /** At the end of the label's line: a counter, a reset button. */
  readonly trailing?: ReactNode;
  /** One control, which takes its id and descriptions from the field. */
  readonly children: ReactNode;
}

interface FieldLinks {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

const FieldContext = createContext<FieldLinks | null>(null);

/** The attributes of a control inside a Field; empty outside of one. */
export function useFieldLinks(): Partial<FieldLinks> {
  return useContext(FieldContext) ?? {};
}

export function Field({ label, hint, error, isOptional = false, trailing, children }: FieldProps) {
  const id = useId();
  const hasError = error !== undefined && error !== "";
  const describedBy = [...(hint === undefined ? [] : [`${id}-hint`]), ...(hasError ? [`${id}-error`] : [])].join(" ");
  const links: FieldLinks = {
    id,
    "aria-describedby": describedBy === "" ? undefined : describedBy,
    "aria-invalid": hasError || undefined,
  };
  return (
    <div className="grid min-w-0 grid-cols-1 content-start gap-1.5">
      <div className="flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="min-w-0 text-sm font-medium wrap-anywhere text-ink">
          {label}
          {isOptional && <span className="font-normal text-ink-faint"> (optional)</span>}
        </label>
        {trailing !== undefined && <div className="text-xs text-ink-faint">{trailing}</div>}
      </div>
      <FieldContext value={links}>{children}</FieldContext>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-ink-faint">
          {hint}
        </p>
      )}
      {hasError && (
        <p id={`${id}-error`} role="alert" className="flex items-start gap-1.5 text-sm text-bad">
          <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          {error}
        </p>
      )}
    </div>
  );
}
