import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { type EventFeed, useEventFeed } from "../../../data/event-feeds.ts";
import { useSaveEventFeed } from "../../../data/saved-rows.ts";
import { SAVED } from "../../../components/leave-guard.tsx";
import { PageNotLoaded } from "../../../components/no-such-row.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { useToast } from "../../../components/toast.tsx";
import { FeedForm } from "./feed-form.tsx";
import { FEEDS, FEED_CRUMBS } from "./feed-paths.ts";

export function EditFeed() {
  const { feedId = "" } = useParams();
  const read = useEventFeed(feedId);
  if (read.rows === undefined) return <PageNotLoaded noun="event feed" read={read} />;
  return <Edit key={read.rows.id} feed={read.rows} />;
}

function Edit({ feed }: { readonly feed: EventFeed }) {
  // The form is filled once, from this row.
  const [base] = useState(feed);
  const save = useSaveEventFeed();
  const navigate = useNavigate();
  const toast = useToast();
  const { name, events, filter } = base;
  const finish = async (saved: EventFeed | null) => {
    if (saved === null) return;
    toast({ text: `${saved.name} is saved.` });
    await navigate(FEEDS, { state: SAVED });
  };
  return (
    <>
      <PageHeader
        title={`Edit ${feed.name}`}
        description="Events that are in the feed stay in it."
        crumbs={FEED_CRUMBS}
      />
      <FeedForm
        initial={{ name, events, filter }}
        write={save}
        action="Save"
        onSubmit={(change) => void save.run({ base, change }).then(finish)}
        onResolve={(choice) => void save.resolve(choice).then(finish)}
        onCancel={() => void navigate(FEEDS)}
      />
    </>
  );
}
