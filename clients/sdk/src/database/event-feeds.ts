// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { AppEventType, EventType } from "../events.ts";
import type { JsonObject } from "../json.ts";

/** Events that a receiver without an address reads. */
export type EventFeedsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The owner. It cannot change. */
    user_id: string;
    /** Spaces at both ends are removed. */
    name: string;
    /** The event types; those of the app are rows of `event_types`. */
    events: (EventType | AppEventType)[];
    /** Conditions on the envelope, as of a webhook. Events that do not meet them are not in the feed, and counted in `event_feed_backlog`. Null, or an empty object: all are. */
    filter: JsonObject | null;
    /** Whether events of the app that name neither a user nor a swarm are in the feed. Only the service role sets it. */
    receives_app_events: boolean;
    /** The version of the envelopes. Fixed when the feed is created. */
    api_version: string;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the row changed last. A sent value is ignored. */
    updated_at: string;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The owner. It cannot change. */
    user_id?: string;
    /** Spaces at both ends are removed. */
    name: string;
    /** The event types; those of the app are rows of `event_types`. */
    events: (EventType | AppEventType)[];
    /** Conditions on the envelope, as of a webhook. Events that do not meet them are not in the feed, and counted in `event_feed_backlog`. Null, or an empty object: all are. */
    filter?: JsonObject | null;
    /** The version of the envelopes. Fixed when the feed is created. */
    api_version?: string;
  };
  Update: {
    /** Spaces at both ends are removed. */
    name?: string;
    /** The event types; those of the app are rows of `event_types`. */
    events?: (EventType | AppEventType)[];
    /** Conditions on the envelope, as of a webhook. Events that do not meet them are not in the feed, and counted in `event_feed_backlog`. Null, or an empty object: all are. */
    filter?: JsonObject | null;
  };
  Relationships: [];
};
