/** In the order in which they are created: each refers only to those before it. */
export const KINDS = [
  "event_types",
  "tools",
  "agents",
  "swarms",
  "webhooks",
  "event_feeds",
  "schedules",
  "triggers",
] as const;
export type Kind = (typeof KINDS)[number];

export const KIND_WORDS = {
  event_types: "event type",
  tools: "tool",
  agents: "agent",
  swarms: "swarm",
  webhooks: "webhook",
  event_feeds: "event feed",
  schedules: "schedule",
  triggers: "trigger",
} as const;

/** The column that names the owner of a row; null for rows of the service itself, which its role alone reads and writes here. */
export const OWNER_COLUMNS = {
  event_types: null,
  tools: "owner_id",
  agents: "user_id",
  swarms: "owner_id",
  webhooks: "user_id",
  event_feeds: "user_id",
  schedules: "user_id",
  triggers: "user_id",
} as const;
