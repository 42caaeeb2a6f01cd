// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Framework } from "../agents.ts";
import type { JsonObject } from "../json.ts";

export type UserSettingsTable = {
  Row: {
    user_id: string;
    theme: string | null;
    locale: string | null;
    timezone: string | null;
    default_framework: Framework | null;
    notifications: JsonObject;
    preferences: JsonObject;
    daily_token_budget: number | null;
    daily_cost_budget_usd: number | null;
    require_request_signature: boolean;
    created_at: string;
    updated_at: string;
    require_message_signature: boolean;
    imposed_daily_token_budget: number | null;
    imposed_daily_cost_budget_usd: number | null;
    imposed_daily_runs: number | null;
  };
  Insert: never;
  Update: {
    theme?: string | null;
    locale?: string | null;
    timezone?: string | null;
    default_framework?: Framework | null;
    notifications?: JsonObject;
    preferences?: JsonObject;
    daily_token_budget?: number | null;
    daily_cost_budget_usd?: number | null;
    require_request_signature?: boolean;
    require_message_signature?: boolean;
  };
  Relationships: [];
};
