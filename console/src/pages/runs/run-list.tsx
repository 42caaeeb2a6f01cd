import { isFinalRunStatus, isUuid, RUN_STATUSES } from "@swarmbase/sdk";
import { Square } from "lucide-react";
import { useMemo } from "react";
import { useNavigate } from "react-router";
import { stopRuns } from "../../data/bulk.ts";
import { type Named, useChoices } from "../../data/choices.ts";
import { useModels } from "../../data/models.ts";
import { usePeople } from "../../data/people.ts";
import { useAgentChoices } from "../../data/swarm-agents.ts";
import { isRecentOnly, type ListedRun, RECENT_DAYS, type RunOrder, useAllRuns } from "../../data/traces.ts";
import type { Column } from "../../components/data-table.tsx";
import { formatCompact, formatDuration, formatMoney } from "../../components/formats.ts";
import { ButtonLink } from "../../components/link.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { durationOf, RUN_STATUS_CHOICES } from "../../components/run-labels.ts";
import { StatusBadge } from "../../components/status-dot.tsx";
import type { Choice } from "../../components/select.tsx";
import { toPlainLine } from "../../components/to-plain-line.ts";
import { useFilters } from "../../components/use-filters.ts";
import { useSelection } from "../../components/use-selection.ts";
import { whenColumn } from "../../components/when-column.tsx";

const ORDERS: Readonly<Record<RunOrder, string>> = {
  newest: "Newest first",
  cost: "Most expensive first",
  duration: "Slowest first",
  errors: "Errors first",
  oldest: "Oldest first",
};
const KNOWN_ORDERS = Object.keys(ORDERS) as [RunOrder];

/** Other runs cannot be changed, so there is nothing to select them for. */
function isUnfinished({ status }: ListedRun): boolean {
  return !isFinalRunStatus(status);
}

/** The runs of all swarms. */
export function RunList() {
  const filters = useFilters();
  const navigate = useNavigate();
  const { debouncedSearch: search, range } = filters;
  const status = filters.choice("status", RUN_STATUSES) ?? "";
  const [swarmId, agentId] = [filters.get("swarm"), filters.get("agent")];
  const [model, userId] = [filters.get("model"), filters.get("starter")];
  const order = filters.sort(KNOWN_ORDERS);
  const runs = useAllRuns(
    useMemo(
      () => ({
        equal: { status, swarm_id: swarmId, user_id: userId, "asked.agent_id": agentId, "asked.model": model },
        range,
        search,
      }),
      [status, swarmId, agentId, model, userId, range, search],
    ),
    order,
  );
  const agents = useAgentChoices([agentId]);
  const swarms = useChoices("swarms", { ids: [swarmId] });
  const models = [...new Set(useModels().rows?.map(({ id }) => id))].map((id) => ({ value: id, label: id }));
  const starters = usePeople().flatMap(({ id, title: label }) => (isUuid(id) ? { value: id, label } : []));
  const named = useMemo(() => runs.rows?.map((run) => ({ ...run, name: questionOf(run) })), [runs.rows]);
  const selection = useSelection(named, isUnfinished);
  return (
    <ListPage
      title="Runs"
      description="Every question to your swarms, with what happened until its answer."
      filters={filters}
      searchLabel="Search by question or id"
      choices={[
        { name: "status", label: "Status", choices: RUN_STATUS_CHOICES },
        { name: "swarm", label: "Swarm", choices: toChoices(swarms.rows), onSearch: swarms.search },
        { name: "agent", label: "Agent", choices: toChoices(agents.rows), onSearch: agents.search },
        { name: "model", label: "Model", choices: models },
        { name: "starter", label: "Starter", choices: starters },
      ]}
      hasTime
      orders={ORDERS}
      tools={
        isRecentOnly(range, order) && <p className="text-sm text-ink-soft">Runs of the last {RECENT_DAYS} days.</p>
      }
      bulk={{
        selection,
        actions: [
          {
            label: "Stop",
            past: "stopped",
            icon: <Square />,
            explanation: "What the agents have written so far stays. Only unfinished runs can be stopped.",
            run: stopRuns,
          },
        ],
      }}
      noun="runs"
      one="run"
      noMatchHint="Filters compare the question, the swarm, who started the run, agents and models that answered, status and time."
      pages={runs}
      empty="A run is the processing of one question: turns, model calls, tool calls, cost, and the reason why it ended."
      picture="events"
      emptyAction={
        <ButtonLink to="/swarms" variant="primary">
          Ask a swarm
        </ButtonLink>
      }
      table={{
        label: "Runs",
        columns: COLUMNS,
        onOpen: { label: (run) => `Open the run: ${questionOf(run)}`, open: ({ id }) => void navigate(`/runs/${id}`) },
        selection: { ...selection, name: questionOf, can: isUnfinished },
      }}
    />
  );
}

function questionOf({ question }: ListedRun): string {
  return toPlainLine(question?.content ?? "deleted", 60);
}

const COLUMNS: readonly Column<ListedRun>[] = [
  {
    title: "Question",
    width: "2fr",
    narrow: "title",
    text: ({ question }) => question?.content,
    render: ({ question }) => (
      <span className="font-medium">{question?.content ? toPlainLine(question.content) : "Deleted"}</span>
    ),
  },
  { title: "Swarm", render: ({ swarms }) => swarms?.name ?? "–" },
  {
    title: "Agent",
    render: ({ run_turns: turns = [] }) => listTexts(turns.map((turn) => turn.agent_name)),
  },
  {
    title: "Model",
    narrow: "hidden",
    render: ({ run_turns: turns = [] }) => listTexts(turns.map((turn) => turn.model)),
  },
  { title: "Started by", narrow: "hidden", render: ({ question }) => question?.sender_name ?? "–" },
  {
    title: "Status",
    width: "8rem",
    narrow: "trailing",
    text: ({ status }) => status,
    render: ({ status }) => <StatusBadge status={status} />,
  },
  figure("Tokens", ({ usage }) => usage?.total_tokens, formatCompact),
  figure("Cost", ({ usage }) => usage?.cost_usd, formatMoney),
  figure("Duration", durationOf, formatDuration),
  { ...whenColumn(), narrow: "line" },
];

function listTexts(values: readonly string[]): string {
  return [...new Set(values)].join(", ") || "–";
}

function toChoices(rows: readonly Named[] = []): readonly Choice[] {
  return rows.map(({ id, name }) => ({ value: id, label: name }));
}

function figure(
  title: string,
  text: (run: ListedRun) => number | null | undefined,
  format: (value: number) => string,
): Column<ListedRun> {
  const render = (run: ListedRun) => {
    const value = text(run);
    return value === null || value === undefined ? "–" : format(value);
  };
  return { title, width: "5rem", isNumber: true, text, render };
}
