import { readRunLimits } from "../guards/run-limits.ts";
import type { Models } from "../providers/model-port.ts";
import { defaultModels, MAX_CONCURRENT_TURNS } from "../runs/turn-terms.ts";
import { decideNext } from "../strategies/decide-next.ts";
import type { FirstTurnFacts, OpenPreflight } from "./sql/admission.ts";

export interface FirstTurnWishes {
  /** Whom the call or its message names; null: nobody. */
  readonly wantedIds: readonly string[] | null;
  /** What the run will keep of the call. */
  readonly request: unknown;
}

export interface FirstTurnPorts {
  readonly models: Pick<Models, "describe">;
  newId(): string;
}

/** Who begins, where that is one agent and is known before the run is. Null: it is found out by whoever carries the run out. */
export function planFirstTurn(
  { models, newId }: FirstTurnPorts,
  survey: OpenPreflight,
  { wantedIds, request }: FirstTurnWishes,
): FirstTurnFacts | null {
  const { agents, strategy, settings } = survey;
  const limits = readRunLimits(settings, request);
  const step = decideNext({
    strategy,
    agents: wantedIds === null ? agents : agents.filter(({ id }) => wantedIds.includes(id)),
    coordinatorId: agents.find(({ id }) => id === survey.coordinator_agent_id)?.id ?? null,
    isNarrowed: wantedIds !== null,
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
