import { useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useCreateGuardrail } from "../../data/guardrails.ts";
import { Card } from "../../components/card.tsx";
import { Field } from "../../components/field.tsx";
import { FormFrame } from "../../components/form-frame.tsx";
import { SAVED } from "../../components/leave-guard.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Picker } from "../../components/picker.tsx";
import { EMPTY_GUARDRAIL } from "./guardrail-draft.ts";
import { GuardrailFields } from "./guardrail-fields.tsx";
import { OWNER, parseOwner, useOwnerChoices } from "./owner-choices.ts";
import { useGuardrailForm } from "./use-guardrail-form.ts";

const NO_OWNER = "Create an agent or a swarm first.";

export function NewGuardrail() {
  const [address] = useSearchParams();
  const [of, setOf] = useState(address.get(OWNER) ?? "");
  const { owners, search } = useOwnerChoices(of);
  const create = useCreateGuardrail();
  const { form, change, render, frame } = useGuardrailForm(EMPTY_GUARDRAIL, create);
  const navigate = useNavigate();
  // The owner in the address counts while the choices are being loaded.
  const isKnown = owners === undefined || owners.some(({ value }) => value === of);
  const chosen = isKnown ? of : (owners[0]?.value ?? "");
  const submit = async () => {
    const draft = render();
    const owner = parseOwner(chosen);
    if (draft === null || owner === null) return;
    const created = await create.run({ ...draft, owner });
    if (created !== null) await navigate(`/guardrails/${created.id}`, { state: SAVED });
  };
  return (
    <>
      <PageHeader title="New guardrail" crumbs={[{ label: "Guardrails", to: "/guardrails" }]} />
      <FormFrame
        label="New guardrail"
        action="Create guardrail"
        {...frame}
        isBusy={frame.isBusy || create.isDone || (owners === undefined && chosen === "")}
        onSubmit={() => void submit()}
        onCancel={() => void navigate("/guardrails")}
      >
        <Card>
          <Field
            label="Agent or swarm"
            hint="A guardrail of a swarm applies to each of its agents, there only."
            error={owners?.length === 0 ? NO_OWNER : (frame.errors["agent_id"] ?? frame.errors["swarm_id"])}
          >
            <Picker label="Agent or swarm" value={chosen} choices={owners ?? []} onChange={setOf} onSearch={search} />
          </Field>
        </Card>
        <GuardrailFields form={form} errors={frame.errors} onChange={change} hasFixedKind={false} />
      </FormFrame>
    </>
  );
}
