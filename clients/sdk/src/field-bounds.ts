interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** `text` counts code points; `json` counts bytes of the JSON text; `text list` counts code points of each text. */
export type FieldBounds =
  | (Bounds & { readonly kind: "text" | "json" | "integer" })
  | (Bounds & { readonly kind: "text list"; readonly maxItems: number });

const KIBIBYTE = 1024;
const JSON_BOUNDS = { kind: "json", min: 0, max: 32 * KIBIBYTE } as const;

/** Bounds of the fields that a client writes, keyed by `<table>.<column>`. */
export const FIELD_BOUNDS = {
  "agents.name": { kind: "text", min: 1, max: 100 },
  "agents.role": { kind: "text", min: 0, max: 200 },
  "agents.avatar": { kind: "text", min: 0, max: 2048 },
  "agents.description": { kind: "text", min: 0, max: 2000 },
  "agents.starter_questions": { kind: "text list", min: 1, max: 200, maxItems: 10 },
  "agents.model": { kind: "text", min: 1, max: 200 },
  "agents.system_prompt": { kind: "text", min: 0, max: 100_000 },
  "agents.settings": JSON_BOUNDS,
  "agent_tools.configuration": JSON_BOUNDS,
  "agent_grants.claim": { kind: "json", min: 0, max: 4 * KIBIBYTE },
  "tools.description": { kind: "text", min: 1, max: 1024 },
  "tools.category": { kind: "text", min: 0, max: 100 },
  "tools.icon": { kind: "text", min: 0, max: 2048 },
  "tools.input_schema": JSON_BOUNDS,
  "tools.config": JSON_BOUNDS,
  "tools.timeout_ms": { kind: "integer", min: 1000, max: 120_000 },
  "tools.max_output_chars": { kind: "integer", min: 1, max: 1_000_000 },
  "tools.max_retries": { kind: "integer", min: 0, max: 5 },
  "webhooks.name": { kind: "text", min: 1, max: 100 },
  "webhooks.url": { kind: "text", min: 1, max: 2048 },
  "webhooks.headers": JSON_BOUNDS,
  "webhooks.bodies": JSON_BOUNDS,
  "webhooks.filter": { kind: "json", min: 0, max: 4 * KIBIBYTE },
  "webhooks.retry_count": { kind: "integer", min: 0, max: 10 },
  "webhooks.timeout_ms": { kind: "integer", min: 1, max: 120_000 },
  "event_feeds.name": { kind: "text", min: 1, max: 100 },
  "event_feeds.filter": { kind: "json", min: 0, max: 4 * KIBIBYTE },
  "event_types.name": { kind: "text", min: 1, max: 100 },
  "event_types.description": { kind: "text", min: 0, max: 2000 },
  "event_types.schema": JSON_BOUNDS,
  "event_types.example": JSON_BOUNDS,
  "swarms.name": { kind: "text", min: 1, max: 100 },
  "swarms.description": { kind: "text", min: 0, max: 2000 },
  "swarms.avatar": { kind: "text", min: 0, max: 2048 },
  "swarms.settings": JSON_BOUNDS,
  "swarm_agents.role_override": { kind: "text", min: 0, max: 200 },
  "messages.content": { kind: "text", min: 1, max: 100_000 },
  "messages.metadata": JSON_BOUNDS,
  "messages.client_message_id": { kind: "text", min: 1, max: 255 },
  "message_flags.category": { kind: "text", min: 0, max: 100 },
  "message_flags.reason": { kind: "text", min: 0, max: 1000 },
  "guardrails.name": { kind: "text", min: 1, max: 100 },
  "guardrails.config": JSON_BOUNDS,
  "guardrails.position": { kind: "integer", min: 0, max: 1000 },
  "profiles.full_name": { kind: "text", min: 0, max: 200 },
  "profiles.avatar_url": { kind: "text", min: 0, max: 2048 },
  "user_settings.theme": { kind: "text", min: 0, max: 50 },
  "user_settings.locale": { kind: "text", min: 0, max: 35 },
  "user_settings.timezone": { kind: "text", min: 0, max: 64 },
  "user_settings.notifications": JSON_BOUNDS,
  "user_settings.preferences": JSON_BOUNDS,
  "eval_datasets.name": { kind: "text", min: 1, max: 100 },
  "eval_datasets.description": { kind: "text", min: 0, max: 2000 },
  "eval_cases.name": { kind: "text", min: 1, max: 200 },
  "eval_cases.input": { kind: "text", min: 1, max: 100_000 },
  "eval_cases.expectation": JSON_BOUNDS,
  "eval_results.case_name": { kind: "text", min: 1, max: 200 },
  "eval_results.input": { kind: "text", min: 1, max: 100_000 },
  "eval_results.expectation": JSON_BOUNDS,
  "eval_results.reason": { kind: "text", min: 0, max: 2000 },
  "eval_results.output": { kind: "text", min: 0, max: 100_000 },
} as const satisfies Record<`${string}.${string}`, FieldBounds>;

export type BoundedField = keyof typeof FIELD_BOUNDS;
export type BoundedTextList = {
  [Field in BoundedField]: (typeof FIELD_BOUNDS)[Field]["kind"] extends "text list" ? Field : never;
}[BoundedField];

export const WEBHOOK_DEFAULTS = { isActive: true, retryCount: 3, timeoutMs: 30_000 } as const;

/** One event becomes one delivery for each webhook of its audience. */
export const WEBHOOK_LIMIT_PER_USER = 1_000;
export const EVENT_FEED_LIMIT_PER_USER = 100;

export const AUTH_BOUNDS = {
  accessTokenSeconds: 3600,
  passwordMinCharacters: 6,
  passwordMaxCharacters: 1024,
} as const;
