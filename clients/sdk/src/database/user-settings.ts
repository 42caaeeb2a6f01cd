// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Framework } from "../agents.ts";
import type { JsonObject } from "../json.ts";

/** Preferences and budgets of a user. */
export type UserSettingsTable = {
  Row: {
    /** The id of the user. */
    user_id: string;
    /** For user interfaces. */
    theme: string | null;
    /** For user interfaces, such as `en-GB`. */
    locale: string | null;
    /** For user interfaces, such as `Europe/Berlin`. */
    timezone: string | null;
    /** For user interfaces that create agents. */
    default_framework: Framework | null;
    /** For user interfaces: which notifications the user wants. */
    notifications: JsonObject;
    /** For user interfaces: anything else. */
    preferences: JsonObject;
    /** Tokens that runs paid by the user can use in a day (UTC); null for no limit. */
    daily_token_budget: number | null;
    /** USD that runs paid by the user can cost in a day (UTC); null for no limit. */
    daily_cost_budget_usd: number | null;
    /** Requests of the user need a valid `X-Request-Signature`. */
    require_request_signature: boolean;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the row changed last. A sent value is ignored. */
    updated_at: string;
    /** Requests of the user need a valid HTTP message signature. */
    require_message_signature: boolean;
    /** As `daily_token_budget`, set by the operator of the service; the smaller one applies. Only the service role can change it. */
    imposed_daily_token_budget: number | null;
    /** As `daily_cost_budget_usd`, set by the operator of the service; the smaller one applies. Only the service role can change it. */
    imposed_daily_cost_budget_usd: number | null;
    /** Runs paid by the user that can call a model in a day (UTC), set by the operator of the service; null for no limit. Only the service role can change it. */
    imposed_daily_runs: number | null;
  };
  Insert: never;
  Update: {
    /** For user interfaces. */
    theme?: string | null;
    /** For user interfaces, such as `en-GB`. */
    locale?: string | null;
    /** For user interfaces, such as `Europe/Berlin`. */
    timezone?: string | null;
    /** For user interfaces that create agents. */
    default_framework?: Framework | null;
    /** For user interfaces: which notifications the user wants. */
    notifications?: JsonObject;
    /** For user interfaces: anything else. */
    preferences?: JsonObject;
    /** Tokens that runs paid by the user can use in a day (UTC); null for no limit. */
    daily_token_budget?: number | null;
    /** USD that runs paid by the user can cost in a day (UTC); null for no limit. */
    daily_cost_budget_usd?: number | null;
    /** Requests of the user need a valid `X-Request-Signature`. */
    require_request_signature?: boolean;
    /** Requests of the user need a valid HTTP message signature. */
    require_message_signature?: boolean;
  };
  Relationships: [];
};
