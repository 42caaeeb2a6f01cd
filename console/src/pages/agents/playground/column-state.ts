import type { AgentVersion } from "../../../data/agent-versions.ts";
import type { ColumnAgent } from "../../../data/column-agents.ts";
import { type AgentValues, type Column, pickValues } from "../../../data/playground-state.ts";

/** The agent of a column, and what the column changes: the agent as it is, or one of its versions. */
export interface ReadyColumn {
  readonly kind: "ready";
  readonly agent: ColumnAgent;
  readonly base: AgentValues;
}

export type ColumnState = ReadyColumn | { readonly kind: "loading" } | { readonly kind: "gone" };

export interface Loaded {
  /** Undefined while they are loaded. */
  readonly agents: readonly ColumnAgent[] | undefined;
  readonly versions: readonly AgentVersion[] | undefined;
  /** The ids of all agents of the user. */
  readonly knownIds: ReadonlySet<string>;
}

export function findColumnState({ agentId, version }: Column, { agents, versions, knownIds }: Loaded): ColumnState {
  const agent = agents?.find(({ id }) => id === agentId);
  // Rows of other columns are shown while those of a new one are loaded.
  if (agent === undefined) return knownIds.has(agentId) ? { kind: "loading" } : { kind: "gone" };
  if (version === null) return { kind: "ready", agent, base: pickValues(agent) };
  const pinned = versions?.find((row) => row.agent_id === agentId && row.number === version);
  if (pinned !== undefined) return { kind: "ready", agent, base: pickValues(pinned) };
  const isKnown = agent.agent_versions.some(({ number }) => number === version);
  return isKnown ? { kind: "loading" } : { kind: "gone" };
}
