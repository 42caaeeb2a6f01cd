import type { RunStatus } from "@swarmbase/sdk";
import type { WithTarget } from "../../../data/run-targets.ts";
import type { Status } from "../../../components/status-dot.tsx";

export function nameTarget(row: WithTarget & { readonly agent_id: string | null }): string {
  if (row.agent_id === null) return `Swarm ${row.swarms?.name ?? ""}`;
  return row.agents === null ? "An agent of somebody else" : `Agent ${row.agents.name}`;
}

const PAUSED: Readonly<Record<string, string>> = {
  failures: "It was paused after failures in a row.",
  UNAUTHORIZED: "It was stopped, because your account or its API key may not start runs any more.",
  PERMISSION_DENIED: "It was stopped, because you may not ask its agent any more.",
  FORBIDDEN: "It was stopped, because you may not write in its swarm any more.",
};

/** Why it starts no runs; null while it is on. */
export function describePause(row: {
  readonly enabled: boolean;
  readonly paused_reason: string | null;
}): string | null {
  const { enabled, paused_reason: reason } = row;
  if (reason !== null) return PAUSED[reason] ?? `It was stopped: ${reason}.`;
  return enabled ? null : "It is off.";
}

export interface StatusLabel {
  readonly status: Status;
  readonly word?: string;
}

/** What became of a start: the status of its run, or a word for a start without one. */
export function labelOf<Name extends string>(
  name: Name | RunStatus,
  labels: Readonly<Record<Name, StatusLabel>>,
): StatusLabel {
  return Object.hasOwn(labels, name) ? labels[name as Name] : { status: name as RunStatus };
}
