import { Field } from "./field.tsx";
import { TextArea } from "./text-area.tsx";
import { typed } from "./typed.ts";

interface FilterFieldProps {
  readonly text: string;
  onChange(text: string): void;
  readonly hint: string;
  readonly placeholder: string;
  /** Field → error message; those of the filter are shown. */
  readonly errors: Readonly<Record<string, string>>;
}

/** A filter of events as JSON text. */
export function FilterField({ text, onChange, hint, placeholder, errors }: FilterFieldProps) {
  const faults = listFilterFaults(errors);
  return (
    <Field label="Filter" hint={hint} error={faults.length > 0 ? faults.join("; ") : undefined}>
      <TextArea isCode rows={6} spellCheck={false} placeholder={placeholder} {...typed(text, onChange)} />
    </Field>
  );
}

/** The path precedes the message of a condition. */
export function listFilterFaults(errors: FilterFieldProps["errors"]): string[] {
  return Object.entries(errors)
    .filter(([field]) => /^filter(\.|$)/.test(field))
    .map(([field, message]) => (field === "filter" ? message : `${field.slice("filter.".length)} ${message}`));
}
