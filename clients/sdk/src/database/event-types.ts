// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { AppEventType } from "../events.ts";
import type { JsonObject } from "../json.ts";

/** The types of the app's own events. */
export type EventTypesTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** `app.` and words of lower-case letters, digits and `_`, joined by dots. It cannot change. */
    name: AppEventType;
    /** When it is emitted, for those who subscribe. */
    description: string | null;
    /** JSON Schema of `data`. The function `events` rejects events that do not satisfy it; SQL and `rpc` do not check it. */
    schema: JsonObject | null;
    /** An example of `data`, which `test-webhook` sends. */
    example: JsonObject | null;
    /** Whether users may emit it, for themselves and for swarms that they belong to. */
    users_may_emit: boolean;
    /** If false, users neither see the type nor can subscribe to it or emit it. */
    listed: boolean;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the row changed last. A sent value is ignored. */
    updated_at: string;
  };
  Insert: never;
  Update: never;
  Relationships: [];
};
