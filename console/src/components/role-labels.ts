/** What somebody may do in a swarm, by role. */
export const ROLE_WORDS = {
  owner: { label: "Owner", text: "May do everything, and delete the swarm." },
  admin: { label: "Admin", text: "Changes the swarm, its agents and its people, and settles flags." },
  member: { label: "Member", text: "Reads and writes, and asks the agents." },
  viewer: { label: "Viewer", text: "Reads along and may flag a message." },
} as const;
