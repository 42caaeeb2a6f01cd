import { AGENT_STATUSES, type AgentStatus, FRAMEWORKS } from "@swarmbase/sdk";
import { Bot, Plus } from "lucide-react";
import { useAgents } from "../../data/agents.ts";
import { useBulk } from "../../data/bulk.ts";
import { SORTS } from "../../data/keyset.ts";
import { BULK_DELETE, BulkBar } from "../../components/bulk-bar.tsx";
import { CardGrid } from "../../components/card-grid.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { Select } from "../../components/select.tsx";
import { CardsSkeleton } from "../../components/skeleton.tsx";
import { SortSelect } from "../../components/sort-select.tsx";
import { useFilters } from "../../components/use-filters.ts";
import { useListCommands } from "../../components/use-list-commands.tsx";
import { useSelection } from "../../components/use-selection.ts";
import { AgentCard } from "./agent-card.tsx";
import { listProviderChoices } from "../../data/providers.ts";

const CARD_HEIGHT = 194;
const STATUS_LABELS: Readonly<Record<AgentStatus, string>> = {
  idle: "Idle",
  thinking: "Thinking",
  responding: "Responding",
  error: "Error",
};
const STATUS_CHOICES = [
  { value: "", label: "Any status" },
  ...AGENT_STATUSES.map((value) => ({ value, label: STATUS_LABELS[value] })),
];

export function AgentList() {
  const filters = useFilters();
  const status = filters.choice("status", AGENT_STATUSES);
  const framework = filters.choice("provider", FRAMEWORKS);
  const sort = filters.sort(SORTS);
  const agents = useAgents({ search: filters.debouncedSearch, status, framework, sort });
  const selection = useSelection(agents.rows);
  const bulk = useBulk("agents");
  useListCommands({ path: "agents", newLabel: "New agent", group: "Agents", icon: <Bot />, rows: agents.rows });
  return (
    <ListPage
      title="Agents"
      description="Each agent has a name, instructions and a model. Agents answer in swarms."
      actions={
        <ButtonLink to="/agents/new" variant="primary" icon={<Plus />}>
          New agent
        </ButtonLink>
      }
      noun="agents"
      one="agent"
      noMatchHint="No agent has this name, role, status and provider."
      filters={filters}
      searchLabel="Search by name or role"
      selects={
        <>
          <Select
            aria-label="Status"
            className="min-w-34 flex-1 sm:w-36 sm:flex-none"
            value={status ?? ""}
            choices={STATUS_CHOICES}
            onChange={(value) => filters.set("status", value)}
          />
          <Select
            aria-label="Provider"
            className="min-w-34 flex-1 sm:w-36 sm:flex-none"
            value={framework ?? ""}
            choices={[{ value: "", label: "Any provider" }, ...listProviderChoices()]}
            onChange={(value) => filters.set("provider", value)}
          />
          <SortSelect value={sort} orders={SORTS} onChange={filters.setSort} />
        </>
      }
      bulk={
        <BulkBar
          selection={selection}
          nouns={["agent", "agents"]}
          actions={[
            {
              ...BULK_DELETE,
              explanation:
                "They leave all swarms, and their versions are deleted. Their messages stay. This cannot be undone.",
              run: bulk.remove,
            },
          ]}
        />
      }
      pages={agents}
      skeleton={<CardsSkeleton />}
      empty={
        <EmptyState
          picture="agents"
          title="No agents yet"
          action={
            <ButtonLink to="/agents/new" variant="primary" icon={<Plus />}>
              Make the first one
            </ButtonLink>
          }
        >
          An agent is a model with a name, a role and your instructions. Assign tools to it, try it out here, and add it
          to a swarm.
        </EmptyState>
      }
    >
      {(rows, foot) => (
        <CardGrid
          label="Agents"
          rows={rows}
          keyOf={({ id }) => id}
          cardHeight={CARD_HEIGHT}
          renderCard={(agent) => (
            <AgentCard agent={agent} isSelected={selection.has(agent.id)} onToggle={selection.toggle} />
          )}
          onEndReached={agents.loadMore}
          foot={foot}
        />
      )}
    </ListPage>
  );
}
