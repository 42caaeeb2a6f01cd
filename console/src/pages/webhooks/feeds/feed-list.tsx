import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useDeleteRow } from "../../../data/changed-rows.ts";
import { type EventFeed, useEventFeedBacklogs, useEventFeeds } from "../../../data/event-feeds.ts";
import type { Row } from "../../../data/client.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { CodeSnippets } from "../../../components/code-snippets.tsx";
import { DeleteByName } from "../../../components/delete-by-name.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { JsonView } from "../../../components/json-view.tsx";
import { ButtonLink } from "../../../components/link.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { formatCount } from "../../../components/formats.ts";
import { PageHeader } from "../../../components/page-header.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { FEEDS } from "./feed-paths.ts";
import { writeCurl } from "../../../components/write-snippets.ts";

/** The feeds of the user, and how a program reads each of them. */
export function FeedList() {
  const { rows, ...read } = useEventFeeds();
  const backlogs = useEventFeedBacklogs().rows;
  const newFeed = (
    <ButtonLink to={`${FEEDS}/new`} variant="primary" icon={<Plus />}>
      New feed
    </ButtonLink>
  );
  return (
    <>
      <PageHeader
        title="Event feeds"
        crumbs={[{ label: "Webhooks", to: "/webhooks" }]}
        description="For receivers without a public address: your program reads the events that a webhook would send."
        actions={newFeed}
      />
      {rows === undefined && <NotLoaded title="The feeds could not be loaded" read={read} />}
      {rows?.length === 0 && (
        <EmptyState picture="webhooks" title="No event feeds yet">
          A feed keeps your events in order until your program reads them, from anywhere.
        </EmptyState>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        {rows?.map((feed) => (
          <Feed key={feed.id} feed={feed} backlog={backlogs?.find(({ feed_id }) => feed_id === feed.id)} />
        ))}
      </div>
    </>
  );
}

interface FeedProps {
  readonly feed: EventFeed;
  readonly backlog: Row<"event_feed_backlog"> | undefined;
}

function Feed({ feed, backlog }: FeedProps) {
  const { id, name, events, filter, receives_app_events } = feed;
  const [isDeleting, setDeleting] = useState(false);
  const remove = useDeleteRow("event_feeds");
  const body = { action: "read", feed_id: id, consumer: "my-program", wait_seconds: 30 };
  return (
    <CardSection
      title={name}
      action={
        <span className="flex gap-2">
          <ButtonLink to={`${FEEDS}/${id}`} size="small" icon={<Pencil />}>
            Edit <span className="sr-only">{name}</span>
          </ButtonLink>
          <Button size="small" icon={<Trash2 />} aria-label={`Delete ${name}`} onClick={() => setDeleting(true)}>
            Delete
          </Button>
        </span>
      }
    >
      <div className="grid gap-4">
        <span className="flex flex-wrap gap-1.5">
          {events.map((type) => (
            <Badge key={type}>{type}</Badge>
          ))}
          {receives_app_events && <Badge tone="accent">events for nobody in particular</Badge>}
        </span>
        {filter !== null && <JsonView label={`Filter: ${name}`} value={filter} />}
        {backlog !== undefined && <Backlog backlog={backlog} />}
        <CodeSnippets
          curl={writeCurl({ method: "POST", path: "/functions/v1/events", body })}
          supabaseJs={`const feed_id = ${JSON.stringify(id)};
const consumer = "my-program";
for (;;) {
  const { data } = await supabase.functions.invoke("events", {
    body: { action: "read", feed_id, consumer, wait_seconds: 30 },
  });
  for (const event of data.events) console.log(event.type, event.data);
  await supabase.functions.invoke("events", {
    body: { action: "commit", feed_id, consumer, cursor: data.cursor },
  });
}`}
        />
      </div>
      <DeleteByName
        row={feed}
        noun="feed"
        remove={remove}
        listPath={FEEDS}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
      >
        The events that nobody has read yet are deleted with it.
      </DeleteByName>
    </CardSection>
  );
}

function Backlog({ backlog: { events, skipped, consumers } }: { readonly backlog: Row<"event_feed_backlog"> }) {
  return (
    <div className="grid gap-1 text-sm text-ink-soft">
      <p>
        {`${formatCount(events)} ${events === 1 ? "event" : "events"} stored, ${formatCount(skipped)} skipped by the filter.`}
      </p>
      {consumers.map(({ consumer, waiting, committed_at }) => (
        <p key={consumer}>
          <span className="font-mono">{consumer}</span>
          {` has ${formatCount(waiting)} left, committed `}
          <RelativeTime at={committed_at} />
        </p>
      ))}
    </div>
  );
}
