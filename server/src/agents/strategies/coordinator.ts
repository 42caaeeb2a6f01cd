import type { RunView } from "./run-view.ts";

/** Who starts, selects or supervises: the swarm's coordinator, else the first agent by position. */
export function coordinatorOf(view: Pick<RunView, "agents" | "coordinatorId" | "isNarrowed">): string | null {
  const { agents, coordinatorId } = view;
  if (coordinatorId !== null && (view.isNarrowed || agents.some((agent) => agent.id === coordinatorId)))
    return coordinatorId;
  return agents.toSorted((one, other) => one.position - other.position)[0]?.id ?? null;
}
