import type { SettingRow } from "./setting-row.ts";

const MOST_PER_MINUTE = 1_000_000;

/** Settings of how much a caller may ask for. */
export const LIMIT_SETTINGS = [
  {
    name: "LIMIT_API",
    group: "Limits",
    kind: "integer",
    min: 0,
    max: MOST_PER_MINUTE,
    default: 100,
    secret: false,
    description:
      "Requests a minute for each user, or for each address of callers who are not signed in; 0 is no limit.",
  },
  {
    name: "LIMIT_AUTH",
    group: "Limits",
    kind: "integer",
    min: 0,
    max: MOST_PER_MINUTE,
    default: 10,
    secret: false,
    description:
      "Attempts to sign up or in a minute for each address, and ten times as many for each e-mail address that they name; 0 is no limit.",
  },
  {
    name: "LIMIT_AI",
    group: "Limits",
    kind: "integer",
    min: 0,
    max: MOST_PER_MINUTE,
    default: 30,
    secret: false,
    description: "Answers of agents that are started a minute for each user; 0 is no limit.",
  },
  {
    name: "LIMIT_TOOLS",
    group: "Limits",
    kind: "integer",
    min: 0,
    max: MOST_PER_MINUTE,
    default: 50,
    secret: false,
    description: "Tool calls of agents a minute for each user; 0 is no limit.",
  },
  {
    name: "LIMIT_WEBHOOKS",
    group: "Limits",
    kind: "integer",
    min: 0,
    max: MOST_PER_MINUTE,
    default: 100,
    secret: false,
    description:
      "Requests to webhooks a minute for each user: deliveries and their retries, which wait beyond it, and tests and manual retries, which are refused; 0 is no limit.",
  },
  {
    name: "REDIS_URL",
    group: "Limits",
    kind: "redis-url",
    default: null,
    secret: true,
    description:
      "Redis or Valkey in which nodes count together. Without it, and while it is away, each node counts for itself.",
  },
] as const satisfies readonly SettingRow[];
