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
      "Requests per minute for each user, or for each address when the caller is not signed in; 0 means no limit.",
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
      "Attempts to sign up or sign in per minute for each address, and ten times as many for each e-mail address that they name; 0 means no limit.",
  },
  {
    name: "LIMIT_AI",
    group: "Limits",
    kind: "integer",
    min: 0,
    max: MOST_PER_MINUTE,
    default: 30,
    secret: false,
    description: "Answers of agents that each user may start per minute; 0 means no limit.",
  },
  {
    name: "LIMIT_TOOLS",
    group: "Limits",
    kind: "integer",
    min: 0,
    max: MOST_PER_MINUTE,
    default: 50,
    secret: false,
    description: "Tool calls of agents per minute for each user; 0 means no limit.",
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
      "Requests to webhooks per minute for each user. Further deliveries and their retries wait; further tests and manual retries are rejected. 0 means no limit.",
  },
  {
    name: "REDIS_URL",
    group: "Limits",
    kind: "redis-url",
    default: null,
    secret: true,
    description:
      "Redis or Valkey in which all nodes share their counts. Without it, and while it is unavailable, each node counts by itself.",
  },
] as const satisfies readonly SettingRow[];
