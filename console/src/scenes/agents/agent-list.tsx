import { AGENT_STATUSES, type AgentStatus } from "@swarmbase/sdk";
import { Bot, Plus } from "lucide-react";
import { useMemo } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { type Agent, useAgents } from "../../data/agents.ts";
import { AT_ONCE } from "../../parts/at-once.ts";
import { Button } from "../../parts/button.tsx";
import { CardGrid } from "../../parts/card-grid.tsx";
import { type Command, useCommands } from "../../parts/commands.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { FailureState } from "../../parts/failure-state.tsx";
import { ButtonLink } from "../../parts/link.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Pager } from "../../parts/pager.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { Select } from "../../parts/select.tsx";
import { CardsSkeleton } from "../../parts/skeleton.tsx";
import { Toolbar } from "../../parts/toolbar.tsx";
import { useSettled } from "../../parts/use-settled.ts";
import { AgentCard } from "./agent-card.tsx";
import { isFramework, PROVIDER_CHOICES } from "./providers.ts";

const CARD_HEIGHT = 194;
const MOST_COMMANDS = 20;
/** So few need no counting. */
const FEW = 9;
const STATUS_WORDS: Readonly<Record<AgentStatus, string>> = {
  idle: "Idle",
  thinking: "Thinking",
  responding: "Responding",
  error: "Error",
};

export function AgentList() {
  const [address, setAddress] = useSearchParams();
  const search = address.get("q") ?? "";
  const status = AGENT_STATUSES.find((known) => known === address.get("status")) ?? null;
  const provider = address.get("provider");
  const framework = isFramework(provider) ? provider : null;
  const settled = useSettled(search);
  const agents = useAgents({ search: settled, status, framework });
  const isFiltered = search !== "" || status !== null || framework !== null;
  useAgentCommands(agents.rows);
  const set = (name: string, value: string) =>
    setAddress((old) => {
      if (value === "") old.delete(name);
      else old.set(name, value);
      return old;
    }, AT_ONCE);
  return (
    <>
      <PageHeader
        title="Agents"
        description="Each has a name, instructions and a model. Put them in a swarm and they answer there."
        actions={
          <ButtonLink to="/agents/new" variant="primary" icon={<Plus />}>
            New agent
          </ButtonLink>
        }
      />
      {(isFiltered || agents.rows === undefined || agents.rows.length > 0) && (
        <Toolbar label="Which agents are shown">
          <div className="flex w-full sm:w-72">
            <SearchInput label="Search by name or role" value={search} onChange={(text) => set("q", text)} />
          </div>
          <Select
            aria-label="Status"
            className="w-36 flex-1 sm:flex-none"
            value={status ?? ""}
            choices={[
              { value: "", label: "Any status" },
              ...AGENT_STATUSES.map((value) => ({ value, label: STATUS_WORDS[value] })),
            ]}
            onChange={(value) => set("status", value)}
          />
          <Select
            aria-label="Provider"
            className="w-36 flex-1 sm:flex-none"
            value={framework ?? ""}
            choices={[{ value: "", label: "Any provider" }, ...PROVIDER_CHOICES]}
            onChange={(value) => set("provider", value)}
          />
        </Toolbar>
      )}
      <Agents agents={agents} isFiltered={isFiltered} onClear={() => setAddress({}, AT_ONCE)} />
    </>
  );
}

interface AgentsProps {
  readonly agents: ReturnType<typeof useAgents>;
  readonly isFiltered: boolean;
  onClear(): void;
}

function Agents({ agents, isFiltered, onClear }: AgentsProps) {
  const { rows, failure, reload, hasMore, isLoadingMore, loadMore } = agents;
  if (rows === undefined)
    return failure === null ? (
      <CardsSkeleton />
    ) : (
      <FailureState title="The agents could not be loaded." message={failure.message} onRetry={reload} />
    );
  if (rows.length === 0 && isFiltered)
    return (
      <EmptyState picture="search" title="No agent matches" action={<Button onClick={onClear}>Show all agents</Button>}>
        Nothing here has that name, role, status and provider.
      </EmptyState>
    );
  if (rows.length === 0)
    return (
      <EmptyState
        picture="agents"
        title="No agents yet"
        action={
          <ButtonLink to="/agents/new" variant="primary" icon={<Plus />}>
            Make the first one
          </ButtonLink>
        }
      >
        An agent is a model with a name, a role and instructions of yours. Give it tools, try it out here, then let it
        talk with others in a swarm.
      </EmptyState>
    );
  return (
    <CardGrid
      label="Agents"
      rows={rows}
      keyOf={({ id }) => id}
      cardHeight={CARD_HEIGHT}
      renderCard={(agent) => <AgentCard agent={agent} />}
      onEndReached={loadMore}
      foot={
        rows.length > FEW && (
          <Pager shown={rows.length} hasMore={hasMore} isBusy={isLoadingMore} onMore={loadMore} noun="agents" />
        )
      }
    />
  );
}

function useAgentCommands(agents: readonly Agent[] | undefined): void {
  const navigate = useNavigate();
  const commands = useMemo<readonly Command[]>(
    () => [
      {
        id: "agents.new",
        label: "New agent",
        group: "Agents",
        icon: <Plus />,
        keys: "n",
        run: () => void navigate("/agents/new"),
      },
      ...(agents ?? []).slice(0, MOST_COMMANDS).map(({ id, name, role }) => ({
        id: `agents.open.${id}`,
        label: `Open ${name}`,
        group: "Agents",
        icon: <Bot />,
        keywords: role === null ? [] : [role],
        run: () => void navigate(`/agents/${id}`),
      })),
    ],
    [navigate, agents],
  );
  useCommands(commands);
}
