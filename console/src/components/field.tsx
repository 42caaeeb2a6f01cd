import { CircleAlert } from "lucide-react";
import { createContext, type ReactNode, useContext, useId } from "react";

export interface FieldProps {
  readonly label: string;
  /** What belongs in it, in a short sentence. */
  readonly hint?: ReactNode;
  /** What is wrong with it; announced, and shown in place of nothing. */
  readonly error?: string | undefined;
  readonly isOptional?: boolean;
  /** At the end of the label's line: a counter, a reset button. */
  readonly aside?: ReactNode;
  /** One control of the parts: it takes its id and its descriptions from here. */
  readonly children: ReactNode;
}

export interface FieldLinks {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

const FieldContext = createContext<FieldLinks | null>(null);

/** What a control inside a Field must carry; nothing outside of one. */
export function useFieldLinks(): Partial<FieldLinks> {
  return useContext(FieldContext) ?? {};
}

export function Field({ label, hint, error, isOptional = false, aside, children }: FieldProps) {
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
          {isOptional && <span className="ml-1.5 font-normal text-ink-faint">optional</span>}
        </label>
        {aside !== undefined && <div className="text-xs text-ink-faint">{aside}</div>}
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
