import { Plus, ShieldCheck } from "lucide-react";
import { useSearchParams } from "react-router";
import { type Guardrail, useGuardrails, useSetGuardrailActive } from "../../data/guardrails.ts";
import { Badge } from "../../components/badge.tsx";
import type { Column } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { Select } from "../../components/select.tsx";
import { Switch } from "../../components/switch.tsx";
import { useToast } from "../../components/toast.tsx";
import { useFilters } from "../../components/use-filters.ts";
import { useListCommands } from "../../components/use-list-commands.tsx";
import { ACTION_LABELS, KIND_LABELS, STAGE_LABELS } from "./labels.ts";
import { OWNER, parseOwner, useOwnerChoices } from "./owner-choices.ts";

export function GuardrailList() {
  const filters = useFilters();
  const [address] = useSearchParams();
  const of = address.get(OWNER) ?? "";
  const guardrails = useGuardrails({ search: filters.debouncedSearch, owner: parseOwner(of) });
  const owners = useOwnerChoices();
  const columns = useColumns();
  useListCommands({
    path: "guardrails",
    newLabel: "New guardrail",
    group: "Guardrails",
    icon: <ShieldCheck />,
    rows: guardrails.rows,
  });
  const add = (
    <ButtonLink to={of === "" ? "/guardrails/new" : `/guardrails/new?${OWNER}=${of}`} variant="primary" icon={<Plus />}>
      New guardrail
    </ButtonLink>
  );
  return (
    <ListPage
      title="Guardrails"
      description="Checks of what agents read and answer. A check that trips ends the turn, or replaces the text."
      actions={add}
      noun="guardrails"
      one="guardrail"
      noMatchHint="No guardrail has this name, or belongs to this agent or swarm."
      filters={filters}
      searchLabel="Search by name"
      selects={
        <Select
          aria-label="Agent or swarm"
          className="w-full sm:w-56"
          value={of}
          choices={[{ value: "", label: "All agents and swarms" }, ...(owners ?? [])]}
          onChange={(value) => filters.set(OWNER, value)}
        />
      }
      pages={guardrails}
      empty={
        <EmptyState picture="search" title="No guardrails yet" action={add}>
          A guardrail checks texts by a pattern, a JSON Schema, a model or a server of yours: no card numbers, no legal
          advice, only JSON.
        </EmptyState>
      }
      table={{
        label: "Guardrails",
        columns,
        keyOf: ({ id }) => id,
        onOpen: { label: ({ name }) => `Open ${name}`, to: ({ id }) => `/guardrails/${id}` },
      }}
    />
  );
}

function useColumns(): readonly Column<Guardrail>[] {
  const update = useSetGuardrailActive();
  const toast = useToast();
  const turn = async ({ id, name }: Guardrail, isActive: boolean): Promise<void> => {
    if ((await update.run({ id, is_active: isActive })) === null)
      toast({ text: `${name} could not be changed.`, tone: "bad" });
  };
  return [
    { title: "Name", width: "2fr", narrow: "title", render: ({ name }) => <span className="font-medium">{name}</span> },
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
