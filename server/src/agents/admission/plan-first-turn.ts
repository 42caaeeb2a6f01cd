import { readRunLimits } from "../guards/run-limits.ts";
import type { Models } from "../providers/model-port.ts";
import { defaultModels, MAX_CONCURRENT_TURNS } from "../turn/turn-terms.ts";
import { decideNext } from "../strategies/decide-next.ts";
import type { FirstTurnPlan, Preflight } from "./sql/admit-runs.ts";

export interface FirstTurnInput {
  /** The agents that the call or its message names; null: none. */
  readonly namedIds: readonly string[] | null;
  /** What is stored with the run. */
  readonly request: unknown;
}

export interface FirstTurnPorts {
  readonly models: Pick<Models, "describe">;
  newId(): string;
}

/** The agent that speaks first, where that is one and is known before the run is admitted. Null: the executor decides. */
export function planFirstTurn(
  { models, newId }: FirstTurnPorts,
  preflight: Preflight,
  { namedIds, request }: FirstTurnInput,
): FirstTurnPlan | null {
  const { agents, strategy, settings } = preflight;
  const limits = readRunLimits(settings, request);
  const step = decideNext({
    strategy,
    agents: namedIds === null ? agents : agents.filter(({ id }) => namedIds.includes(id)),
    coordinatorId: agents.find(({ id }) => id === preflight.coordinator_agent_id)?.id ?? null,
    isNarrowed: namedIds !== null,
    maxTurns: limits.maxTurns,
    maxRounds: limits.maxRounds,
    onAgentError: limits.onAgentError,
    turns: [],
    selected: null,
  });
  const [agentId, ...others] = step.type === "turns" ? step.agentIds : [];
  if (agentId === undefined || others.length > 0) return null;
  return {
    turn_id: newId(),
    message_id: newId(),
    agent_id: agentId,
    speaker_ids: agents.map(({ id }) => id),
    default_models: defaultModels(models, agents.find(({ id }) => id === agentId)?.framework),
    max_concurrent: MAX_CONCURRENT_TURNS,
    history_limit: limits.historyLimit + 1,
  };
}
