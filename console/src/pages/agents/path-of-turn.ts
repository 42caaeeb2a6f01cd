import type { AgentTurn } from "../../data/agent-activity.ts";

/** The owner of an agent is no member of the swarm in which somebody asks it by a grant. */
export function pathOfTurn({ swarm_id: swarmId, run_id: runId, grant_id: grantId }: AgentTurn): string {
  return grantId === null ? `/swarms/${swarmId}/runs/${runId}` : `/runs/${runId}`;
}
