import { Pause, Play, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import type { Change } from "../../data/change.ts";
import { useEventTail } from "../../data/events.ts";
import { useNames } from "../../data/names.ts";
import { useAddress } from "../../components/use-address.ts";
import { Button } from "../../components/button.tsx";
import { useCommands } from "../../components/commands.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { IconButton } from "../../components/icon-button.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { FailureState } from "../../components/failure-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Pager } from "../../components/pager.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";
import { ChangeList } from "./change-list.tsx";
import { describeChange, type Names } from "./describe-change.ts";
import { EventFilters } from "./event-filters.tsx";
import { EventsCode } from "./events-code.tsx";
import { matchesFilter, readFilter } from "./filter.ts";
import type { Line } from "./line.ts";
import { LiveBadge } from "./live-badge.tsx";
import { useScrolledAway } from "./use-scrolled-away.ts";

export function EventsPage() {
  const [isPaused, setPaused] = useState(false);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  // Pauses while the user has scrolled down, so that the lines do not move.
  const isAway = useScrolledAway();
  const tail = useEventTail(isPaused || isAway);
  const { address: params, change, clear } = useAddress();
  const filter = useMemo(() => readFilter(params), [params]);
  const names = useKnownNames(tail.shown);
  const lines = useMemo(() => tail.shown.map((change) => toLine(change, names)), [tail.shown, names]);
  const found = useMemo(() => lines.filter((line) => matchesFilter(line, filter)), [lines, filter]);
  useCommands([
    {
      id: "events.pause",
      label: isPaused ? "Resume the events" : "Pause the events",
      group: "Events",
      icon: isPaused ? <Play /> : <Pause />,
      keys: "p",
      run: () => setPaused(!isPaused),
    },
    { id: "events.clear", label: "Clear the events", group: "Events", icon: <Trash2 />, run: tail.clear },
  ]);
  const { history } = tail;
  const isLoading = !history.isRead && lines.length === 0;
  return (
    <>
      <PageHeader
        title="Events"
        description="Live changes of everything that you may see, the newest first."
        trailing={<LiveBadge isLive={tail.isLive} isPaused={isPaused} />}
        actions={
          <>
            <IconButton label="Clear the list" icon={<Trash2 />} disabled={lines.length === 0} onClick={tail.clear} />
            <EventsCode />
            <Button icon={isPaused ? <Play /> : <Pause />} onClick={() => setPaused(!isPaused)}>
              {isPaused ? "Resume" : "Pause"}
            </Button>
          </>
        }
      />
      <EventFilters filter={filter} onChange={change} shown={found.length} kept={lines.length} />
      {tail.waiting.length > 0 && (
        <NewOnes
          count={tail.waiting.length}
          onShow={() => {
            setPaused(false);
            scrollTo({ top: 0 });
          }}
        />
      )}
      {isLoading && <ListSkeleton />}
      {history.failure !== null && (
        <FailureState
          title="Earlier events could not be loaded"
          message={history.failure.message}
          onRetry={history.loadMore}
        />
      )}
      {!isLoading && history.failure === null && lines.length === 0 && <Quiet />}
      {lines.length > 0 && found.length === 0 && (
        <EmptyState
          picture="search"
          title="No events match"
          action={<Button onClick={() => clear()}>Show everything</Button>}
        >
          New matching events appear here.
        </EmptyState>
      )}
      {found.length > 0 && <ChangeList lines={found} open={open} onOpen={setOpen} />}
      {lines.length > 0 && (
        <Pager
          shown={lines.length}
          hasMore={history.hasMore}
          isBusy={history.isLoading}
          onMore={history.loadMore}
          noun="events"
        />
      )}
    </>
  );
}

function toLine(change: Change, names: Names): Line {
  const { key, at } = change;
  return change.kind === "gap"
    ? { key, at, described: null, row: null }
    : { key, at, described: describeChange(change, names), row: change.row };
}

/** Includes rows that were created after the names were read. */
function useKnownNames(shown: readonly Change[]): Names {
  const read = useNames();
  return useMemo(() => {
    const names = new Map(read);
    for (const change of shown.toReversed()) {
      if (change.kind === "gap" || (change.table !== "agents" && change.table !== "swarms")) continue;
      const { id, name } = change.row;
      if (typeof id === "string" && typeof name === "string") names.set(id, name);
    }
    return names;
  }, [read, shown]);
}

function NewOnes({ count, onShow }: { readonly count: number; readonly onShow: () => void }) {
  return (
    <div className="pointer-events-none sticky top-3 z-10 mb-3 flex justify-center">
      <Button variant="primary" size="small" onClick={onShow} className="pointer-events-auto !rounded-full shadow-2">
        {count} new
      </Button>
    </div>
  );
}

function Quiet() {
  return (
    <EmptyState
      picture="events"
      title="No events yet"
      action={
        <>
          <ButtonLink to="/swarms" variant="primary">
            To the swarms
          </ButtonLink>
          <ButtonLink to="/agents">To the agents</ButtonLink>
        </>
      }
    >
      Messages, runs, tool calls, changes of agents and swarms, and webhook deliveries appear here as they happen. Ask
      something in a swarm in another tab to see them.
    </EmptyState>
  );
}
