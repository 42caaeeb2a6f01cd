import { Pause, Play, Trash2 } from "lucide-react";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { Change } from "../../data/change.ts";
import { type EventTail, useEventTail } from "../../data/events.ts";
import { useNames } from "../../data/names.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { useCommands } from "../../components/commands.tsx";
import { IconButton } from "../../components/icon-button.tsx";
import { ListPage } from "../../components/list-page.tsx";
import { useFilters } from "../../components/use-filters.ts";
import { ButtonLink } from "../../components/link.tsx";
import { Badge } from "../../components/badge.tsx";
import { writeCurl } from "../../components/write-snippets.ts";
import { ShowCode } from "../../components/show-code.tsx";
import { ChangeList } from "./change-list.tsx";
import { type ChangeType, NOUN_LABELS, NOUNS, TYPES_BY_NOUN } from "./change-types.ts";
import { describeChange, listTables, type Names } from "./describe-change.ts";
import { type EventFilter, type Line, matchesFilter } from "./filter.ts";

/** The scroll position from which the top of the list is not visible. */
const AWAY_PX = 240;
const NOUN_CHOICES = NOUNS.map((value) => ({ value, label: NOUN_LABELS[value] }));
const EXPORTED: readonly Column<Line>[] = [
  { title: "Time", render: ({ at }) => at },
  { title: "Type", render: ({ described }) => described?.type },
  { title: "Event", render: ({ described }) => described?.text },
];

export function EventsPage() {
  const [isPaused, setPaused] = useState(false);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  // Pauses while the user has scrolled down, so that the lines do not move.
  const isAway = useScrolledAway();
  const filters = useFilters();
  const { range } = filters;
  const noun = filters.choice("noun", NOUNS);
  const types: readonly ChangeType[] = noun === null ? Object.values(TYPES_BY_NOUN).flat() : TYPES_BY_NOUN[noun];
  const type = filters.choice("type", types);
  const scope = useMemo(() => ({ range, tables: listTables(noun) }), [range, noun]);
  const tail = useEventTail(isPaused || isAway, scope);
  const pages = useFoundPages(tail, { noun, type, search: filters.search, range });
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
  return (
    <ListPage
      title="Events"
      description="Live changes of everything that you may see, the newest first."
      actions={
        <>
          <LiveBadge isLive={tail.isLive} isPaused={isPaused} />
          <IconButton label="Clear list" icon={<Trash2 />} disabled={tail.shown.length === 0} onClick={tail.clear} />
          <EventsCode />
          <Button icon={isPaused ? <Play /> : <Pause />} onClick={() => setPaused(!isPaused)}>
            {isPaused ? "Resume" : "Pause"}
          </Button>
        </>
      }
      noun="events"
      one="event"
      filters={filters}
      searchLabel="Search the events"
      choices={[
        { name: "noun", label: "Subject", choices: NOUN_CHOICES },
        { name: "type", label: "Type", choices: types.map((value) => ({ value, label: value })) },
      ]}
      hasTime
      exported={EXPORTED}
      tools={
        tail.waiting.length > 0 && (
          <NewOnes
            count={tail.waiting.length}
            onShow={() => {
              setPaused(false);
              scrollTo({ top: 0 });
            }}
          />
        )
      }
      pages={pages}
      noMatchHint="New matching events appear here."
      empty="Messages, runs, tool calls, changes of agents and swarms, and webhook deliveries appear here as they happen. Ask something in a swarm in another tab to see them."
      picture="events"
      emptyAction={
        <ButtonLink to="/swarms" variant="primary">
          Go to swarms
        </ButtonLink>
      }
    >
      {(rows, foot) => (
        <>
          <ChangeList lines={rows} open={open} onOpen={setOpen} />
          {foot}
        </>
      )}
    </ListPage>
  );
}

/** The changes that match the filter, as lines. Only what is read is compared, so pages are read until one has a match. */
function useFoundPages({ shown, history }: EventTail, { noun, type, search, range }: EventFilter) {
  const names = useKnownNames(shown);
  const lines = useMemo(() => shown.map((change) => toLine(change, names)), [shown, names]);
  const found = useMemo(
    () => lines.filter((line) => matchesFilter(line, { noun, type, search, range })),
    [lines, noun, type, search, range],
  );
  const isLoading = !history.isRead && lines.length === 0;
  const isSought = found.length === 0 && history.isRead && history.hasMore && !history.isLoading;
  useEffect(() => {
    if (isSought && history.failure === null) history.loadMore();
  });
  return {
    rows: isLoading || (found.length === 0 && history.isLoading) ? undefined : found,
    failure: found.length === 0 ? history.failure : null,
    reload: history.loadMore,
    hasMore: history.hasMore,
    isLoadingMore: history.isLoading,
    loadMore: history.loadMore,
  };
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

function useScrolledAway(): boolean {
  return useSyncExternalStore(
    (notify) => {
      addEventListener("scroll", notify, { passive: true });
      return () => removeEventListener("scroll", notify);
    },
    () => scrollY > AWAY_PX,
  );
}

interface LiveBadgeProps {
  readonly isLive: boolean | undefined;
  readonly isPaused: boolean;
}

function LiveBadge({ isLive, isPaused }: LiveBadgeProps) {
  if (isPaused) return <Badge tone="thinking">Paused</Badge>;
  if (isLive === undefined) return <Badge>Connecting</Badge>;
  if (!isLive) return <Badge tone="bad">Not connected</Badge>;
  return (
    <Badge tone="good">
      <span aria-hidden className="size-2 animate-pulse-soft rounded-full bg-good" />
      Live
    </Badge>
  );
}

/** Snippets that receive the same changes. */
function EventsCode() {
  const curl = [
    "# changes arrive over realtime or at webhooks; earlier ones can be read",
    writeCurl({ path: "/rest/v1/messages?order=created_at.desc&limit=20" }),
    "",
    writeCurl({ path: "/rest/v1/webhook_delivery_attempts?order=created_at.desc&limit=20" }),
  ].join("\n");
  const supabaseJs = `// live changes of the rows that you may read
supabase
  .channel("events")
  .on("postgres_changes", { event: "*", schema: "public", table: "agents" }, ({ new: agent }) =>
    console.log(agent.name, agent.status),
  )
  .on("postgres_changes", { event: "INSERT", schema: "public", table: "messages" }, ({ new: message }) =>
    console.log(message.sender_name, message.content),
  )
  .on("postgres_changes", { event: "*", schema: "public", table: "runs" }, ({ new: run }) =>
    console.log(run.id, run.status),
  )
  .subscribe((status) => console.log(status));`;
  return <ShowCode title="Events from code" curl={curl} supabaseJs={supabaseJs} />;
}
