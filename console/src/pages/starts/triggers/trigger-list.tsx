import { Plus, RadioReceiver } from "lucide-react";
import { type Trigger, useTriggers } from "../../../data/triggers.ts";
import { Badge } from "../../../components/badge.tsx";
import type { Column } from "../../../components/data-table.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { ButtonLink } from "../../../components/link.tsx";
import { ListPage } from "../../../components/list-page.tsx";
import { useFilters } from "../../../components/use-filters.ts";
import { useListCommands } from "../../../components/use-list-commands.tsx";
import { EnabledSwitch } from "./enabled-switch.tsx";
import { nameTarget } from "../targeted/name-target.ts";
import { VERIFICATIONS } from "./labels.ts";

const COLUMNS: readonly Column<Trigger>[] = [
  { title: "Name", width: "2fr", narrow: "title", render: ({ name }) => <span className="font-medium">{name}</span> },
  { title: "For", width: "2fr", render: nameTarget },
  {
    title: "Sender",
    width: "2fr",
    render: ({ verification }) => VERIFICATIONS.find(({ value }) => value === verification)?.label,
  },
  { title: "State", width: "8rem", render: (row) => <State row={row} /> },
  { title: "On", width: "4rem", narrow: "trailing", render: (row) => <EnabledSwitch trigger={row} /> },
];

function State({ row: { paused_reason: reason, has_secret } }: { readonly row: Trigger }) {
  if (reason !== null) return <Badge tone="bad">Paused</Badge>;
  return has_secret ? "–" : <Badge tone="thinking">No secret</Badge>;
}

export function TriggerList() {
  const filters = useFilters();
  const triggers = useTriggers(filters.debouncedSearch);
  useListCommands({
    path: "triggers",
    newLabel: "New trigger",
    group: "Triggers",
    icon: <RadioReceiver />,
    rows: triggers.rows,
  });
  const add = (
    <ButtonLink to="/triggers/new" variant="primary" icon={<Plus />}>
      New trigger
    </ButtonLink>
  );
  return (
    <ListPage
      title="Triggers"
      description="Addresses that other systems call to start agents and swarms."
      actions={add}
      noun="triggers"
      one="trigger"
      noMatchHint="No trigger has this text in its name or message."
      filters={filters}
      searchLabel="Search by name or message"
      pages={triggers}
      empty={
        <EmptyState picture="search" title="No triggers yet" action={add}>
          A trigger asks an agent when somebody pays, opens an issue or does something else in another system.
        </EmptyState>
      }
      table={{
        label: "Triggers",
        columns: COLUMNS,
        keyOf: ({ id }) => id,
        onOpen: { label: ({ name }) => `Open ${name}`, to: ({ id }) => `/triggers/${id}` },
      }}
    />
  );
}
