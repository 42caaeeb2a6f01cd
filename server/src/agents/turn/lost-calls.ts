import type { LiveRun } from "../run/live-run.ts";
import { createFault, type ModelCallRow, type UsageRow } from "../writer/steps.ts";
import type { ModelTool, ModelUsage } from "../providers/model-port.ts";
import { requestOf } from "./ask-model.ts";
import { recordInTurn, type Turn } from "./turn.ts";
import { estimateInput } from "../model/estimate-input.ts";
import { toUsageRow } from "../model/call-meter.ts";

const LOST = createFault("WORKER_LOST", "The node that made this call went away", true);

export interface LostCalls {
  readonly tools: readonly ModelTool[];
  /** A call was in progress when the node was lost. */
  readonly isRestarted: boolean;
}

/**
 * Adds the calls that ended with their node to the usage of the turn, because the provider charges them. With a budget, each has a
 * reservation. Their usage is estimated: the input is that of the call that repeats them.
 */
export function recordLostCalls(run: LiveRun, turn: Turn, { tools, isRestarted }: LostCalls): void {
  const { recovery, has_budget: hasBudget } = run.context;
  const row = recovery?.open_turns.find(({ id }) => id === turn.id);
  if (recovery === null || row === undefined) return;
  const { inputTokens, charsPerToken } = estimateInput(run.ports, requestOf(run, turn, { tools, toolChoice: "auto" }));
  let outputTokens = Math.ceil(row.lost_chars / charsPerToken);
  const estimate = (): ModelUsage => {
    const usage = { inputTokens, cachedInputTokens: 0, outputTokens, reasoningTokens: 0, isEstimated: true };
    // What was stored belongs to all of them together.
    outputTokens = 0;
    return usage;
  };
  if (!hasBudget) {
    if (isRestarted) for (let call = 0; call < row.lost_calls; call += 1) record(run, turn, estimate(), null);
    return;
  }
  for (const { id, turn_id: turnId, usage } of recovery.reservations) {
    if (turnId !== turn.id || turn.reservationIds.includes(id)) continue;
    const spent = usage === null ? estimate() : toModelUsage(usage);
    const recorded = record(run, turn, spent, id);
    if (usage === null) run.budget.settle([id], recorded);
  }
}

function record(run: LiveRun, turn: Turn, usage: ModelUsage, reservationId: string | null): UsageRow {
  const { ports } = run;
  const { framework } = turn.agent;
  const { model } = ports.models.describe(framework, turn.agent.model);
  const costUsd = ports.models.priceOf(framework, model, usage);
  const usageRow = toUsageRow(usage, costUsd);
  const call: ModelCallRow = {
    id: ports.newId(),
    attempt: 1,
    framework,
    model,
    status: "failed",
    error: LOST,
    finish_reason: null,
    started_at: ports.clock.now().toISOString(),
    first_token_ms: null,
    duration_ms: 0,
    ...usageRow,
  };
  recordInTurn(turn, { spent: { usage, costUsd, framework, model }, reservationId, modelCalls: [call] });
  return usageRow;
}

function toModelUsage(row: UsageRow): ModelUsage {
  return {
    inputTokens: row.input_tokens,
    cachedInputTokens: row.cached_input_tokens,
    outputTokens: row.output_tokens,
    reasoningTokens: row.reasoning_tokens,
    isEstimated: row.estimated,
  };
}
