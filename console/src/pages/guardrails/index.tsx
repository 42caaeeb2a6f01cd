import { useState } from "react";
import { Route, Routes, useSearchParams } from "react-router";
import { Badge } from "../../components/badge.tsx";
import { Banner } from "../../components/banner.tsx";
import { switchActions } from "../../components/bulk-bar.tsx";
import { Card, CardSection } from "../../components/card.tsx";
import type { Column } from "../../components/data-table.tsx";
import { DeleteMenu } from "../../components/delete-menu.tsx";
import { PickerField } from "../../components/form-fields.tsx";
import { Link } from "../../components/link.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { LoadedRow } from "../../components/one-row.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { EditRow, NewRow } from "../../components/row-form.tsx";
import { RevealButton, SigningSecret } from "../../components/signing-secret.tsx";
import { Switch } from "../../components/switch.tsx";
import { useToast } from "../../components/toast.tsx";
import { useFilters } from "../../components/use-filters.ts";
import { useSelection } from "../../components/use-selection.ts";
import { NAME_COLUMN } from "../../components/when-column.tsx";
import { useBulk } from "../../data/bulk.ts";
import { useDeleteRow, useInsertRow, useUpdateRow } from "../../data/changed-rows.ts";
import {
  type Guardrail,
  type GuardrailDraft,
  useGuardrail,
  useGuardrails,
  useRevealGuardrailSecret,
} from "../../data/guardrails.ts";
import { useSaveEdit } from "../../data/save-edit.ts";
import { GUARDRAIL_FORM } from "./guardrail-draft.ts";
import { GuardrailFields } from "./guardrail-fields.tsx";
import { ACTION_LABELS, KIND_LABELS, STAGE_LABELS } from "./labels.ts";
import { OWNER, parseOwner, useOwnerChoices } from "./owner-choices.ts";

const CRUMBS = [{ label: "Guardrails", to: "/guardrails" }];

const BULK_TEXTS = {
  on: "They check texts from now on.",
  off: "They check nothing until they are activated.",
  remove: "They check nothing any more. This cannot be undone.",
};

const LIST = { label: "Guardrails", to: "/guardrails" };

const NO_OWNER = "Create an agent or a swarm first.";

export function GuardrailsPage() {
  return (
    <Routes>
      <Route index element={<GuardrailList />} />
      <Route path="new" element={<NewGuardrail />} />
      <Route path=":id" element={<LoadedRow noun="guardrail" useRead={useGuardrail} page={GuardrailPage} />} />
    </Routes>
  );
}

function NewGuardrail() {
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

function GuardrailList() {
  const filters = useFilters();
  const of = filters.get(OWNER);
  const guardrails = useGuardrails({ search: filters.debouncedSearch, owner: parseOwner(of) });
  const { owners, search } = useOwnerChoices(of);
  const columns = useColumns();
  const bulk = useBulk("guardrails");
  const selection = useSelection(guardrails.rows);
  return (
    <ListPage
      title="Guardrails"
      description="Checks of what agents read and answer. A check that trips ends the turn, or replaces the text."
      named={{ path: "guardrails", ...(of !== "" && { to: `/guardrails/new?${OWNER}=${of}` }) }}
      noun="guardrails"
      one="guardrail"
      noMatchHint="No guardrail has this name, or belongs to this agent or swarm."
      filters={filters}
      searchLabel="Search by name"
      choices={[{ name: OWNER, label: "Agent or swarm", choices: owners ?? [], onSearch: search }]}
      bulk={{ selection, actions: switchActions(bulk, "is_active", BULK_TEXTS) }}
      pages={guardrails}
      empty="A guardrail checks texts by a pattern, a JSON Schema, a model or a server of yours: no card numbers, no legal advice, only JSON."
      table={{ columns }}
    />
  );
}

function useColumns(): readonly Column<Guardrail>[] {
  const update = useUpdateRow<Pick<Guardrail, "id" | "is_active">>("guardrails");
  const toast = useToast();
  const turn = async ({ id, name }: Guardrail, isActive: boolean): Promise<void> => {
    if ((await update.run({ id, is_active: isActive })) === null)
      toast({ text: `${name} could not be changed.`, tone: "bad" });
  };
  return [
    NAME_COLUMN,
    { title: "Of", width: "2fr", render: nameOwner },
    { title: "Checks", width: "2fr", render: ({ stage }) => STAGE_LABELS[stage].label },
    { title: "Kind", width: "8rem", render: ({ kind }) => <Badge>{KIND_LABELS[kind].label}</Badge> },
    { title: "Action", width: "6rem", render: ({ action }) => ACTION_LABELS[action].label },
    {
      title: "On",
      width: "4rem",
      narrow: "trailing",
      render: (row) => (
        <Switch label={`${row.name}: on`} isOn={row.is_active} onChange={(isActive) => void turn(row, isActive)} />
      ),
    },
  ];
}

function nameOwner({ agents: agent, swarms: swarm }: Guardrail): string {
  return agent === null ? `Swarm ${swarm?.name ?? ""}` : `Agent ${agent.name}`;
}

function GuardrailPage({ row: guardrail }: { readonly row: Guardrail }) {
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
