import { AGENT_STATUSES, type AgentStatus, FRAMEWORKS } from "@swarmbase/sdk";
import { useState } from "react";
import { Route, Routes, useNavigate } from "react-router";
import { BULK_DELETE } from "../../components/bulk-bar.tsx";
import { Button } from "../../components/button.tsx";
import { CardGrid } from "../../components/card-grid.tsx";
import { columnsOf } from "../../components/csv.ts";
import { FormFrame } from "../../components/form-frame.tsx";
import { SAVED } from "../../components/leave-guard.tsx";
import { NAMED_ORDERS } from "../../components/list-filters.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { NoSuchRow } from "../../components/no-such-row.tsx";
import { OneRow } from "../../components/one-row.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { CardsSkeleton } from "../../components/skeleton.tsx";
import { useFilters } from "../../components/use-filters.ts";
import { useFreshErrors } from "../../components/use-fresh-errors.ts";
import { useSelection } from "../../components/use-selection.ts";
import { type Agent, type AgentDraft, useAgents } from "../../data/agents.ts";
import { useBulk } from "../../data/bulk.ts";
import { useInsertRow } from "../../data/changed-rows.ts";
import { getConfig } from "../../data/client.ts";
import { SORTS } from "../../data/keyset.ts";
import { listProviderChoices } from "../../data/providers.ts";
import { AgentCard } from "./agent-card.tsx";
import { EMPTY_DRAFT, isSameDraft, tidyDraft, touchParts } from "./agent-draft.ts";
import { AgentForm } from "./agent-form.tsx";
import { AgentPage } from "./agent-page.tsx";

const STARTERS: readonly Start[] = [
  {
    name: "Ada",
    role: "Explains",
    system_prompt:
      "You explain things to people who are new to them.\n\n- Begin with the answer, then say why.\n- Use one example from everyday life.\n- Say so when you are not sure.\n- Stay below 150 words unless somebody asks for more.",
    settings: { temperature: 0.5 },
  },
  {
    name: "Max",
    role: "Doubts",
    system_prompt:
      "You read what was said before you and look for what is missing, wrong or only assumed.\n\n- Name the weakest point first.\n- Say what would convince you.\n- Be kind: it is about the matter, never about the person.\n- If everything holds, say so in one sentence.",
    settings: { temperature: 0.3 },
  },
  {
    name: "Iris",
    role: "Has ideas",
    system_prompt:
      "You bring ideas that nobody has mentioned yet.\n\n- Give three, from the obvious to the daring.\n- One sentence each, and one about what it would take to try it.\n- Do not judge them: others do.",
    settings: { temperature: 1.1, presence_penalty: 0.6 },
  },
  {
    name: "Nora",
    role: "Sums up",
    system_prompt:
      "You sum up a conversation for somebody who was not there.\n\n- What was decided, with names.\n- What is open, and who has it.\n- Nothing that was not said.",
    settings: { temperature: 0.2 },
  },
];

const CARD_HEIGHT = 194;

const STATUS_LABELS: Readonly<Record<AgentStatus, string>> = {
  idle: "Idle",
  thinking: "Thinking",
  responding: "Responding",
  error: "Error",
};

const STATUS_CHOICES = AGENT_STATUSES.map((value) => ({ value, label: STATUS_LABELS[value] }));

const EXPORTED = columnsOf<Agent>("name", "role", "status", "framework", "model", "created_at");

export function AgentsPage() {
  return (
    <Routes>
      <Route index element={<AgentList />} />
      <Route path="new" element={<NewAgent />} />
      <Route path=":id/:tab?" element={<OneRow page={AgentPage} />} />
      <Route path="*" element={<NoSuchRow noun="agent" />} />
    </Routes>
  );
}

function AgentList() {
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

function NewAgent() {
  const [initial] = useState<AgentDraft>(() => ({ ...EMPTY_DRAFT, framework: getConfig().framework }));
  const [draft, setDraft] = useState(initial);
  const create = useInsertRow<AgentDraft>("agents");
  const navigate = useNavigate();
  const { errors, touch } = useFreshErrors(create.errors);
  const change = (part: Partial<AgentDraft>) => {
    setDraft((old) => ({ ...old, ...part }));
    touchParts(touch, draft, part);
  };
  const submit = async () => {
    const agent = await create.run(tidyDraft(draft));
    if (agent !== null) await navigate(`/agents/${agent.id}/try`, { state: SAVED });
  };
  return (
    <>
      <PageHeader
        title="New agent"
        description="Only the name is required. Everything can be changed later."
        crumbs={[{ label: "Agents", to: "/agents" }]}
      />
      <FormFrame
        label="New agent"
        action="Create agent"
        isBusy={create.isBusy || create.isDone}
        isDirty={!isSameDraft(draft, initial)}
        failure={create.failure}
        errors={errors}
        onSubmit={() => void submit()}
        onCancel={() => void navigate("/agents")}
      >
        <AgentForm draft={draft} onChange={change} errors={errors} starters={<Starters onChoose={change} />} />
      </FormFrame>
    </>
  );
}

type Start = Pick<AgentDraft, "name" | "role" | "system_prompt" | "settings">;

interface StartersProps {
  onChoose(start: Start): void;
}

/** Templates that fill in the form. */
function Starters({ onChoose }: StartersProps) {
  return (
    <div role="group" aria-label="Start from a template" className="flex flex-wrap items-center gap-1.5">
      <span className="mr-1 text-sm text-ink-faint">Start from</span>
      {STARTERS.map((start) => (
        <Button key={start.name} size="small" onClick={() => onChoose(start)}>
          {start.name} <span className="font-normal text-ink-faint">{start.role?.toLowerCase()}</span>
        </Button>
      ))}
    </div>
  );
}
