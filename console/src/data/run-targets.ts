import { type AgentOrSwarm, useAgentsAndSwarms, useChoices, withRole } from "./choices.ts";
import { usePublishedAgents } from "./published-agents.ts";
import { useUser } from "./session.ts";

/** The agent or the swarm that gets the message of a schedule or a trigger. */
type RunTarget = { readonly agent_id: string } | { readonly swarm_id: string };

/** The columns of a schedule or a trigger that are read. */
export const TARGETED_COLUMNS = "*, agents(name), swarms(name)";

/** What is read with a schedule or a trigger. */
export interface WithTarget {
  /** Null also for an agent of somebody else. */
  readonly agents: { readonly name: string } | null;
  readonly swarms: { readonly name: string } | null;
}

/** The user's agents, the swarms in which the user writes, and the agents of others that the user may ask, also the one that is chosen. */
export function useRunTargets(chosen: string) {
  const ids = [chosen];
  const writable = withRole(useUser().id, "owner,admin,member");
  const { rows: own, search } = useAgentsAndSwarms(
    useChoices("agents", { ids }),
    useChoices("swarms", { ...writable, ids }),
  );
  const { rows: published } = usePublishedAgents();
  const ownIds = new Set(own?.map(({ id }) => id));
  const others = published?.flatMap(({ id, name }): AgentOrSwarm[] =>
    ownIds.has(id) ? [] : [{ kind: "agents", id, label: `Agent ${name}` }],
  );
  return { targets: own && others && [...own, ...others], search };
}

export function toRunTarget({ kind, id }: AgentOrSwarm): RunTarget {
  return kind === "agents" ? { agent_id: id } : { swarm_id: id };
}
