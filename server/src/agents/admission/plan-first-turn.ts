import { readRunLimits } from "../strategies/run-limits.ts";
import type { Models } from "../providers/open-models.ts";
import { defaultModels, MAX_CONCURRENT_TURNS } from "../turn/run-turn.ts";
import { type Answering, decideNext } from "../strategies/who-answers.ts";
import type { FirstTurnPlan, Preflight, PreflightAgent } from "./sql/admit-runs.ts";

/**
 * Plans the first turn when a single agent speaks first and is known before the admission. Null: the executor decides.
 * `request`: stored with the run.
 */
export function planFirstTurn(
  { models, newId }: { readonly models: Pick<Models, "describe">; newId(): string },
  preflight: Preflight,
  { answering, request }: { readonly answering: Answering<PreflightAgent>; readonly request: unknown },
): FirstTurnPlan | null {
  const { agents, strategy, settings } = preflight;
  const limits = readRunLimits(settings, request);
  const step = decideNext({
    ...limits,
    strategy,
    ...answering,
    inChargeId: preflight.in_charge_agent_id,
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
    default_models: defaultModels(
      models,
      agents.flatMap(({ id, framework }) => (id === agentId ? [framework] : [])),
    ),
    max_concurrent: MAX_CONCURRENT_TURNS,
    history_limit: limits.historyLimit + 1,
  };
}
