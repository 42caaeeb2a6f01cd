import type { JsonObject } from "@swarmbase/sdk";
import type { Row } from "./client.ts";
import type { AnyEventType } from "./event-types.ts";
import { type ReadResult, useRow, useRows } from "./rows.ts";

export type EventFeed = Row<"event_feeds">;

/** The newest first. A user has at most 100. */
export function useEventFeeds(): ReadResult<readonly EventFeed[]> {
  return useRows({
    table: "event_feeds",
    key: [],
    read: (client) => client.from("event_feeds").select("*").order("created_at", { ascending: false }).limit(100),
  });
}

export function useEventFeed(id: string): ReadResult<EventFeed> {
  return useRow("event_feeds", id);
}

/** What is stored of each feed, and how far its consumers are. */
export function useEventFeedBacklogs(): ReadResult<readonly Row<"event_feed_backlog">[]> {
  return useRows({
    table: "event_feed_backlog",
    key: [],
    read: (client) => client.from("event_feed_backlog").select("*").limit(100),
    follows: ["event_feeds"],
  });
}

export interface EventFeedDraft {
  readonly name: string;
  readonly events: readonly AnyEventType[];
  readonly filter: JsonObject | null;
}
