import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { type EventFeed, useDeleteEventFeed, useEventFeeds } from "../../../data/event-feeds.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { CodeSnippets } from "../../../components/code-snippets.tsx";
import { DeleteByName } from "../../../components/delete-by-name.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { JsonView } from "../../../components/json-view.tsx";
import { ButtonLink } from "../../../components/link.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { writeCurl } from "../../../components/write-snippets.ts";

/** The feeds of the user, and how a program reads each of them. */
export function FeedList() {
  const { rows, ...read } = useEventFeeds();
  const newFeed = (
    <ButtonLink to="/webhooks/feeds/new" variant="primary" icon={<Plus />}>
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
          <Feed key={feed.id} feed={feed} />
        ))}
      </div>
    </>
  );
}

function Feed({ feed }: { readonly feed: EventFeed }) {
  const { id, name, events, filter } = feed;
  const [isDeleting, setDeleting] = useState(false);
  const remove = useDeleteEventFeed();
  const body = { action: "read", feed_id: id, consumer: "my-program", wait_seconds: 30 };
  return (
    <CardSection
      title={name}
      action={
        <Button size="small" icon={<Trash2 />} aria-label={`Delete ${name}`} onClick={() => setDeleting(true)}>
          Delete
        </Button>
      }
    >
      <div className="grid gap-4">
        <span className="flex flex-wrap gap-1.5">
          {events.map((type) => (
            <Badge key={type}>{type}</Badge>
          ))}
        </span>
        {filter !== null && <JsonView label={`Filter: ${name}`} value={filter} />}
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
        listPath="/webhooks/feeds"
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
      >
        The events that nobody has read yet are deleted with it.
      </DeleteByName>
    </CardSection>
  );
}
