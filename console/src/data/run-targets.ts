import { usePublishedAgents } from "./published-agents.ts";
import { useRows } from "./rows.ts";
import { useUser } from "./session.ts";
import { useAgentChoices } from "./swarm-agents.ts";

/** The agent or the swarm that gets the message of a schedule or a trigger. */
export type RunTarget = { readonly agent_id: string } | { readonly swarm_id: string };

/** What is read with a schedule or a trigger. */
export interface WithTarget {
  /** Null also for an agent of somebody else. */
  readonly agents: { readonly name: string } | null;
  readonly swarms: { readonly name: string } | null;
}

interface TargetChoice {
  readonly value: string;
  readonly label: string;
  readonly target: RunTarget;
}

/** The user's agents, those that the user may ask, and the swarms in which the user writes; undefined until they are loaded. */
export function useRunTargets(): readonly TargetChoice[] | undefined {
  const user = useUser();
  const { rows: own } = useAgentChoices();
  const { rows: published } = usePublishedAgents();
  const { rows: swarms } = useRows({
    table: "swarms",
    key: ["writable"],
    read: (client) =>
      client
        .from("swarms")
        .select("id, name, mine:swarm_members!inner(id)")
        .eq("mine.user_id", user.id)
        .in("mine.role", ["owner", "admin", "member"])
        .order("name")
        .limit(1_000),
  });
  if (own === undefined || published === undefined || swarms === undefined) return undefined;
  const ownIds = new Set(own.map(({ id }) => id));
  return [
    ...[...own, ...published.filter(({ id }) => !ownIds.has(id))].map(({ id, name }) => ({
      value: id,
      label: `Agent ${name}`,
      target: { agent_id: id },
    })),
    ...swarms.map(({ id, name }) => ({ value: id, label: `Swarm ${name}`, target: { swarm_id: id } })),
  ];
}
