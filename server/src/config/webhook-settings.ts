import type { SettingRow } from "./setting-row.ts";

/** Settings of what is sent to webhooks. */
export const WEBHOOK_SETTINGS = [
  {
    name: "WEBHOOK_RETRY_SCHEDULE",
    group: "Webhooks",
    kind: "seconds-list",
    default: [0, 60, 300, 1800, 7200],
    secret: false,
    description:
      "Delays in seconds: entry k is the time before attempt k, the last one repeats. A webhook's `retry_count` says how many attempts follow the first.",
  },
  {
    name: "WEBHOOK_ALLOWED_CIDRS",
    group: "Webhooks",
    kind: "addresses",
    default: null,
    secret: false,
    description:
      "Addresses that webhooks may reach although they are not public. When not given: loopback while `HOST` is loopback and `NODE_ENV` is not `production`, else nothing.",
  },
  {
    name: "WEBHOOK_CA_FILE",
    group: "Webhooks",
    kind: "path",
    default: null,
    secret: false,
    description: "Further certificate authorities in PEM form that endpoints may have their certificates from.",
  },
  {
    name: "WEBHOOK_CONCURRENCY",
    group: "Webhooks",
    kind: "integer",
    min: 1,
    max: 10_000,
    default: 256,
    secret: false,
    description: "Most requests that one node has under way to webhooks; one user's are at most half of them.",
  },
  {
    name: "WEBHOOK_ENDPOINT_CONCURRENCY",
    group: "Webhooks",
    kind: "integer",
    min: 1,
    max: 1000,
    default: 8,
    secret: false,
    description: "Most requests that one node has under way to one webhook.",
  },
  {
    name: "WEBHOOK_QUEUE_LIMIT",
    group: "Webhooks",
    kind: "integer",
    min: 0,
    max: 100_000_000,
    default: 100_000,
    secret: false,
    description:
      "Most deliveries that may wait for the webhooks of one user. Beyond it the webhook with the most is switched off, `disabled_reason` `queue_full`, and what waited for it has failed; it can be recovered. 0 is no limit.",
  },
  {
    name: "WEBHOOK_RETENTION_DAYS",
    group: "Webhooks",
    kind: "integer",
    min: 0,
    max: 3650,
    default: 30,
    secret: false,
    description: "Age in days at which finished deliveries and the log of attempts are removed; 0 keeps them.",
  },
] as const satisfies readonly SettingRow[];
