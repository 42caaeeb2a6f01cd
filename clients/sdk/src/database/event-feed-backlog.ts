// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { FeedConsumer } from "../events.ts";

export type EventFeedBacklogView = {
  Row: {
    feed_id: string;
    events: number;
    skipped: number;
    consumers: FeedConsumer[];
  };
  Relationships: [];
};
