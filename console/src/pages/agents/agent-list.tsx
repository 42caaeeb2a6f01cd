import { AGENT_STATUSES, type AgentStatus, FRAMEWORKS } from "@swarmbase/sdk";
import { type Agent, useAgents } from "../../data/agents.ts";
import { useBulk } from "../../data/bulk.ts";
import { SORTS } from "../../data/keyset.ts";
import { BULK_DELETE } from "../../components/bulk-bar.tsx";
import { CardGrid } from "../../components/card-grid.tsx";
import { columnsOf } from "../../components/csv.ts";
import { NAMED_ORDERS } from "../../components/list-filters.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { CardsSkeleton } from "../../components/skeleton.tsx";
import { useFilters } from "../../components/use-filters.ts";
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
const STATUS_CHOICES = AGENT_STATUSES.map((value) => ({ value, label: STATUS_LABELS[value] }));
const EXPORTED = columnsOf<Agent>("name", "role", "status", "framework", "model", "created_at");

export function AgentList() {
  const filters = useFilters();
  const status = filters.choice("status", AGENT_STATUSES);
  const framework = filters.choice("provider", FRAMEWORKS);
  const sort = filters.sort(SORTS);
  const agents = useAgents({ search: filters.debouncedSearch, status, framework, sort });
  const selection = useSelection(agents.rows);
  const bulk = useBulk("agents");
  return (
    <ListPage
      title="Agents"
      description="Each agent has a name, instructions and a model. Agents answer in swarms."
      named={{ path: "agents" }}
      noun="agents"
      one="agent"
      noMatchHint="No agent has this name, role, status and provider."
      filters={filters}
      searchLabel="Search by name or role"
      choices={[
        { name: "status", label: "Status", choices: STATUS_CHOICES },
        { name: "provider", label: "Provider", choices: listProviderChoices() },
      ]}
      orders={NAMED_ORDERS}
      exported={EXPORTED}
      bulk={{
        selection,
        actions: [
          {
            ...BULK_DELETE,
            explanation:
              "They leave all swarms, and their versions are deleted. Their messages stay. This cannot be undone.",
            run: bulk.remove,
          },
        ],
      }}
      pages={agents}
      skeleton={<CardsSkeleton />}
      empty="An agent is a model with a name, a role and your instructions. Assign tools to it, try it out here, and add it to a swarm."
      picture="agents"
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
