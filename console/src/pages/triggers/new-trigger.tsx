import { useState } from "react";
import { useNavigate } from "react-router";
import { useScheduleTargets } from "../../data/schedules.ts";
import { useCreateTrigger } from "../../data/triggers.ts";
import { Card } from "../../components/card.tsx";
import { Field } from "../../components/field.tsx";
import { FormFrame } from "../../components/form-frame.tsx";
import { SAVED } from "../../components/leave-guard.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Select } from "../../components/select.tsx";
import { TriggerFields } from "./trigger-fields.tsx";
import { useTriggerForm } from "./trigger-form.ts";

const NO_TARGET = "Make an agent or a swarm first.";

export function NewTrigger() {
  const [value, setValue] = useState("");
  const targets = useScheduleTargets();
  const create = useCreateTrigger();
  const { form, change, render, frame } = useTriggerForm(null, create);
  const navigate = useNavigate();
  const chosen = targets?.find((target) => target.value === value) ?? targets?.[0];
  const submit = async () => {
    const draft = render();
    if (draft === null || chosen === undefined) return;
    const created = await create.run({ ...draft, target: chosen.target });
    if (created !== null) await navigate(`/triggers/${created.id}`, { state: SAVED });
  };
  return (
    <>
      <PageHeader title="New trigger" crumbs={[{ label: "Triggers", to: "/triggers" }]} />
      <FormFrame
        label="New trigger"
        action="Make the trigger"
        {...frame}
        isBusy={frame.isBusy || create.isDone || targets === undefined}
        onSubmit={() => void submit()}
        onCancel={() => void navigate("/triggers")}
      >
        <Card>
          <Field
            label="Agent or swarm"
            hint="An agent answers in a conversation of the trigger, which is not your chat with it."
            error={targets?.length === 0 ? NO_TARGET : (frame.errors["agent_id"] ?? frame.errors["swarm_id"])}
          >
            <Select value={chosen?.value ?? ""} choices={targets ?? []} onChange={setValue} />
          </Field>
        </Card>
        <TriggerFields
          form={form}
          errors={frame.errors}
          isOfAgent={chosen === undefined || "agent_id" in chosen.target}
          onChange={change}
        />
      </FormFrame>
    </>
  );
}
