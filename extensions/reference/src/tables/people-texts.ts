import type { TableText } from "./table-text.ts";

/** Accounts, as far as they are tables. */
export const PEOPLE_TEXTS: Readonly<Record<string, TableText>> = {
  profiles: {
    summary: "Name and picture of a user.",
    notes: ["The service creates the row with the account and deletes it with the account."],
    columns: {
      id: "The id of the user.",
      email: "The address of the account, kept up to date by the service. `PUT /auth/v1/user` changes it.",
      full_name: "The name that others see.",
      avatar_url: "An `http` or `https` URL of a picture.",
    },
    guide: "accounts",
  },
  public_profiles: {
    summary: "Names and pictures of people who share a swarm with you, and your own.",
    columns: {
      id: "The id of the user.",
      full_name: "The name of the user.",
      avatar_url: "A URL of a picture.",
    },
    guide: "swarms",
  },
  api_keys: {
    summary: "Your API keys, without the keys themselves.",
    notes: [
      "The function `api-keys` creates and revokes keys. A revoked key has no row.",
      "An expired key keeps its row for `AUTH_RETENTION_DAYS`.",
    ],
    columns: {
      user_id: "The user for whom the key stands.",
      name: "What you call the key.",
      scopes: "What the key may do, and nothing else: `read`, `write`, `run`, `approve`, `share`, `secrets`.",
      resources: "The `agents` and `swarms` that the key is bound to; null if it is not bound.",
      prefix: "The first characters of the key.",
      expires_at: "When the key expires; null if it does not.",
      last_used_at: "When the key was last used, to the minute; null if it was not used yet.",
      client_id:
        "Null. Rows of programs that a user has let in, which have an OAuth client here, are for the service role alone.",
    },
    guide: "api-keys",
  },
  user_settings: {
    summary: "Preferences and budgets of a user.",
    notes: ["The service creates the row with the account and deletes it with the account."],
    columns: {
      user_id: "The id of the user.",
      theme: "For user interfaces.",
      locale: "For user interfaces, such as `en-GB`.",
      timezone: "For user interfaces, such as `Europe/Berlin`.",
      default_framework: "For user interfaces that create agents.",
      notifications: "For user interfaces: which notifications the user wants.",
      preferences: "For user interfaces: anything else.",
      daily_token_budget: "Tokens that runs paid by the user can use in a day (UTC); null for no limit.",
      daily_cost_budget_usd: "USD that runs paid by the user can cost in a day (UTC); null for no limit.",
      imposed_daily_token_budget:
        "As `daily_token_budget`, set by the operator of the service; the smaller one applies. Only the service role can change it.",
      imposed_daily_cost_budget_usd:
        "As `daily_cost_budget_usd`, set by the operator of the service; the smaller one applies. Only the service role can change it.",
      imposed_daily_runs:
        "Runs paid by the user that can call a model in a day (UTC), set by the operator of the service; null for no limit. Only the service role can change it.",
      require_request_signature: "Requests of the user need a valid `X-Request-Signature`.",
      require_message_signature: "Requests of the user need a valid HTTP message signature.",
    },
    guide: "accounts",
  },
};
