// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { AppEventType, EventType } from "../events.ts";
import type { JsonObject } from "../json.ts";

export type EventFeedsTable = {
  Row: {
    id: string;
    user_id: string;
    name: string;
    events: (EventType | AppEventType)[];
    filter: JsonObject | null;
    receives_app_events: boolean;
    api_version: string;
    created_at: string;
    updated_at: string;
  };
  Insert: {
    id?: string;
    user_id?: string;
    name: string;
    events: (EventType | AppEventType)[];
    filter?: JsonObject | null;
    api_version?: string;
  };
  Update: {
    name?: string;
    events?: (EventType | AppEventType)[];
    filter?: JsonObject | null;
  };
  Relationships: [];
};
