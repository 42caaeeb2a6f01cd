/** The first one is the default of a new swarm. */
export const SWARM_STRATEGIES = ["round_robin", "parallel", "mention", "handoff", "selector", "supervisor"] as const;
export type SwarmStrategy = (typeof SWARM_STRATEGIES)[number];

export const SWARM_STATUSES = ["active", "paused", "completed", "archived"] as const;
export type SwarmStatus = (typeof SWARM_STATUSES)[number];

/** From the most to the least that a member may do. */
export const SWARM_ROLES = ["owner", "admin", "member", "viewer"] as const;
export type SwarmRole = (typeof SWARM_ROLES)[number];

export const SWARM_MEMBER_STATUSES = ["active", "invited"] as const;
export type SwarmMemberStatus = (typeof SWARM_MEMBER_STATUSES)[number];
