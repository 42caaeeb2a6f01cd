// Written by "npm run sdk:types" from the migrated schema; do not edit.
import type { EventType } from "../events.ts";

export type WebhooksTable = {
  Row: {
    id: string;
    user_id: string;
    name: string;
    url: string;
    secret: string;
    events: EventType[];
    is_active: boolean;
    headers: Record<string, string>;
    retry_count: number;
    timeout_ms: number;
    api_version: string;
    disabled_reason: string | null;
    disabled_at: string | null;
    created_at: string;
    updated_at: string;
  };
  Insert: {
    id?: string;
    user_id?: string;
    name: string;
    url: string;
    events: EventType[];
    is_active?: boolean;
    headers?: Record<string, string>;
    retry_count?: number;
    timeout_ms?: number;
  };
  Update: {
    name?: string;
    url?: string;
    events?: EventType[];
    is_active?: boolean;
    headers?: Record<string, string>;
    retry_count?: number;
    timeout_ms?: number;
  };
  Relationships: [];
};
