/** The first one is the default of a new swarm. */
export const SWARM_STRATEGIES = ["round_robin", "parallel", "mention", "handoff", "selector", "supervisor"] as const;
export type SwarmStrategy = (typeof SWARM_STRATEGIES)[number];

export const SWARM_STATUSES = ["active", "paused", "completed", "archived"] as const;
export type SwarmStatus = (typeof SWARM_STATUSES)[number];

/** In descending order of privileges. */
export const SWARM_ROLES = ["owner", "admin", "member", "viewer"] as const;
export type SwarmRole = (typeof SWARM_ROLES)[number];

export const SWARM_MEMBER_STATUSES = ["active", "invited"] as const;
export type SwarmMemberStatus = (typeof SWARM_MEMBER_STATUSES)[number];

/** The known keys of `swarms.settings`; other keys are kept as sent. Defaults apply when agents answer. */
export interface SwarmSettings {
  max_turns?: number;
  max_rounds?: number;
  max_tool_steps?: number;
  max_tool_calls?: number;
  timeout_ms?: number;
  history_limit?: number;
  on_agent_error?: "continue" | "stop";
  on_conflict?: "enqueue" | "reject" | "interrupt";
  budget?: SwarmBudget | null;
  moderation?: SwarmModeration;
  /** What the owner's agents read about a conversation with several participants, instead of the text of the service. */
  preamble?: string;
  /** Agents also answer messages that are inserted without a call. */
  auto_respond?: boolean;
  [other: string]: unknown;
}

/** Per run and per day; null means no limit. */
export interface SwarmBudget {
  max_tokens?: number | null;
  max_cost_usd?: number | null;
  max_tokens_per_day?: number | null;
  max_cost_usd_per_day?: number | null;
}

export interface SwarmModeration {
  enabled?: boolean;
  blocklist?: string[];
  action?: "flag" | "block";
}
