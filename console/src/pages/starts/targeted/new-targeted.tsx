import { useState } from "react";
import { useNavigate } from "react-router";
import { type RunTarget, toRunTarget, useRunTargets } from "../../../data/run-targets.ts";
import type { Write } from "../../../data/write.ts";
import { Card } from "../../../components/card.tsx";
import { Field } from "../../../components/field.tsx";
import { FormFrame } from "../../../components/form-frame.tsx";
import { SAVED } from "../../../components/leave-guard.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { Picker } from "../../../components/picker.tsx";
import { type TargetedForm, useTargetedForm } from "./targeted-form.ts";

interface NewTargetedProps<Row, Form, Draft> {
  readonly kind: TargetedForm<Row, Form, Draft>;
  /** Of the page with the list. */
  readonly listTitle: string;
  readonly create: Write<Draft & { readonly target: RunTarget }, { readonly id: string }>;
}

/** The page that makes a row, for an agent or a swarm that the user chooses. */
export function NewTargeted<Row, Form extends object, Draft>({
  kind,
  listTitle,
  create,
}: NewTargetedProps<Row, Form, Draft>) {
  const { noun, listPath, Fields } = kind;
  const [value, setValue] = useState("");
  const { targets, search } = useRunTargets(value);
  const { form, change, render, frame } = useTargetedForm(kind, null, create);
  const navigate = useNavigate();
  const chosen = targets?.find(({ id }) => id === value) ?? targets?.[0];
  const submit = async () => {
    const draft = render();
    if (draft === null || chosen === undefined) return;
    const created = await create.run({ ...draft, target: toRunTarget(chosen) });
    if (created !== null) await navigate(`${listPath}/${created.id}`, { state: SAVED });
  };
  return (
    <>
      <PageHeader title={`New ${noun}`} crumbs={[{ label: listTitle, to: listPath }]} />
      <FormFrame
        label={`New ${noun}`}
        action={`Create ${noun}`}
        {...frame}
        isBusy={frame.isBusy || create.isDone || targets === undefined}
        onSubmit={() => void submit()}
        onCancel={() => void navigate(listPath)}
      >
        <Card>
          <Field
            label="Agent or swarm"
            hint={`An agent answers in a conversation of the ${noun}, which is not your chat with it.`}
            error={
              targets?.length === 0
                ? "Create an agent or a swarm first."
                : (frame.errors["agent_id"] ?? frame.errors["swarm_id"])
            }
          >
            <Picker
              label="Agent or swarm"
              value={chosen?.id ?? ""}
              choices={(targets ?? []).map(({ id, label }) => ({ value: id, label }))}
              onChange={setValue}
              onSearch={search}
            />
          </Field>
        </Card>
        <Fields form={form} errors={frame.errors} isOfAgent={chosen?.kind !== "swarms"} onChange={change} />
      </FormFrame>
    </>
  );
}
