export interface LimitRow {
  /** The name in the interface. */
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
}

export const LIMITS = {
  api: { name: "API requests", limit: 100, windowSeconds: 60 },
  auth: { name: "Auth attempts", limit: 10, windowSeconds: 60 },
  ai: { name: "AI responses", limit: 30, windowSeconds: 60 },
  tool: { name: "Tool executions", limit: 50, windowSeconds: 60 },
  webhook: { name: "Webhook sends", limit: 100, windowSeconds: 60 },
} as const satisfies Record<string, LimitRow>;

export type LimitName = keyof typeof LIMITS;

export const RATE_LIMIT_HEADERS = {
  limit: "X-RateLimit-Limit",
  remaining: "X-RateLimit-Remaining",
  reset: "X-RateLimit-Reset",
} as const;

/** The delay of a client after a 429 without `Retry-After`. */
export const DEFAULT_RETRY_AFTER_SECONDS = 60;
