import { SWARM_STATUSES } from "@swarmbase/sdk";
import { MessagesSquare, Plus } from "lucide-react";
import { useMemo } from "react";
import { useApprovals } from "../../../data/approvals.ts";
import { SORTS } from "../../../data/keyset.ts";
import { type RunningRow, useRunsUnderWay, useSwarms } from "../../../data/swarms.ts";
import { EmptyState } from "../../../components/empty-state.tsx";
import { ButtonLink } from "../../../components/link.tsx";
import { ListPage } from "../../../components/list-page.tsx";
import { Select } from "../../../components/select.tsx";
import { SortSelect } from "../../../components/sort-select.tsx";
import { useFilters } from "../../../components/use-filters.ts";
import { useListCommands } from "../../../components/use-list-commands.tsx";
import { useSelection } from "../../../components/use-selection.ts";
import { VirtualList } from "../../../components/virtual-list.tsx";
import { STATUS_LABELS } from "../labels.ts";
import { Invitations } from "./invitations.tsx";
import { SwarmBulkBar } from "./swarm-bulk-bar.tsx";
import { SwarmRow } from "./swarm-row.tsx";

const CHOICES = [
  { value: "all", label: "Every status" },
  ...SWARM_STATUSES.map((value) => ({ value, label: STATUS_LABELS[value] })),
] as const;

export function SwarmList() {
  const filters = useFilters();
  const status = filters.choice("status", SWARM_STATUSES) ?? "all";
  const sort = filters.sort(SORTS);
  const swarms = useSwarms({ search: filters.debouncedSearch, status, sort });
  const selection = useSelection(swarms.rows);
  const running = useRunningBySwarm();
  const { rows: approvals = [] } = useApprovals();
  const asking = new Set(approvals.map(({ swarmId }) => swarmId));
  useListCommands({
    path: "swarms",
    newLabel: "New swarm",
    group: "Swarms",
    icon: <MessagesSquare />,
    rows: swarms.rows,
  });
  return (
    <ListPage
      title="Swarms"
      description="Conversations of people and agents. The strategy decides which agents answer."
      actions={
        <ButtonLink to="/swarms/new" variant="primary" icon={<Plus />}>
          New swarm
        </ButtonLink>
      }
      above={<Invitations />}
      noun="swarms"
      one="swarm"
      noMatchHint="Try another search term or status."
      filters={filters}
      searchLabel="Search by name"
      selects={
        <>
          <Select
            aria-label="Status"
            value={status}
            choices={CHOICES}
            onChange={(value) => filters.set("status", value === "all" ? "" : value)}
            className="w-36 flex-1 sm:w-40 sm:flex-none"
          />
          <SortSelect value={sort} orders={SORTS} onChange={filters.setSort} />
        </>
      }
      bulk={<SwarmBulkBar selection={selection} />}
      pages={swarms}
      empty={
        <EmptyState
          picture="swarms"
          title="No swarm yet"
          action={
            <ButtonLink to="/swarms/new" variant="primary" icon={<Plus />}>
              Make the first swarm
            </ButtonLink>
          }
        >
          A swarm is a conversation: add two agents, ask something, and watch them answer each other. You can also
          invite people.
        </EmptyState>
      }
    >
      {(rows, foot) => (
        <div className="overflow-hidden rounded-lg border border-line bg-surface shadow-1">
          <VirtualList
            label="Swarms"
            rows={rows}
            keyOf={({ id }) => id}
            rowHeight={77}
            renderRow={(swarm) => (
              <SwarmRow
                swarm={swarm}
                running={running.get(swarm.id)}
                needsUser={asking.has(swarm.id)}
                isSelected={selection.has(swarm.id)}
                onToggle={selection.toggle}
              />
            )}
            onEndReached={swarms.loadMore}
            {...(swarms.hasMore && { foot })}
          />
        </div>
      )}
    </ListPage>
  );
}

/** The status of a swarm with several runs is `requires_action` if one of them needs an action. */
function useRunningBySwarm(): ReadonlyMap<string, RunningRow["status"]> {
  const runs = useRunsUnderWay();
  return useMemo(() => {
    const bySwarm = new Map<string, RunningRow["status"]>();
    for (const { swarm_id: id, status } of runs)
      if (status === "requires_action" || bySwarm.get(id) !== "requires_action") bySwarm.set(id, status);
    return bySwarm;
  }, [runs]);
}
