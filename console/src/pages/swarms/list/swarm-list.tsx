import { SWARM_STATUSES } from "@swarmbase/sdk";
import { CheckCheck } from "lucide-react";
import { useMemo } from "react";
import { useApprovals } from "../../../data/approvals.ts";
import { useBulk } from "../../../data/bulk.ts";
import { SORTS } from "../../../data/keyset.ts";
import { markAllRead } from "../../../data/read-positions.ts";
import { type RunningRow, type SwarmSummary, useRunsUnderWay, useSwarms } from "../../../data/swarms.ts";
import { useAnswerInvitation, useInvitations } from "../../../data/invitations.ts";
import { type BulkAction, switchActions } from "../../../components/bulk-bar.tsx";
import { columnsOf } from "../../../components/csv.ts";
import { NAMED_ORDERS } from "../../../components/list-filters.tsx";
import { ListPage } from "../../../components/list-page.tsx";
import { useFilters } from "../../../components/use-filters.ts";
import { useSelection } from "../../../components/use-selection.ts";
import { VirtualList } from "../../../components/virtual-list.tsx";
import { InvitationList } from "../../../components/invitation-list.tsx";
import { STATUS_LABELS } from "../labels.ts";
import { SwarmRow } from "./swarm-row.tsx";

const CHOICES = SWARM_STATUSES.map((value) => ({ value, label: STATUS_LABELS[value] }));
const EXPORTED = columnsOf<SwarmSummary>("name", "description", "status", "created_at");

const MARK_AS_READ: BulkAction<SwarmSummary> = {
  label: "Mark as read",
  past: "marked as read",
  icon: <CheckCheck />,
  explanation: "On all your devices.",
  run: markAllRead,
};
const BULK_TEXTS = {
  on: "Agents answer again.",
  off: "People can still write, and agents do not answer until the swarms are activated.",
  remove: "All their messages and runs are deleted, for all members. This cannot be undone.",
};

export function SwarmList() {
  const filters = useFilters();
  const status = filters.choice("status", SWARM_STATUSES) ?? "all";
  const sort = filters.sort(SORTS);
  const swarms = useSwarms({ search: filters.debouncedSearch, status, sort });
  const selection = useSelection(swarms.rows);
  const bulk = useBulk("swarms");
  const running = useRunningBySwarm();
  const { rows: approvals = [] } = useApprovals();
  const asking = new Set(approvals.map(({ swarmId }) => swarmId));
  return (
    <ListPage
      title="Swarms"
      description="Conversations of people and agents. The strategy decides which agents answer."
      named={{ path: "swarms" }}
      above={<Invitations />}
      noun="swarms"
      one="swarm"
      noMatchHint="Try another search term or status."
      filters={filters}
      searchLabel="Search by name"
      choices={[{ name: "status", label: "Status", choices: CHOICES }]}
      orders={NAMED_ORDERS}
      exported={EXPORTED}
      bulk={{ selection, actions: [MARK_AS_READ, ...switchActions(bulk, "status", BULK_TEXTS, ["active", "paused"])] }}
      pages={swarms}
      empty="A swarm is a conversation: add two agents, ask something, and watch them answer each other. You can also invite people."
      picture="swarms"
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

function Invitations() {
  const { rows = [] } = useInvitations();
  const answer = useAnswerInvitation();
  return (
    <div className="mb-5 empty:hidden">
      <InvitationList
        invitations={rows}
        onAnswer={async ({ id }, isAccepted) => (await answer.run({ id, isAccepted })) !== null}
      />
    </div>
  );
}
