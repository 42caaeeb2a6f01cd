import { useState } from "react";
import { useSearchParams } from "react-router";
import { useInsertRow } from "../../data/changed-rows.ts";
import { Card } from "../../components/card.tsx";
import { PickerField } from "../../components/form-fields.tsx";
import { NewRow } from "../../components/row-form.tsx";
import { GUARDRAIL_FORM } from "./guardrail-draft.ts";
import { GuardrailFields } from "./guardrail-fields.tsx";
import { OWNER, parseOwner, useOwnerChoices } from "./owner-choices.ts";

const LIST = { label: "Guardrails", to: "/guardrails" };
const NO_OWNER = "Create an agent or a swarm first.";

export function NewGuardrail() {
  const [address] = useSearchParams();
  const [of, setOf] = useState(address.get(OWNER) ?? "");
  const { owners, search } = useOwnerChoices(of);
  const create = useInsertRow("guardrails");
  // The owner in the address counts while the choices are being loaded.
  const isKnown = owners === undefined || owners.some(({ value }) => value === of);
  const chosen = isKnown ? of : (owners[0]?.value ?? "");
  const owner = parseOwner(chosen);
  return (
    <NewRow
      noun="guardrail"
      list={LIST}
      kind={GUARDRAIL_FORM}
      create={create}
      isLoading={owners === undefined && chosen === ""}
      onCreate={async (draft) => (owner === null ? null : create.run({ ...draft, ...owner }))}
    >
      {(fields) => (
        <>
          <Card>
            <PickerField
              label="Agent or swarm"
              hint="A guardrail of a swarm applies to each of its agents, there only."
              error={owners?.length === 0 ? NO_OWNER : (fields.errors["agent_id"] ?? fields.errors["swarm_id"])}
              value={chosen}
              choices={owners ?? []}
              onChange={setOf}
              onSearch={search}
            />
          </Card>
          <GuardrailFields {...fields} hasFixedKind={false} />
        </>
      )}
    </NewRow>
  );
}
