import { useNavigate, useParams } from "react-router";
import { type EventFeedDraft, type EventFeed, useEventFeed } from "../../../data/event-feeds.ts";
import { useSaveEdit } from "../../../data/save-edit.ts";
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
  const save = useSaveEdit<EventFeed, EventFeedDraft>("event_feeds");
  const navigate = useNavigate();
  const toast = useToast();
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
        feed={feed}
        write={save}
        action="Save"
        onSubmit={(change, base) => void save.run({ base: base ?? feed, change }).then(finish)}
        onResolve={(choice) => void save.resolve(choice).then(finish)}
        onCancel={() => void navigate(FEEDS)}
      />
    </>
  );
}
