import { FRAMEWORKS } from "@swarmbase/sdk";
import { nullable } from "../fields/field.ts";
import { jsonObject } from "../fields/json-field.ts";
import { BIGINT_MAX, boolean, COST_MAX_USD, INTEGER_MAX, integer, number } from "../fields/plain-fields.ts";
import { anyText, choice, httpUrl, text } from "../fields/text-field.ts";
import { uuid } from "../fields/uuid-field.ts";
import { tableRule } from "./table-rule.ts";

export const PROFILES = tableRule({
  name: "profiles",
  required: ["id"],
  ignored: ["created_at", "updated_at"],
  fields: {
    id: uuid(),
    email: nullable(anyText()),
    full_name: nullable(text("profiles.full_name")),
    avatar_url: nullable(httpUrl("profiles.avatar_url")),
  },
});

export const USER_SETTINGS = tableRule({
  name: "user_settings",
  required: ["user_id"],
  ignored: ["created_at", "updated_at"],
  fields: {
    user_id: uuid(),
    theme: nullable(text("user_settings.theme")),
    locale: nullable(text("user_settings.locale")),
    timezone: nullable(text("user_settings.timezone")),
    default_framework: nullable(choice(FRAMEWORKS)),
    notifications: jsonObject("user_settings.notifications"),
    preferences: jsonObject("user_settings.preferences"),
    daily_token_budget: nullable(integer({ min: 0, max: BIGINT_MAX })),
    daily_cost_budget_usd: nullable(number({ min: 0, max: COST_MAX_USD })),
    imposed_daily_token_budget: nullable(integer({ min: 0, max: BIGINT_MAX })),
    imposed_daily_cost_budget_usd: nullable(number({ min: 0, max: COST_MAX_USD })),
    imposed_daily_runs: nullable(integer({ min: 0, max: INTEGER_MAX })),
    require_request_signature: boolean(),
    require_message_signature: boolean(),
  },
});
