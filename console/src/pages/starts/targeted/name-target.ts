import type { WithTarget } from "../../../data/run-targets.ts";

export function nameTarget(row: WithTarget & { readonly agent_id: string | null }): string {
  if (row.agent_id === null) return `Swarm ${row.swarms?.name ?? ""}`;
  return row.agents === null ? "An agent of somebody else" : `Agent ${row.agents.name}`;
}
