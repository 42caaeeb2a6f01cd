/** Reasons why a user may not take part in a swarm. */
export const MEMBERSHIP_TEXTS = {
  stranger: "You are not a member of this swarm",
  invited: "You are invited to this swarm but not yet a member: set the status of your membership to active first",
  key: "Without the scope read, or bound to resources, an API key asks only in conversations that it started, and the agents and swarms of its resources",
  viewer: "Viewers of a swarm can only read its messages; writing needs the role member, admin or owner",
} as const;
