import { useState } from "react";
import type { SaveEdit } from "../../../data/save-edit.ts";
import { FormFrame } from "../../../components/form-frame.tsx";
import { useToast } from "../../../components/toast.tsx";
import { type TargetedForm, useTargetedForm } from "./targeted-form.ts";

interface EditTargetedProps<Row, Form, Draft> {
  readonly kind: TargetedForm<Row, Form, Draft>;
  readonly row: Row;
  readonly save: SaveEdit<Row, Draft>;
}

export function EditTargeted<Row extends { readonly agent_id: string | null }, Form extends object, Draft>({
  kind,
  row,
  save,
}: EditTargetedProps<Row, Form, Draft>) {
  // The form is filled from this row.
  const [base, setBase] = useState(row);
  const { form, change, reset, render, frame } = useTargetedForm(kind, base, save);
  const toast = useToast();
  const fill = (next: Row) => {
    setBase(next);
    reset(next);
  };
  const finish = (saved: Row | null) => {
    if (saved === null) return;
    fill(saved);
    toast({ text: "Saved." });
  };
  const submit = () => {
    const draft = render();
    if (draft !== null) void save.run({ base, change: draft }).then(finish);
  };
  return (
    <FormFrame
      label={`Edit the ${kind.noun}`}
      action="Save"
      cancel="Discard"
      needsChange
      {...frame}
      onSubmit={submit}
      onResolve={(choice) => void save.resolve(choice).then(finish)}
      onCancel={() => {
        save.reset();
        fill(row);
      }}
    >
      <kind.Fields form={form} errors={frame.errors} isOfAgent={row.agent_id !== null} onChange={change} />
    </FormFrame>
  );
}
