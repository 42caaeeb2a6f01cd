import { isFinalRunStatus } from "@swarmbase/sdk";
import { Square } from "lucide-react";
import { useMemo } from "react";
import { useNavigate } from "react-router";
import { stopRuns } from "../../data/bulk.ts";
import { useRunChoices } from "../../data/names.ts";
import { type ListedRun, useAllRuns } from "../../data/traces.ts";
import { BulkBar } from "../../components/bulk-bar.tsx";
import type { Column } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { labelOfRun, RUN_COLUMNS } from "../../components/run-columns.tsx";
import { RUN_STATUS_CHOICES } from "../../components/run-labels.ts";
import { Select } from "../../components/select.tsx";
import { SortSelect } from "../../components/sort-select.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { typed } from "../../components/typed.ts";
import { useSelection } from "../../components/use-selection.ts";
import { type AddressedRunFilter, useRunFilter } from "./use-run-filter.ts";

const COLUMNS: readonly Column<ListedRun>[] = [
  RUN_COLUMNS.question,
  { title: "Swarm", width: "1.2fr", render: ({ swarms }) => swarms?.name ?? "–" },
  RUN_COLUMNS.status,
  RUN_COLUMNS.tokens,
  RUN_COLUMNS.cost,
  RUN_COLUMNS.duration,
  RUN_COLUMNS.when,
];

const ORDERS = ["newest", "oldest"] as const;

/** Other runs cannot be changed, so there is nothing to select them for. */
function isUnfinished({ status }: ListedRun): boolean {
  return !isFinalRunStatus(status);
}

/** The runs of all swarms. */
export function RunList() {
  const filters = useRunFilter();
  const navigate = useNavigate();
  const sort = filters.sort(ORDERS);
  const runs = useAllRuns(filters.filter, sort);
  const named = useMemo(() => runs.rows?.map((run) => ({ ...run, name: labelOfRun(run) })), [runs.rows]);
  const selection = useSelection(named, isUnfinished);
  return (
    <ListPage
      title="Runs"
      description="Every question to your swarms, with what happened until its answer."
      filters={filters}
      searchLabel="Search by question or id"
      selects={
        <>
          <RunSelects filters={filters} />
          <SortSelect value={sort} orders={ORDERS} onChange={filters.setSort} />
        </>
      }
      bulk={
        <BulkBar
          selection={selection}
          nouns={["run", "runs"]}
          actions={[
            {
              label: "Stop",
              past: "stopped",
              icon: <Square />,
              explanation: "What the agents have written so far stays. Only unfinished runs can be stopped.",
              run: stopRuns,
            },
          ]}
        />
      }
      noun="runs"
      one="run"
      noMatchHint="Filters compare the question, the swarm, the agents that answered, the status and the day."
      pages={runs}
      empty={
        <EmptyState
          picture="events"
          title="No run yet"
          action={
            <ButtonLink to="/swarms" variant="primary">
              Ask a swarm
            </ButtonLink>
          }
        >
          A run is the processing of one question: turns, model calls, tool calls, cost, and the reason why it ended.
        </EmptyState>
      }
      table={{
        label: "Runs",
        columns: COLUMNS,
        keyOf: ({ id }) => id,
        onOpen: { label: (run) => labelOfRun(run), open: ({ id }) => void navigate(`/runs/${id}`) },
        selection: { ...selection, name: (run) => labelOfRun(run), can: isUnfinished },
      }}
    />
  );
}

function RunSelects({ filters }: { readonly filters: AddressedRunFilter }) {
  const { filter, sinceDay, untilDay, set } = filters;
  const { swarms, agents } = useRunChoices();
  return (
    <>
      <Select
        aria-label="Status"
        value={filter.status}
        choices={RUN_STATUS_CHOICES}
        onChange={(value) => set("status", value === "all" ? "" : value)}
        className="w-[calc(50%-0.25rem)] sm:w-40"
      />
      <Select
        aria-label="Swarm"
        value={filter.swarmId}
        choices={toChoices("Any swarm", swarms, filter.swarmId)}
        onChange={(value) => set("swarm", value)}
        className="w-[calc(50%-0.25rem)] sm:w-40"
      />
      <Select
        aria-label="Agent"
        value={filter.agentId}
        choices={toChoices("Any agent", agents, filter.agentId)}
        onChange={(value) => set("agent", value)}
        className="w-[calc(50%-0.25rem)] sm:w-40"
      />
      <div className="flex w-full min-w-0 items-center gap-2 sm:w-auto">
        <TextInput type="date" aria-label="From" {...typed(sinceDay, (text) => set("from", text))} />
        <span className="text-ink-faint">to</span>
        <TextInput type="date" aria-label="To" {...typed(untilDay, (text) => set("to", text))} />
      </div>
    </>
  );
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The value of the address stays a choice when it is not listed. */
function toChoices(any: string, rows: readonly Named[], chosen: string) {
  const isKnown = chosen === "" || rows.some(({ id }) => id === chosen);
  return [
    { value: "", label: any },
    ...rows.map(({ id, name }) => ({ value: id, label: name })),
    ...(isKnown ? [] : [{ value: chosen, label: "Another one" }]),
  ];
}
