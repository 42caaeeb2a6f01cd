import { useState } from "react";
import { type Grant, useCanPublish, useSaveGrant } from "../../../data/agent-grants.ts";
import type { Agent } from "../../../data/agents.ts";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { Banner } from "../../../components/banner.tsx";
import { Checkbox } from "../../../components/checkbox.tsx";
import { CodeBlock } from "../../../components/code-block.tsx";
import { Field } from "../../../components/field.tsx";
import { Select } from "../../../components/select.tsx";
import { TextArea } from "../../../components/text-area.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { useToast } from "../../../components/toast.tsx";
import { formOfGrant, type GrantForm, renderGrant } from "./grant-draft.ts";
import type { VersionChoice } from "./version-choices.ts";

export interface GrantFormDialogProps {
  readonly agent: Agent;
  /** Null for a new grant. */
  readonly base: Grant | null;
  readonly versions: readonly VersionChoice[];
  onClose(): void;
}

const AUDIENCES = [
  { value: "user", label: "One user" },
  { value: "claim", label: "Accounts with a claim" },
  { value: "everyone", label: "Everyone who is signed in" },
] as const;
const PEOPLE = [
  { value: "owner", label: "You, the owner" },
  { value: "asker", label: "The customer" },
] as const;
const TRANSCRIPTS = [
  { value: "private", label: "The customer alone" },
  { value: "owner", label: "The customer and you" },
] as const;
const LIMITS = [
  ["runs_per_day", "Runs a day of each customer", "0 blocks at once."],
  ["cost_per_day", "US dollars a day of each customer", undefined],
  ["total_runs_per_day", "Runs a day of all", undefined],
  ["total_cost_per_day", "US dollars a day of all", undefined],
] as const;
const FLAGS = [
  ["include_anonymous", "Also anonymous users"],
  ["shows_owner", "Show my name"],
  ["accepts_messages", "Accept a list of messages in place of the stored conversation"],
  ["accepts_client_tools", "Accept tools of the customer’s app"],
] as const;

export function GrantFormDialog({ agent, base, versions, onClose }: GrantFormDialogProps) {
  const [form, setForm] = useState(() => formOfGrant(base));
  const save = useSaveGrant();
  const toast = useToast();
  const change = (part: Partial<GrantForm>) => setForm((old) => ({ ...old, ...part }));
  const { errors } = save;
  const columns = renderGrant(form, base);
  const submit = async () => {
    const isSame = Object.keys(columns).length === 0;
    if (!isSame && (await save.run({ agentId: agent.id, base, columns })) === null) return;
    toast({ text: base === null ? "The grant is created." : "The grant is saved." });
    onClose();
  };
  const needsAnswer = ["payer", "approver", "transcripts"].some((name) => name in columns);
  return (
    <ActionDialog
      isOpen
      onClose={onClose}
      title={base === null ? `Let others ask ${agent.name}` : "Edit the grant"}
      description="Exactly one grant applies to a customer: that of the user, else the claim of the highest priority, else that of everyone."
      size="large"
      action={base === null ? "Create the grant" : "Save"}
      isBusy={save.isBusy}
      onAction={() => void submit()}
    >
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <Field label="For" error={errors["audience"]}>
          <Select
            value={form.audience}
            choices={AUDIENCES}
            disabled={base !== null}
            onChange={(audience) => change({ audience })}
          />
        </Field>
        {form.audience === "user" && (
          <Field label="User id" hint="The user is asked first." error={errors["user_id"]}>
            <TextInput
              value={form.user_id}
              disabled={base !== null}
              onChange={({ target }) => change({ user_id: target.value })}
            />
          </Field>
        )}
        {form.audience === "claim" && (
          <>
            <Field label="Claim" hint="JSON that the app_metadata of the account contains." error={errors["claim"]}>
              <TextArea isCode rows={2} value={form.claim} onChange={({ target }) => change({ claim: target.value })} />
            </Field>
            <Field
              label="Priority"
              hint="Of several claims that match, the highest applies."
              error={errors["priority"]}
            >
              <TextInput
                type="number"
                value={form.priority}
                onChange={({ target }) => change({ priority: target.value })}
              />
            </Field>
          </>
        )}
        <Field
          label="Version"
          hint="A pinned version stays as it is when you edit the agent."
          error={errors["agent_version"]}
        >
          <Select
            value={form.agent_version}
            choices={versions}
            onChange={(version) => change({ agent_version: version })}
          />
        </Field>
        <Field label="Who reads the conversations" error={errors["transcripts"]}>
          <Select value={form.transcripts} choices={TRANSCRIPTS} onChange={(transcripts) => change({ transcripts })} />
        </Field>
        <Field label="Who pays" error={errors["payer"]}>
          <Select value={form.payer} choices={PEOPLE} onChange={(payer) => change({ payer })} />
        </Field>
        <Field label="Who approves tool calls" error={errors["approver"]}>
          <Select value={form.approver} choices={PEOPLE} onChange={(approver) => change({ approver })} />
        </Field>
        {LIMITS.map(([name, label, hint]) => (
          <Field key={name} label={label} isOptional error={errors[name]} {...(hint !== undefined && { hint })}>
            <TextInput
              type="number"
              min={0}
              step="any"
              value={form[name]}
              onChange={({ target }) => change({ [name]: target.value })}
            />
          </Field>
        ))}
        <Field label="Ends" isOptional error={errors["expires_at"]}>
          <TextInput
            type="datetime-local"
            value={form.expires_at}
            onChange={({ target }) => change({ expires_at: target.value })}
          />
        </Field>
        <div className="grid content-start gap-2">
          {FLAGS.map(([name, label]) => (
            <Checkbox key={name} label={label} isChecked={form[name]} onChange={(isOn) => change({ [name]: isOn })} />
          ))}
        </div>
        <div className="grid grid-cols-1 gap-3 sm:col-span-2">
          {base !== null && base.accepted_at !== null && needsAnswer && (
            <Banner tone="note">The user must accept the grant again before it applies.</Banner>
          )}
          {form.audience !== "user" && <PublishNote agent={agent} columns={columns} isNew={base === null} />}
          {save.failure !== null && (
            <Banner tone="bad">{[save.failure.message, ...Object.values(errors)].join(" ")}</Banner>
          )}
        </div>
      </div>
    </ActionDialog>
  );
}

interface PublishNoteProps {
  readonly agent: Agent;
  readonly columns: ReturnType<typeof renderGrant>;
  readonly isNew: boolean;
}

/** Who may publish to more than one user, and how the others get there. */
function PublishNote({ agent, columns, isNew }: PublishNoteProps) {
  const canPublish = useCanPublish();
  if (canPublish) return <Banner tone="note">You are an operator: the grant is written as the service role.</Banner>;
  const row = JSON.stringify({ agent_id: agent.id, ...columns });
  return (
    <>
      <Banner tone="note">
        An agent that everyone or a claim may ask appears in the lists of others. Unless the service has
        AGENT_PUBLISHERS=users, only operators and the service role can publish it so.
      </Banner>
      {isNew && (
        <CodeBlock
          label="As the service role"
          isWrapped
          code={`curl "$SWARMBASE_URL/rest/v1/agent_grants" -H "apikey: $SERVICE_ROLE_KEY" \\\n  -H "Authorization: Bearer $SERVICE_ROLE_KEY" -H "Content-Type: application/json" \\\n  -d '${row.replaceAll("'", `'\\''`)}'`}
        />
      )}
    </>
  );
}
