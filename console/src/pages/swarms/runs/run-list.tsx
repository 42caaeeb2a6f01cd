import { RUN_STATUSES } from "@swarmbase/sdk";
import { useNavigate } from "react-router";
import { type Run, useRuns } from "../../../data/runs.ts";
import type { Column } from "../../../components/data-table.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { ButtonLink } from "../../../components/link.tsx";
import { List } from "../../../components/list-page.tsx";
import { labelOfRun, RUN_COLUMNS } from "../../../components/run-columns.tsx";
import { RUN_STATUS_CHOICES } from "../../../components/run-labels.ts";
import { Select } from "../../../components/select.tsx";
import { Toolbar } from "../../../components/toolbar.tsx";
import { useFilters } from "../../../components/use-filters.ts";
import { useSwarmContext } from "../swarm/swarm-context.ts";

const COLUMNS: readonly Column<Run>[] = [
  RUN_COLUMNS.question,
  RUN_COLUMNS.status,
  { title: "Turns", width: "4rem", isNumber: true, render: ({ turn_count: turns }) => turns },
  RUN_COLUMNS.tokens,
  RUN_COLUMNS.cost,
  RUN_COLUMNS.duration,
  RUN_COLUMNS.when,
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
      <List
        noun="runs"
        pages={runs}
        isFiltered={filters.isFiltered}
        empty={empty}
        noMatch={empty}
        table={{
          label: "Runs",
          columns: COLUMNS,
          keyOf: ({ id }) => id,
          onOpen: {
            label: (run) => labelOfRun(run),
            open: ({ id }) => void navigate(`/swarms/${swarm.id}/runs/${id}`),
          },
        }}
      />
    </div>
  );
}
