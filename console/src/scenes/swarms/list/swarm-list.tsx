import { SWARM_STATUSES, type SwarmStatus } from "@swarmbase/sdk";
import { MessagesSquare, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { type RunningRow, type SwarmSummary, useRunsUnderWay, useSwarms } from "../../../data/swarms.ts";
import { Button } from "../../../parts/button.tsx";
import { type Command, useCommands } from "../../../parts/commands.tsx";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { FailureState } from "../../../parts/failure-state.tsx";
import { ButtonLink } from "../../../parts/link.tsx";
import { PageHeader } from "../../../parts/page-header.tsx";
import { Pager } from "../../../parts/pager.tsx";
import { SearchInput } from "../../../parts/search-input.tsx";
import { Select } from "../../../parts/select.tsx";
import { ListSkeleton } from "../../../parts/skeleton.tsx";
import { Toolbar } from "../../../parts/toolbar.tsx";
import { useSettled } from "../../../parts/use-settled.ts";
import { VirtualList } from "../../../parts/virtual-list.tsx";
import { STATUS_WORDS } from "../words.ts";
import { Invitations } from "./invitations.tsx";
import { SwarmRow } from "./swarm-row.tsx";

const CHOICES = [
  { value: "all", label: "Every status" },
  ...SWARM_STATUSES.map((value) => ({ value, label: STATUS_WORDS[value] })),
] as const;
/** As many as somebody would look for in the palette. */
const MOST_COMMANDS = 30;

export function SwarmList() {
  const [params, setParams] = useSearchParams();
  const [search, setSearch] = useState("");
  const status = SWARM_STATUSES.find((known) => known === params.get("status")) ?? "all";
  const pages = useSwarms({ search: useSettled(search), status });
  const running = useRunningBySwarm();
  useListCommands(pages.rows);
  const isFiltered = search !== "" || status !== "all";
  const setStatus = (next: SwarmStatus | "all") => setParams(next === "all" ? {} : { status: next }, { replace: true });
  return (
    <>
      <PageHeader
        title="Swarms"
        description="Rooms where people and agents talk. Each has a rule for who speaks when."
        actions={
          <ButtonLink to="/swarms/new" variant="primary" icon={<Plus />}>
            New swarm
          </ButtonLink>
        }
      />
      <Invitations />
      {(isFiltered || (pages.rows?.length ?? 0) > 0) && (
        <Toolbar label="Filter">
          <SearchInput label="Search by name" placeholder="Search" value={search} onChange={setSearch} />
          <Select aria-label="Status" value={status} choices={CHOICES} onChange={setStatus} className="w-36 sm:w-40" />
        </Toolbar>
      )}
      <Rows pages={pages} running={running} isFiltered={isFiltered} onClear={() => (setSearch(""), setStatus("all"))} />
    </>
  );
}

interface RowsProps {
  readonly pages: ReturnType<typeof useSwarms>;
  readonly running: ReadonlyMap<string, RunningRow["status"]>;
  readonly isFiltered: boolean;
  onClear(): void;
}

function Rows({ pages, running, isFiltered, onClear }: RowsProps) {
  const { rows, failure, reload, hasMore, isLoadingMore, loadMore } = pages;
  if (rows === undefined)
    return failure === null ? (
      <ListSkeleton />
    ) : (
      <FailureState title="The swarms could not be loaded" message={failure.message} onRetry={reload} />
    );
  if (rows.length === 0)
    return isFiltered ? (
      <EmptyState
        picture="search"
        title="No swarm matches"
        action={<Button onClick={onClear}>Clear the filter</Button>}
      >
        Try another word, or look among all of them.
      </EmptyState>
    ) : (
      <EmptyState
        picture="swarms"
        title="No swarm yet"
        action={
          <ButtonLink to="/swarms/new" variant="primary" icon={<Plus />}>
            Make the first swarm
          </ButtonLink>
        }
      >
        A swarm is a room: put two agents in, ask something, and watch them answer each other. People can be invited
        too.
      </EmptyState>
    );
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface shadow-1">
      <VirtualList
        label="Swarms"
        rows={rows}
        keyOf={({ id }) => id}
        rowHeight={77}
        renderRow={(swarm) => <SwarmRow swarm={swarm} running={running.get(swarm.id)} />}
        onEndReached={loadMore}
        {...(hasMore && {
          foot: <Pager shown={rows.length} hasMore isBusy={isLoadingMore} onMore={loadMore} noun="swarms" />,
        })}
      />
    </div>
  );
}

/** What needs somebody counts more than what works by itself. */
function useRunningBySwarm(): ReadonlyMap<string, RunningRow["status"]> {
  const runs = useRunsUnderWay();
  return useMemo(() => {
    const bySwarm = new Map<string, RunningRow["status"]>();
    for (const { swarm_id: id, status } of runs)
      if (status === "requires_action" || bySwarm.get(id) !== "requires_action") bySwarm.set(id, status);
    return bySwarm;
  }, [runs]);
}

function useListCommands(rows: readonly SwarmSummary[] | undefined): void {
  const navigate = useNavigate();
  const commands = useMemo<readonly Command[]>(
    () => [
      {
        id: "swarms.new",
        label: "New swarm",
        group: "Swarms",
        icon: <Plus />,
        keys: "n",
        run: () => void navigate("/swarms/new"),
      },
      ...(rows ?? []).slice(0, MOST_COMMANDS).map(({ id, name }) => ({
        id: `swarms.open.${id}`,
        label: `Open ${name}`,
        group: "Swarms",
        icon: <MessagesSquare />,
        run: () => void navigate(`/swarms/${id}`),
      })),
    ],
    [navigate, rows],
  );
  useCommands(commands);
}
