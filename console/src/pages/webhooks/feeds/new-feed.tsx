import { useNavigate } from "react-router";
import { useInsertRow } from "../../../data/changed-rows.ts";
import type { EventFeedDraft } from "../../../data/event-feeds.ts";
import { SAVED } from "../../../components/leave-guard.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { useToast } from "../../../components/toast.tsx";
import { FeedForm } from "./feed-form.tsx";
import { FEEDS, FEED_CRUMBS } from "./feed-paths.ts";

export function NewFeed() {
  const create = useInsertRow<EventFeedDraft>("event_feeds", ["event_feed_backlog"]);
  const navigate = useNavigate();
  const toast = useToast();
  const submit = async (draft: EventFeedDraft) => {
    if ((await create.run(draft)) === null) return;
    toast({ text: `${draft.name} is ready.` });
    await navigate(FEEDS, { state: SAVED });
  };
  return (
    <>
      <PageHeader title="New event feed" crumbs={FEED_CRUMBS} />
      <FeedForm
        feed={null}
        write={{ ...create, isBusy: create.isBusy || create.isDone }}
        action="Create feed"
        onSubmit={(draft) => void submit(draft)}
        onCancel={() => void navigate(FEEDS)}
      />
    </>
  );
}
