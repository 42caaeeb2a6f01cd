// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { AppEventType } from "../events.ts";
import type { JsonObject } from "../json.ts";

export type EventTypesTable = {
  Row: {
    id: string;
    name: AppEventType;
    description: string | null;
    schema: JsonObject | null;
    example: JsonObject | null;
    users_may_emit: boolean;
    listed: boolean;
    created_at: string;
    updated_at: string;
  };
  Insert: never;
  Update: never;
  Relationships: [];
};
