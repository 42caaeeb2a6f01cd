import { useState } from "react";
import { type Guardrail, useDeleteGuardrail, useGuardrail, useSaveGuardrail } from "../../data/guardrails.ts";
import { DeleteMenu } from "../../components/delete-menu.tsx";
import { FormFrame } from "../../components/form-frame.tsx";
import { Link } from "../../components/link.tsx";
import { PageNotLoaded } from "../../components/no-such-row.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { useToast } from "../../components/toast.tsx";
import { formOf } from "./guardrail-draft.ts";
import { GuardrailFields } from "./guardrail-fields.tsx";
import { SecretCard } from "./secret-card.tsx";
import { useGuardrailForm } from "./use-guardrail-form.ts";

const CRUMBS = [{ label: "Guardrails", to: "/guardrails" }];

export function GuardrailPage({ id }: { readonly id: string }) {
  const read = useGuardrail(id);
  if (read.rows === undefined) return <PageNotLoaded noun="guardrail" read={read} />;
  return <Page guardrail={read.rows} />;
}

function Page({ guardrail }: { readonly guardrail: Guardrail }) {
  const { id, name, kind } = guardrail;
  // The form is filled from this row.
  const [base, setBase] = useState(guardrail);
  const save = useSaveGuardrail();
  const { form, change, reset, render, frame } = useGuardrailForm(formOf(base), save);
  const toast = useToast();
  const fill = (row: Guardrail) => {
    setBase(row);
    reset(formOf(row));
  };
  const finish = (saved: Guardrail | null) => {
    if (saved === null) return;
    fill(saved);
    toast({ text: "Saved." });
  };
  const submit = () => {
    const draft = render();
    if (draft === null) return;
    const { kind: _fixed, ...columns } = draft;
    void save.run({ base, change: columns }).then(finish);
  };
  return (
    <>
      <PageHeader
        title={name}
        crumbs={CRUMBS}
        description={<Owner guardrail={guardrail} />}
        actions={
          <DeleteMenu row={guardrail} noun="guardrail" remove={useDeleteGuardrail()} listPath="/guardrails">
            Texts are no longer checked by it. Its flags stay. This cannot be undone.
          </DeleteMenu>
        }
      />
      <div className="grid grid-cols-1 gap-5">
        {kind === "webhook" && <SecretCard guardrailId={id} />}
        <FormFrame
          label="Edit the guardrail"
          action="Save"
          cancel="Discard"
          needsChange
          {...frame}
          onSubmit={submit}
          onResolve={(choice) => void save.resolve(choice).then(finish)}
          onCancel={() => {
            save.reset();
            fill(guardrail);
          }}
        >
          <GuardrailFields form={form} errors={frame.errors} onChange={change} hasFixedKind />
        </FormFrame>
      </div>
    </>
  );
}

function Owner({ guardrail }: { readonly guardrail: Guardrail }) {
  const { agent_id: agentId, swarm_id: swarmId, agents: agent, swarms: swarm } = guardrail;
  return agentId === null ? (
    <>
      Of the swarm <Link to={`/swarms/${swarmId}`}>{swarm?.name ?? "without a name"}</Link>
    </>
  ) : (
    <>
      Of the agent <Link to={`/agents/${agentId}`}>{agent?.name ?? "without a name"}</Link>
    </>
  );
}
