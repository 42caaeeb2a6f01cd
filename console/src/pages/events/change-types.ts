/** The types of changes, by noun. Types that webhooks also have use the same names. */
export const TYPES_BY_NOUN = {
  message: ["message.created", "message.updated", "message.deleted", "message.flagged"],
  run: [
    "run.queued",
    "run.running",
    "run.requires_action",
    "run.waiting",
    "run.completed",
    "run.partial",
    "run.failed",
    "run.cancelled",
  ],
  tool: [
    "tool.running",
    "tool.needs_approval",
    "tool.needs_client",
    "tool.waiting",
    "tool.executed",
    "tool.error",
    "tool.created",
    "tool.updated",
    "tool.deleted",
  ],
  agent: ["agent.created", "agent.updated", "agent.status_changed", "agent.deleted"],
  swarm: [
    "swarm.created",
    "swarm.updated",
    "swarm.deleted",
    "swarm.agent_added",
    "swarm.agent_updated",
    "swarm.agent_removed",
  ],
  user: ["user.invited", "user.joined", "user.updated", "user.removed"],
  webhook: [
    "attempt.delivered",
    "attempt.failed",
    "webhook.created",
    "webhook.updated",
    "webhook.deleted",
    "recovery.running",
    "recovery.completed",
  ],
} as const satisfies Record<string, readonly string[]>;

export type Noun = keyof typeof TYPES_BY_NOUN;
export type ChangeType = (typeof TYPES_BY_NOUN)[Noun][number];

export const NOUNS = Object.keys(TYPES_BY_NOUN) as readonly Noun[];

export const NOUN_LABELS: Readonly<Record<Noun, string>> = {
  message: "Messages",
  run: "Runs",
  tool: "Tools",
  agent: "Agents",
  swarm: "Swarms",
  user: "People",
  webhook: "Webhooks",
};
