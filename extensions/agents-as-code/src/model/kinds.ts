/** In the order in which they are created: each refers only to those before it. */
export const KINDS = ["tools", "agents", "swarms", "webhooks"] as const;
export type Kind = (typeof KINDS)[number];

export const KIND_WORDS = { tools: "tool", agents: "agent", swarms: "swarm", webhooks: "webhook" } as const;

/** The column that names the owner of a row. */
export const OWNER_COLUMNS = { tools: "owner_id", agents: "user_id", swarms: "owner_id", webhooks: "user_id" } as const;
