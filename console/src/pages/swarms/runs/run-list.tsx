import { RUN_STATUSES } from "@swarmbase/sdk";
import { useNavigate } from "react-router";
import { type Run, useRuns } from "../../../data/runs.ts";
import { type Column, DataTable } from "../../../components/data-table.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { formatCompact, formatDuration, formatMoney } from "../../../components/formats.ts";
import { ButtonLink } from "../../../components/link.tsx";
import { List } from "../../../components/list-page.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { durationOf, RUN_STATUS_CHOICES } from "../../../components/run-labels.ts";
import { Select } from "../../../components/select.tsx";
import { StatusBadge } from "../../../components/status-dot.tsx";
import { Toolbar } from "../../../components/toolbar.tsx";
import { useFilters } from "../../../components/use-filters.ts";
import { useSwarmContext } from "../swarm/swarm-context.ts";
import { toPlainLine } from "../../../components/to-plain-line.ts";

const COLUMNS: readonly Column<Run>[] = [
  {
    title: "Question",
    width: "2.5fr",
    narrow: "title",
    render: ({ question }) => (
      <span className="font-medium">{question?.content ? toPlainLine(question.content) : "Deleted"}</span>
    ),
  },
  { title: "Status", width: "8rem", narrow: "trailing", render: ({ status }) => <StatusBadge status={status} /> },
  { title: "Turns", width: "4rem", isNumber: true, render: ({ turn_count: turns }) => turns },
  {
    title: "Tokens",
    width: "5rem",
    isNumber: true,
    render: ({ usage }) => (usage === null ? "–" : formatCompact(usage.total_tokens)),
  },
  {
    title: "Cost",
    width: "6rem",
    isNumber: true,
    render: ({ usage }) => (usage?.cost_usd === null || usage === null ? "–" : formatMoney(usage.cost_usd)),
  },
  {
    title: "Duration",
    width: "6rem",
    isNumber: true,
    render: (run) => {
      const took = durationOf(run);
      return took === null ? "–" : formatDuration(took);
    },
  },
  { title: "When", width: "9rem", isNumber: true, render: ({ created_at: at }) => <RelativeTime at={at} /> },
];

/** The runs of a swarm, the newest first. */
export function RunList() {
  const { swarm } = useSwarmContext();
  const filters = useFilters();
  const navigate = useNavigate();
  const status = filters.choice("status", RUN_STATUSES) ?? "all";
  const runs = useRuns(swarm.id, status);
  const empty = (
    <EmptyState
      picture="events"
      title={status === "all" ? "No run yet" : "No run matches"}
      action={
        <ButtonLink to={`/swarms/${swarm.id}`} variant="primary">
          Ask something
        </ButtonLink>
      }
    >
      A run is the processing of one question: turns, tool calls, cost, and the reason why it ended.
    </EmptyState>
  );
  return (
    <div className="mx-auto w-full max-w-6xl px-4 py-6 pb-28 sm:px-6 lg:pb-16">
      <h2 className="sr-only">Runs</h2>
      <Toolbar label="Filter the runs">
        <Select
          aria-label="Status"
          value={status}
          choices={RUN_STATUS_CHOICES}
          onChange={(value) => filters.set("status", value === "all" ? "" : value)}
          className="w-44"
        />
      </Toolbar>
      <List noun="runs" pages={runs} isFiltered={filters.isFiltered} empty={empty} noMatch={empty}>
        {(rows, foot) => (
          <DataTable
            label="Runs"
            columns={COLUMNS}
            rows={rows}
            keyOf={({ id }) => id}
            onOpen={{
              label: ({ question }) => `Open the run: ${toPlainLine(question?.content ?? "deleted", 60)}`,
              open: ({ id }) => void navigate(`/swarms/${swarm.id}/runs/${id}`),
            }}
            onEndReached={runs.loadMore}
            foot={foot}
          />
        )}
      </List>
    </div>
  );
}
