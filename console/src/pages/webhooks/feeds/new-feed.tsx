import { useNavigate } from "react-router";
import { type EventFeedDraft, useCreateEventFeed } from "../../../data/event-feeds.ts";
import { SAVED } from "../../../components/leave-guard.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { useToast } from "../../../components/toast.tsx";
import { FeedForm } from "./feed-form.tsx";
import { FEEDS, FEED_CRUMBS } from "./feed-paths.ts";

const EMPTY: EventFeedDraft = { name: "", events: [], filter: null };

export function NewFeed() {
  const create = useCreateEventFeed();
  const navigate = useNavigate();
  const toast = useToast();
  const submit = async (draft: EventFeedDraft) => {
    const made = await create.run(draft);
    if (made === null) return;
    toast({ text: `${made.name} is ready.` });
    await navigate(FEEDS, { state: SAVED });
  };
  return (
    <>
      <PageHeader title="New event feed" crumbs={FEED_CRUMBS} />
      <FeedForm
        initial={EMPTY}
        write={{ ...create, isBusy: create.isBusy || create.isDone }}
        action="Create feed"
        onSubmit={(draft) => void submit(draft)}
        onCancel={() => void navigate(FEEDS)}
      />
    </>
  );
}
