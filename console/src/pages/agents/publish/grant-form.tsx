import { useState } from "react";
import { type Grant, type GrantColumns, useCanPublish, useSaveGrant } from "../../../data/agent-grants.ts";
import type { Agent } from "../../../data/agents.ts";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { Banner } from "../../../components/banner.tsx";
import { CodeBlock } from "../../../components/code-block.tsx";
import { SchemaForm } from "../../../components/schema-form.tsx";
import type { Choice } from "../../../components/select.tsx";
import { useToast } from "../../../components/toast.tsx";
import { describeForm, formOfGrant, renderGrant } from "./grant-schema.ts";

interface GrantFormDialogProps {
  readonly agent: Agent;
  /** Null for a new grant. */
  readonly base: Grant | null;
  /** Whom the grant is for. */
  readonly name: string;
  readonly versions: readonly Choice[];
  onClose(): void;
}

export function GrantFormDialog({ agent, base, name, versions, onClose }: GrantFormDialogProps) {
  const [form, setForm] = useState(() => formOfGrant(base));
  const save = useSaveGrant();
  const toast = useToast();
  const { errors } = save;
  const schema = describeForm(form, base === null, versions);
  const columns = renderGrant(schema, form, base);
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
      title={base === null ? `Let others ask ${agent.name}` : `Edit the grant of ${name}`}
      description="Exactly one grant applies to a customer: that of the user, else the claim of the highest priority, else that of everyone."
      size="large"
      action={base === null ? "Create grant" : "Save"}
      isBusy={save.isBusy}
      onAction={() => void submit()}
    >
      <div className="grid grid-cols-1 gap-4">
        <SchemaForm schema={schema} value={form} onChange={setForm} errors={errors} className="sm:grid-cols-2" />
        <div className="grid grid-cols-1 gap-3">
          {base !== null && base.accepted_at !== null && needsAnswer && (
            <Banner tone="note">The user must accept the grant again before it applies.</Banner>
          )}
          {form["audience"] !== "user" && <PublishNote agent={agent} columns={columns} isNew={base === null} />}
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
  readonly columns: GrantColumns;
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
