import { useBulk } from "../../../data/bulk.ts";
import { switchActions } from "../../../components/bulk-bar.tsx";
import { useSelection } from "../../../components/use-selection.ts";
import { NAME_COLUMN } from "../../../components/when-column.tsx";
import { type Trigger, useTriggers } from "../../../data/triggers.ts";
import { Badge } from "../../../components/badge.tsx";
import type { Column } from "../../../components/data-table.tsx";
import { ListPage } from "../../../components/list-page.tsx";
import { useFilters } from "../../../components/use-filters.ts";
import { EnabledSwitch } from "../targeted/enabled-switch.tsx";
import { nameTarget } from "../targeted/labels.ts";
import { VERIFICATIONS } from "./labels.ts";

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

function State({ row: { paused_reason: reason, has_secret } }: { readonly row: Trigger }) {
  if (reason !== null) return <Badge tone="bad">Paused</Badge>;
  return has_secret ? "–" : <Badge tone="thinking">No secret</Badge>;
}

const BULK_TEXTS = {
  on: "They accept calls again.",
  off: "They refuse calls until they are activated.",
  remove: "Their addresses stop working, and received calls are deleted. This cannot be undone.",
};

export function TriggerList() {
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
