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
      "Delays in seconds: entry k is the delay before attempt k, and the last one repeats. A webhook's `retry_count` sets how many attempts follow the first.",
  },
  {
    name: "WEBHOOK_ALLOWED_CIDRS",
    group: "Webhooks",
    kind: "addresses",
    default: null,
    secret: false,
    description:
      "Addresses that webhooks may reach although they are not public. Defaults to loopback while `HOST` is loopback and `NODE_ENV` is not `production`, otherwise to none.",
  },
  {
    name: "WEBHOOK_CA_FILE",
    group: "Webhooks",
    kind: "path",
    default: null,
    secret: false,
    description: "Additional certificate authorities that are trusted for endpoints, in PEM format.",
  },
  {
    name: "WEBHOOK_CONCURRENCY",
    group: "Webhooks",
    kind: "integer",
    min: 1,
    max: 10_000,
    default: 256,
    secret: false,
    description:
      "Maximum number of concurrent requests of one node to webhooks; those of one user are at most half of them.",
  },
  {
    name: "WEBHOOK_ENDPOINT_CONCURRENCY",
    group: "Webhooks",
    kind: "integer",
    min: 1,
    max: 1000,
    default: 8,
    secret: false,
    description: "Maximum number of concurrent requests of one node to one webhook.",
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
      "Maximum number of deliveries that may wait for the webhooks of one user. Beyond that the webhook with the most waiting deliveries is disabled with the `disabled_reason` `queue_full`, and its waiting deliveries fail; they can be recovered. 0 means no limit.",
  },
  {
    name: "WEBHOOK_RETENTION_DAYS",
    group: "Webhooks",
    kind: "integer",
    min: 0,
    max: 3650,
    default: 30,
    secret: false,
    description: "Days after which finished deliveries and the log of attempts are removed; 0 keeps them.",
  },
] as const satisfies readonly SettingRow[];
