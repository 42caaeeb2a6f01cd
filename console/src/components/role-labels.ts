/** What members may do, by role. */
export const ROLE_LABELS = {
  owner: { label: "Owner", text: "Has all permissions and can delete the swarm." },
  admin: { label: "Admin", text: "Manages the swarm, its agents, its members and flagged messages." },
  member: { label: "Member", text: "Reads and writes messages and asks the agents." },
  viewer: { label: "Viewer", text: "Reads messages and can flag them." },
} as const;
