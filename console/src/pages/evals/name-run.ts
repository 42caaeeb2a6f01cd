import type { EvalRun } from "../../data/eval-runs.ts";

/** "Ada, version 3" */
export function nameRun({ agents: agent, agent_version: version }: EvalRun): string {
  return `${agent?.name ?? "Deleted agent"}, version ${version}`;
}
