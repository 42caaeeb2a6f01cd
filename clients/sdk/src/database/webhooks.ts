// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { AppEventType, EventType } from "../events.ts";
import type { Json, JsonObject } from "../json.ts";

export type WebhooksTable = {
  Row: {
    id: string;
    user_id: string;
    name: string;
    url: string;
    secret: string;
    events: (EventType | AppEventType)[];
    is_active: boolean;
    headers: Record<string, string>;
    retry_count: number;
    timeout_ms: number;
    api_version: string;
    disabled_reason: string | null;
    disabled_at: string | null;
    created_at: string;
    updated_at: string;
    run_id: string | null;
    bodies: Json | null;
    receives_app_events: boolean;
    filter: JsonObject | null;
  };
  Insert: {
    id?: string;
    user_id?: string;
    name: string;
    url: string;
    events: (EventType | AppEventType)[];
    is_active?: boolean;
    headers?: Record<string, string>;
    retry_count?: number;
    timeout_ms?: number;
    run_id?: string | null;
    bodies?: Json | null;
    filter?: JsonObject | null;
  };
  Update: {
    name?: string;
    url?: string;
    events?: (EventType | AppEventType)[];
    is_active?: boolean;
    headers?: Record<string, string>;
    retry_count?: number;
    timeout_ms?: number;
    filter?: JsonObject | null;
  };
  Relationships: [
    {
      foreignKeyName: "webhooks_run_id_fkey";
      columns: ["run_id"];
      isOneToOne: false;
      referencedRelation: "runs";
      referencedColumns: ["id"];
    },
  ];
};
