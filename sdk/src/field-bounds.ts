export interface FieldBounds {
  /** `text` counts code points; `json` counts bytes of the JSON text. */
  readonly kind: "text" | "json" | "integer";
  readonly min: number;
  readonly max: number;
}

const KIBIBYTE = 1024;
const JSON_BOUNDS = { kind: "json", min: 0, max: 32 * KIBIBYTE } as const;

/** Bounds of the fields that a client writes, keyed by `<table>.<column>`. */
export const FIELD_BOUNDS = {
  "agents.name": { kind: "text", min: 1, max: 100 },
  "agents.role": { kind: "text", min: 0, max: 200 },
  "agents.avatar": { kind: "text", min: 0, max: 2048 },
  "agents.system_prompt": { kind: "text", min: 0, max: 100_000 },
  "agents.settings": JSON_BOUNDS,
  "agent_tools.configuration": JSON_BOUNDS,
  "webhooks.name": { kind: "text", min: 1, max: 100 },
  "webhooks.url": { kind: "text", min: 1, max: 2048 },
  "webhooks.headers": JSON_BOUNDS,
  "webhooks.retry_count": { kind: "integer", min: 0, max: 10 },
  "webhooks.timeout_ms": { kind: "integer", min: 1, max: 120_000 },
} as const satisfies Record<`${string}.${string}`, FieldBounds>;

export type BoundedField = keyof typeof FIELD_BOUNDS;

export const WEBHOOK_DEFAULTS = { isActive: true, retryCount: 3, timeoutMs: 30_000 } as const;

export const AUTH_BOUNDS = {
  accessTokenSeconds: 3600,
  passwordMinCharacters: 6,
  passwordMaxCharacters: 1024,
} as const;
