import { useState } from "react";
import { useDeleteRow } from "../../data/changed-rows.ts";
import { type GuardrailDraft, type Guardrail, useRevealGuardrailSecret } from "../../data/guardrails.ts";
import { useSaveEdit } from "../../data/save-edit.ts";
import { DeleteMenu } from "../../components/delete-menu.tsx";
import { Link } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { EditRow } from "../../components/row-form.tsx";
import { Banner } from "../../components/banner.tsx";
import { CardSection } from "../../components/card.tsx";
import { RevealButton, SigningSecret } from "../../components/signing-secret.tsx";
import { GUARDRAIL_FORM } from "./guardrail-draft.ts";
import { GuardrailFields } from "./guardrail-fields.tsx";

const CRUMBS = [{ label: "Guardrails", to: "/guardrails" }];

export function GuardrailPage({ row: guardrail }: { readonly row: Guardrail }) {
  const { id, name, kind } = guardrail;
  return (
    <>
      <PageHeader
        title={name}
        crumbs={CRUMBS}
        description={<Owner guardrail={guardrail} />}
        actions={
          <DeleteMenu row={guardrail} noun="guardrail" remove={useDeleteRow("guardrails")} listPath="/guardrails">
            Texts are no longer checked by it. Its flags stay. This cannot be undone.
          </DeleteMenu>
        }
      />
      <div className="grid grid-cols-1 gap-5">
        {kind === "webhook" && <SecretCard guardrailId={id} />}
        <EditRow
          kind={GUARDRAIL_FORM}
          noun="guardrail"
          row={guardrail}
          save={useSaveEdit<Guardrail, GuardrailDraft>("guardrails")}
        >
          {(fields) => <GuardrailFields {...fields} hasFixedKind />}
        </EditRow>
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

/** The secret that signs the requests, which is shown on request. */
function SecretCard({ guardrailId }: { readonly guardrailId: string }) {
  const reveal = useRevealGuardrailSecret();
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <CardSection
      title="Signing secret"
      description="Your server uses it to verify requests. It does not change: to replace it, create a new guardrail."
    >
      <div className="grid grid-cols-1 justify-items-start gap-4 *:first:justify-self-stretch">
        <SigningSecret secret={secret} />
        {reveal.failure !== null && <Banner tone="bad">{reveal.failure.message}</Banner>}
        <RevealButton
          isRevealed={secret !== null}
          isBusy={reveal.isBusy}
          onReveal={() => void reveal.run(guardrailId).then(setSecret)}
          onHide={() => setSecret(null)}
        />
      </div>
    </CardSection>
  );
}
