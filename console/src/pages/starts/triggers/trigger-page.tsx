import { type Trigger, useDeleteTrigger, useSaveTrigger, useTrigger } from "../../../data/triggers.ts";
import { DeleteMenu } from "../../../components/delete-menu.tsx";
import { PageNotLoaded } from "../../../components/no-such-row.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { EditTargeted } from "../targeted/edit-targeted.tsx";
import { nameTarget } from "../targeted/name-target.ts";
import { ReceivedCalls } from "./received-calls.tsx";
import { TriggerAddress } from "./trigger-address.tsx";
import { TRIGGER_FORM } from "./trigger-form.ts";

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
        <EditTargeted kind={TRIGGER_FORM} row={trigger} save={useSaveTrigger()} />
      </div>
    </>
  );
}
