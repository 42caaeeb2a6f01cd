import { isFinalRunStatus, RUN_STATUSES } from "@swarmbase/sdk";
import { Square } from "lucide-react";
import { useMemo } from "react";
import { useNavigate } from "react-router";
import { stopRuns } from "../../data/bulk.ts";
import { type NameChoice, useRunChoices } from "../../data/names.ts";
import { type ListedRun, type RunOrder, useAllRuns } from "../../data/traces.ts";
import type { Column } from "../../components/data-table.tsx";
import { formatCompact, formatDuration, formatMoney } from "../../components/formats.ts";
import { ButtonLink } from "../../components/link.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { durationOf, RUN_STATUS_CHOICES } from "../../components/run-labels.ts";
import { StatusBadge } from "../../components/status-dot.tsx";
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
  const status = filters.choice("status", RUN_STATUSES) ?? "all";
  const [swarmId, agentId] = [filters.get("swarm"), filters.get("agent")];
  const runs = useAllRuns(
    useMemo(() => ({ status, swarmId, agentId, range, search }), [status, swarmId, agentId, range, search]),
    filters.sort(KNOWN_ORDERS),
  );
  const { swarms, agents } = useRunChoices();
  const columns = useColumns(agents);
  const named = useMemo(() => runs.rows?.map((run) => ({ ...run, name: labelOfRun(run) })), [runs.rows]);
  const selection = useSelection(named, isUnfinished);
  return (
    <ListPage
      title="Runs"
      description="Every question to your swarms, with what happened until its answer."
      filters={filters}
      searchLabel="Search by question or id"
      choices={[
        { name: "status", label: "Status", choices: RUN_STATUS_CHOICES },
        { name: "swarm", label: "Swarm", choices: swarms },
        { name: "agent", label: "Agent", choices: agents },
      ]}
      hasTime
      orders={ORDERS}
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
      noMatchHint="Filters compare the question, the swarm, the agents that answered, the status and the time."
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
        columns,
        onOpen: { label: (run) => labelOfRun(run), open: ({ id }) => void navigate(`/runs/${id}`) },
        selection: { ...selection, name: (run) => labelOfRun(run), can: isUnfinished },
      }}
    />
  );
}

/** The accessible name of the row of a run. */
function labelOfRun({ question }: ListedRun): string {
  return `Open the run: ${toPlainLine(question?.content ?? "deleted", 60)}`;
}

function useColumns(agents: readonly NameChoice[]): readonly Column<ListedRun>[] {
  return useMemo(() => {
    const names = new Map(agents.map(({ value, label }) => [value, label]));
    const listed = (values: readonly (string | null | undefined)[]) =>
      [...new Set(values)].filter((value) => value !== null && value !== undefined).join(", ") || "–";
    return [
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
        render: ({ run_turns: turns = [] }) => listed(turns.map(({ agent_id: id }) => names.get(id ?? ""))),
      },
      {
        title: "Model",
        narrow: "hidden",
        render: ({ run_turns: turns = [] }) => listed(turns.map((turn) => turn.model)),
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
  }, [agents]);
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
