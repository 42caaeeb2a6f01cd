import { useBulk } from "../../data/bulk.ts";
import { switchActions } from "../../components/bulk-bar.tsx";
import { useSelection } from "../../components/use-selection.ts";
import { NAME_COLUMN } from "../../components/when-column.tsx";
import { useUpdateRow } from "../../data/changed-rows.ts";
import { type Guardrail, useGuardrails } from "../../data/guardrails.ts";
import { Badge } from "../../components/badge.tsx";
import type { Column } from "../../components/data-table.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { Switch } from "../../components/switch.tsx";
import { useToast } from "../../components/toast.tsx";
import { useFilters } from "../../components/use-filters.ts";
import { ACTION_LABELS, KIND_LABELS, STAGE_LABELS } from "./labels.ts";
import { OWNER, parseOwner, useOwnerChoices } from "./owner-choices.ts";

const BULK_TEXTS = {
  on: "They check texts from now on.",
  off: "They check nothing until they are activated.",
  remove: "They check nothing any more. This cannot be undone.",
};

export function GuardrailList() {
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
