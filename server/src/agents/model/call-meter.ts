import type { Framework } from "@swarmbase/sdk";
import { estimateTokens } from "../providers/estimate-tokens.ts";
import type { ModelEvent, ModelUsage } from "../providers/model-port.ts";
import type { LiveRun } from "../run/live-run.ts";
import type { UsageRow } from "../writer/steps.ts";
import type { CallCost, CallEstimate } from "../run/run-budget.ts";

interface MeteredCall extends Omit<CallEstimate, "cost"> {
  readonly framework: Framework;
  /** The id of the model, also when the agent uses the default of the provider. */
  readonly model: string;
  readonly charsPerToken: number;
  readonly signal: AbortSignal;
}

export interface Spent {
  readonly usage: ModelUsage;
  /** Null when the price is not known. */
  readonly costUsd: number | null;
  /** The provider that answered. */
  readonly framework: Framework;
  readonly model: string;
}

interface CallMeter {
  /** Null when no budget applies. */
  readonly reservationId: string | null;
  /** The output limit of the call; lower than requested when the budget does not allow more. */
  readonly maxOutputTokens: number;
  /** Must be called with every event of the call. */
  observe(event: ModelEvent): void;
  /** Settles the call. Returns null when it reached no provider. */
  close(): Spent | null;
}

const NO_USAGE: ModelUsage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  isEstimated: true,
};

/** Reserves what a call may cost, before it is made. Throws BudgetSpent when a budget is exceeded. */
export async function openCallMeter(run: LiveRun, call: MeteredCall): Promise<CallMeter> {
  const { models } = run.ports;
  const { inputTokens, signal } = call;
  const reservation = await run.budget.reserve({ ...call, cost: () => estimateCost(run, call) });
  const ids = reservation.id === null ? [] : [reservation.id];
  if (signal.aborted) {
    run.budget.settle(ids, null);
    signal.throwIfAborted();
  }
  let { framework, model } = call;
  let hasBegun = false;
  let received = "";
  let usage: ModelUsage | null = null;
  const estimateUsage = (): ModelUsage => ({
    ...NO_USAGE,
    inputTokens,
    outputTokens: estimateTokens(received, call.charsPerToken),
  });

  return {
    reservationId: reservation.id,
    maxOutputTokens: reservation.maxOutputTokens,
    observe(event) {
      switch (event.type) {
        case "start":
          hasBegun = true;
          ({ framework, model } = event);
          break;
        case "text":
        case "reasoning":
          received += event.delta;
          break;
        case "finish":
          usage = event.usage;
          break;
        case "tool_call":
        case "warning":
          break;
      }
    },
    close() {
      // Providers charge the input of a request that is aborted before the first token.
      const isCharged = hasBegun || signal.aborted;
      const used = usage ?? (isCharged ? estimateUsage() : null);
      const costUsd = used === null ? null : models.priceOf(framework, model, used);
      run.budget.settle(ids, used === null ? null : toUsageRow(used, costUsd));
      return used === null ? null : { usage: used, costUsd, framework, model };
    },
  };
}

/** By the highest price of all providers that may answer. Scaling outputUsd down for a shorter answer never underestimates. */
function estimateCost(run: LiveRun, { framework, model, inputTokens, maxOutputTokens }: MeteredCall): CallCost | null {
  const priceOf = (outputTokens: number): number | null =>
    run.ports.models.highestPriceOf(framework, model, {
      ...NO_USAGE,
      inputTokens,
      // Writing to the cache of a provider is the most expensive input.
      cacheWriteTokens: inputTokens,
      outputTokens,
    });
  const inputUsd = priceOf(0);
  const wholeUsd = priceOf(maxOutputTokens);
  return inputUsd === null || wholeUsd === null ? null : { inputUsd, outputUsd: wholeUsd - inputUsd };
}

export function toUsageRow(usage: ModelUsage, costUsd: number | null): UsageRow {
  return {
    input_tokens: Math.round(usage.inputTokens),
    cached_input_tokens: Math.round(usage.cachedInputTokens),
    output_tokens: Math.round(usage.outputTokens),
    reasoning_tokens: Math.round(usage.reasoningTokens),
    cost_usd: costUsd,
    estimated: usage.isEstimated,
  };
}
