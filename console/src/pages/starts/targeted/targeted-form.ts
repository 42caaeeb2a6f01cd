import { type ComponentType, useState } from "react";
import type { Write } from "../../../data/write.ts";
import type { FormFailure } from "../../../components/form-frame.tsx";
import { useFreshErrors } from "../../../components/use-fresh-errors.ts";

export interface TargetedFieldsProps<Form> {
  readonly form: Form;
  /** Column → error message. */
  readonly errors: Readonly<Record<string, string>>;
  /** The row is for an agent, and not for a swarm, which has its own conversation. */
  readonly isOfAgent: boolean;
  onChange(changed: Partial<Form>): void;
}

export type RenderedForm<Draft> =
  | { readonly draft: Draft }
  /** Column → error message. */
  | { readonly faults: Readonly<Record<string, string>> };

/** The form of rows that start an agent or a swarm, such as schedules. */
export interface TargetedForm<Row, Form, Draft> {
  readonly noun: string;
  readonly listPath: string;
  readonly Fields: ComponentType<TargetedFieldsProps<Form>>;
  /** Null: a new row. */
  formOf(row: Row | null): Form;
  /** `base` is the row that is changed. */
  render(form: Form, base: Row | null): RenderedForm<Draft>;
  /** Without it, fields are named as their columns. */
  columnOf?(field: string): string;
}

/** The state of a form that makes a row, or changes `base`. */
export function useTargetedForm<Row, Form extends object, Draft>(
  kind: TargetedForm<Row, Form, Draft>,
  base: Row | null,
  write: Pick<Write<never, unknown>, "errors" | "isBusy"> & { readonly failure: FormFailure | null },
) {
  const [form, setForm] = useState(() => kind.formOf(base));
  const [isDirty, setDirty] = useState(false);
  // One object for each submission: with a new one, the frame moves the focus.
  const [found, setFound] = useState<FormFailure | null>(null);
  const { errors, touch } = useFreshErrors(found?.fields ?? write.errors);
  return {
    form,
    change: (changed: Partial<Form>): void => {
      for (const field of Object.keys(changed)) touch(kind.columnOf?.(field) ?? field);
      setForm({ ...form, ...changed });
      setDirty(true);
    },
    reset: (row: Row): void => {
      setForm(kind.formOf(row));
      setDirty(false);
      setFound(null);
    },
    /** Null when a field has an error. */
    render: (): Draft | null => {
      const rendered = kind.render(form, base);
      setFound("faults" in rendered ? { message: "", fields: rendered.faults } : null);
      return "faults" in rendered ? null : rendered.draft;
    },
    frame: { isDirty, errors, isBusy: write.isBusy, failure: found ?? write.failure },
  };
}
