import { useState } from "react";
import { type Trigger, useDeleteTrigger, useSaveTrigger, useTrigger } from "../../data/triggers.ts";
import { DeleteMenu } from "../../components/delete-menu.tsx";
import { FormFrame } from "../../components/form-frame.tsx";
import { PageNotLoaded } from "../../components/no-such-row.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { useToast } from "../../components/toast.tsx";
import { nameTarget } from "./labels.ts";
import { ReceivedCalls } from "./received-calls.tsx";
import { TriggerAddress } from "./trigger-address.tsx";
import { TriggerFields } from "./trigger-fields.tsx";
import { useTriggerForm } from "./trigger-form.ts";

const CRUMBS = [{ label: "Triggers", to: "/triggers" }];

export function TriggerPage({ id }: { readonly id: string }) {
  const read = useTrigger(id);
  if (read.rows === undefined) return <PageNotLoaded noun="trigger" read={read} />;
  return <Page trigger={read.rows} />;
}

function Page({ trigger }: { readonly trigger: Trigger }) {
  return (
    <>
      <PageHeader
        title={trigger.name}
        crumbs={CRUMBS}
        description={nameTarget(trigger)}
        actions={
          <DeleteMenu row={trigger} noun="trigger" remove={useDeleteTrigger()} listPath="/triggers">
            Its address accepts no more calls, and what it has received is deleted. Its runs and conversations stay.
            This cannot be undone.
          </DeleteMenu>
        }
      />
      <div className="grid grid-cols-1 gap-5">
        <TriggerAddress trigger={trigger} />
        <ReceivedCalls triggerId={trigger.id} />
        <EditTrigger trigger={trigger} />
      </div>
    </>
  );
}

function EditTrigger({ trigger }: { readonly trigger: Trigger }) {
  // The form is filled from this row.
  const [base, setBase] = useState(trigger);
  const save = useSaveTrigger();
  const { form, change, reset, render, frame } = useTriggerForm(base, save);
  const toast = useToast();
  const fill = (row: Trigger) => {
    setBase(row);
    reset(row);
  };
  const finish = (saved: Trigger | null) => {
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
      label="Edit the trigger"
      action="Save"
      cancel="Discard"
      needsChange
      {...frame}
      onSubmit={submit}
      onResolve={(choice) => void save.resolve(choice).then(finish)}
      onCancel={() => {
        save.reset();
        fill(trigger);
      }}
    >
      <TriggerFields form={form} errors={frame.errors} isOfAgent={trigger.agent_id !== null} onChange={change} />
    </FormFrame>
  );
}
