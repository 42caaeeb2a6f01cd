// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { FeedConsumer } from "../events.ts";

/** How many events each of your feeds has, how many its filter has skipped, and how far its consumers are. */
export type EventFeedBacklogView = {
  Row: {
    /** The feed. */
    feed_id: string;
    /** Events that can be read. */
    events: number;
    /** Events that the filter of the feed did not let pass. */
    skipped: number;
    /** Those that have committed: `consumer`, its `cursor`, the events that are `waiting` behind it, and `committed_at`. */
    consumers: FeedConsumer[];
  };
  Relationships: [];
};
