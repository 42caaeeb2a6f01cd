import { useState } from "react";
import { Route, Routes } from "react-router";
import { Badge } from "../../../components/badge.tsx";
import { switchActions } from "../../../components/bulk-bar.tsx";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { CodeBlock } from "../../../components/code-block.tsx";
import type { Column } from "../../../components/data-table.tsx";
import { DeleteMenu } from "../../../components/delete-menu.tsx";
import { Field } from "../../../components/field.tsx";
import { ListPage } from "../../../components/list-page.tsx";
import { LoadedRow } from "../../../components/one-row.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { PasswordInput } from "../../../components/password-input.tsx";
import { EditRow } from "../../../components/row-form.tsx";
import { SigningSecret } from "../../../components/signing-secret.tsx";
import { useToast } from "../../../components/toast.tsx";
import { typed } from "../../../components/typed.ts";
import { useFilters } from "../../../components/use-filters.ts";
import { useSelection } from "../../../components/use-selection.ts";
import { NAME_COLUMN } from "../../../components/when-column.tsx";
import { useBulk } from "../../../data/bulk.ts";
import { useDeleteRow } from "../../../data/changed-rows.ts";
import { getConfig } from "../../../data/client.ts";
import { useSaveEdit } from "../../../data/save-edit.ts";
import { type Trigger, type TriggerDraft, useSetSecret, useTrigger, useTriggers } from "../../../data/triggers.ts";
import { EnabledSwitch } from "../targeted/enabled-switch.tsx";
import { nameTarget } from "../targeted/labels.ts";
import { NewTargeted } from "../targeted/new-targeted.tsx";
import { describeHold, VERIFICATIONS } from "./labels.ts";
import { ReceivedCalls } from "./received-calls.tsx";
import { TRIGGER_FORM } from "./trigger-draft.ts";
import { TriggerFields } from "./trigger-fields.tsx";

const CRUMBS = [{ label: "Triggers", to: "/triggers" }];

const COLUMNS: readonly Column<Trigger>[] = [
  NAME_COLUMN,
  { title: "For", width: "2fr", render: nameTarget },
  {
    title: "Sender",
    width: "2fr",
    render: ({ verification }) => VERIFICATIONS.find(({ value }) => value === verification)?.label,
  },
  { title: "State", width: "8rem", render: (row) => <State row={row} /> },
  { title: "On", width: "4rem", narrow: "trailing", render: (row) => <EnabledSwitch table="triggers" row={row} /> },
];

const BULK_TEXTS = {
  on: "They accept calls again.",
  off: "They refuse calls until they are activated.",
  remove: "Their addresses stop working, and received calls are deleted. This cannot be undone.",
};

export function TriggersPage() {
  return (
    <Routes>
      <Route index element={<TriggerList />} />
      <Route
        path="new"
        element={<NewTargeted table="triggers" noun="trigger" kind={TRIGGER_FORM} fields={TriggerFields} />}
      />
      <Route path=":id" element={<LoadedRow noun="trigger" useRead={useTrigger} page={TriggerPage} />} />
    </Routes>
  );
}

function State({ row: { paused_reason: reason, has_secret } }: { readonly row: Trigger }) {
  if (reason !== null) return <Badge tone="bad">Paused</Badge>;
  return has_secret ? "–" : <Badge tone="thinking">No secret</Badge>;
}

function TriggerList() {
  const filters = useFilters();
  const triggers = useTriggers(filters.debouncedSearch);
  const bulk = useBulk("triggers");
  const selection = useSelection(triggers.rows);
  return (
    <ListPage
      title="Triggers"
      description="Addresses that other systems call to start agents and swarms."
      named={{ path: "triggers" }}
      noun="triggers"
      one="trigger"
      noMatchHint="No trigger has this text in its name or message."
      filters={filters}
      searchLabel="Search by name or message"
      bulk={{ selection, actions: switchActions(bulk, "enabled", BULK_TEXTS) }}
      pages={triggers}
      empty="A trigger asks an agent when somebody pays, opens an issue or does something else in another system."
      table={{ columns: COLUMNS }}
    />
  );
}

function TriggerPage({ row: trigger }: { readonly row: Trigger }) {
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

/** Where the other system sends its calls, and the secret with which it signs them. */
function TriggerAddress({ trigger }: { readonly trigger: Trigger }) {
  const [typedSecret, setTypedSecret] = useState("");
  const [made, setMade] = useState<string | null>(null);
  const { run, isBusy, failure } = useSetSecret();
  const toast = useToast();
  const store = async () => {
    const stored = await run({ id: trigger.id, secret: typedSecret });
    if (stored === null) return;
    setMade(stored.secret);
    setTypedSecret("");
    toast({ text: "The secret is stored." });
  };
  return (
    <CardSection
      title="Address"
      description={describeHold(trigger) ?? "Other systems send their calls here."}
      action={<EnabledSwitch table="triggers" row={trigger} />}
    >
      <div className="grid grid-cols-1 gap-4">
        <CodeBlock label="POST" code={`${getConfig().url}/triggers/v1/${trigger.id}`} isWrapped />
        <div className="flex flex-wrap items-end gap-3">
          <div className="min-w-0 grow">
            <Field
              label={trigger.has_secret ? "Another secret" : "Secret"}
              hint="The one that the sender shows. Without one the service creates one. It replaces the stored one at once."
              error={failure?.message}
            >
              <PasswordInput subject="secret" autoComplete="off" {...typed(typedSecret, setTypedSecret)} />
            </Field>
          </div>
          <Button isBusy={isBusy} onClick={() => void store()}>
            {typedSecret === "" ? "Create secret" : "Save secret"}
          </Button>
        </div>
        {made !== null && (
          <div className="grid gap-1.5">
            <p className="text-sm text-ink-soft">Enter it at the sender. It is not shown again.</p>
            <SigningSecret secret={made} />
          </div>
        )}
      </div>
    </CardSection>
  );
}
