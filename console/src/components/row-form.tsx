import { type ReactNode, useMemo, useState } from "react";
import { useNavigate } from "react-router";
import type { FieldsProps } from "./form-fields.tsx";
import { type FormFailure, FormFrame } from "./form-frame.tsx";
import { SAVED } from "./leave-guard.tsx";
import { PageHeader } from "./page-header.tsx";
import { useToast } from "./toast.tsx";
import { useEditedRow } from "./use-edited-row.ts";
import { useFreshErrors } from "./use-fresh-errors.ts";

/** The write whose errors a form shows. */
export interface FormWrite {
  readonly isBusy: boolean;
  readonly errors: Readonly<Record<string, string>>;
  readonly failure: FormFailure | null;
}

export type RenderedForm<Draft> =
  | { readonly draft: Draft }
  /** Column → error message. */
  | { readonly faults: Readonly<Record<string, string>> };

/** How a row becomes the values of a form, and these a row. */
export interface RowForm<Row, Form, Draft> {
  /** Null means a new row. */
  formOf(row: Row | null): Form;
  /** `base` is the row that is changed. */
  render(form: Form, base: Row | null): RenderedForm<Draft>;
  /** Whose errors a change of the field removes; by default those of the field. */
  columnsOf?(field: string): readonly string[];
}

/** The state of a form that makes a row, or changes one. */
export function useRowForm<Row, Form extends object, Draft>(
  kind: RowForm<Row, Form, Draft>,
  row: Row | null,
  write: FormWrite,
) {
  const [changes, setChanges] = useState<Partial<Form>>({});
  // One object for each submission: with a new one, the frame moves the focus.
  const [found, setFound] = useState<FormFailure | null>(null);
  const { errors, touch } = useFreshErrors(found?.fields ?? write.errors);
  const isDirty = Object.keys(changes).length > 0;
  const base = useEditedRow(row, isDirty);
  // Once for a row: the lines of headers get their keys here.
  const stored = useMemo(() => kind.formOf(base), [kind, base]);
  const form: Form = { ...stored, ...changes };
  const fields: FieldsProps<Form> = {
    form,
    errors,
    onChange: (change) => {
      for (const field of Object.keys(change)) for (const column of kind.columnsOf?.(field) ?? [field]) touch(column);
      setChanges((old) => ({ ...old, ...change }));
    },
  };
  return {
    base,
    fields,
    reset: () => {
      setChanges({});
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

interface EditRowProps<Row, Form, Draft> {
  readonly kind: RowForm<Row, Form, Draft>;
  /** "dataset" */
  readonly noun: string;
  readonly row: Row;
  readonly save: FormWrite & {
    run(edit: { readonly base: Row; readonly change: Draft }): Promise<Row | null>;
    resolve(choice: "mine" | "stored"): Promise<Row | null>;
    reset(): void;
  };
  children(fields: FieldsProps<Form>): ReactNode;
}

/** The form that edits a row on its page. */
export function EditRow<Row, Form extends object, Draft>(props: EditRowProps<Row, Form, Draft>) {
  const { kind, noun, row, save, children } = props;
  const { base, fields, reset, render, frame } = useRowForm(kind, row, save);
  const toast = useToast();
  const finish = (saved: Row | null) => {
    if (saved === null) return;
    reset();
    toast({ text: "Saved." });
  };
  const submit = () => {
    const draft = render();
    if (draft !== null) void save.run({ base: base ?? row, change: draft }).then(finish);
  };
  return (
    <FormFrame
      label={`Edit the ${noun}`}
      action="Save"
      cancel="Discard"
      needsChange
      {...frame}
      onSubmit={submit}
      onResolve={(choice) => void save.resolve(choice).then(finish)}
      onCancel={() => {
        save.reset();
        reset();
      }}
    >
      {children(fields)}
    </FormFrame>
  );
}

interface NewRowProps<Row, Form, Draft> {
  readonly kind: RowForm<Row, Form, Draft>;
  readonly noun: string;
  /** The page that lists the rows; that of a row is below it. */
  readonly list: { readonly label: string; readonly to: string };
  readonly description?: string;
  readonly create: FormWrite & { readonly isDone: boolean };
  /** What the user can choose is still being loaded. */
  readonly isLoading?: boolean;
  onCreate(draft: Draft): Promise<{ readonly id: string } | null>;
  children(fields: FieldsProps<Form>): ReactNode;
}

/** The page that makes a row, and then opens its page. */
export function NewRow<Row, Form extends object, Draft>(props: NewRowProps<Row, Form, Draft>) {
  const { kind, noun, list, description, create, isLoading = false, onCreate, children } = props;
  const { fields, render, frame } = useRowForm(kind, null, create);
  const navigate = useNavigate();
  const submit = async () => {
    const draft = render();
    const created = draft === null ? null : await onCreate(draft);
    if (created !== null) await navigate(`${list.to}/${created.id}`, { state: SAVED });
  };
  return (
    <>
      <PageHeader title={`New ${noun}`} description={description} crumbs={[list]} />
      <FormFrame
        label={`New ${noun}`}
        action={`Create ${noun}`}
        {...frame}
        isBusy={frame.isBusy || create.isDone || isLoading}
        onSubmit={() => void submit()}
        onCancel={() => void navigate(list.to)}
      >
        {children(fields)}
      </FormFrame>
    </>
  );
}
