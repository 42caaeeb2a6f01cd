import { useDeleteRow } from "../../../data/changed-rows.ts";
import type { Trigger, TriggerDraft } from "../../../data/triggers.ts";
import { useSaveEdit } from "../../../data/save-edit.ts";
import { DeleteMenu } from "../../../components/delete-menu.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { EditRow } from "../../../components/row-form.tsx";
import { nameTarget } from "../targeted/labels.ts";
import { ReceivedCalls } from "./received-calls.tsx";
import { TriggerAddress } from "./trigger-address.tsx";
import { TRIGGER_FORM } from "./trigger-draft.ts";
import { TriggerFields } from "./trigger-fields.tsx";

const CRUMBS = [{ label: "Triggers", to: "/triggers" }];

export function TriggerPage({ row: trigger }: { readonly row: Trigger }) {
  return (
    <>
      <PageHeader
        title={trigger.name}
        crumbs={CRUMBS}
        description={nameTarget(trigger)}
        actions={
          <DeleteMenu row={trigger} noun="trigger" remove={useDeleteRow("triggers")} listPath="/triggers">
            Its address accepts no more calls, and what it has received is deleted. Its runs and conversations stay.
            This cannot be undone.
          </DeleteMenu>
        }
      />
      <div className="grid grid-cols-1 gap-5">
        <TriggerAddress trigger={trigger} />
        <ReceivedCalls triggerId={trigger.id} />
        <EditRow kind={TRIGGER_FORM} noun="trigger" row={trigger} save={useSaveEdit<Trigger, TriggerDraft>("triggers")}>
          {(fields) => <TriggerFields {...fields} isOfAgent={trigger.agent_id !== null} />}
        </EditRow>
      </div>
    </>
  );
}
