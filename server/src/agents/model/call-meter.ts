import type { Framework } from "@swarmbase/sdk";
import { estimateTokens } from "../context/estimate-tokens.ts";
import type { ModelEvent, ModelUsage } from "../providers/model-port.ts";
import type { LiveRun } from "../execution/live-run.ts";
import type { CallCost, CallEstimate } from "./run-budget.ts";
import { toUsageRow } from "./usage-row.ts";

export interface MeteredCall
  extends Pick<CallEstimate, "turnId" | "inputTokens" | "maxOutputTokens" | "minOutputTokens"> {
  readonly framework: Framework;
  /** By its own id, also where the agent leaves it to the provider. */
  readonly model: string;
  readonly charsPerToken: number;
  readonly signal: AbortSignal;
}

interface Spent {
  readonly usage: ModelUsage;
  /** Null where the price is not known. */
  readonly costUsd: number | null;
  /** The provider that answered. */
  readonly framework: Framework;
  readonly model: string;
}

export interface CallMeter {
  /** Null when no budget applies. */
  readonly reservationId: string | null;
  /** The output limit of the call; less than requested when the budget has no room for more. */
  readonly maxOutputTokens: number;
  /** Must be called with every event of the call. */
  hear(event: ModelEvent): void;
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
  const { turnId, inputTokens, maxOutputTokens, minOutputTokens, signal } = call;
  const reservation = await run.budget.reserve({
    turnId,
    inputTokens,
    maxOutputTokens,
    minOutputTokens,
    cost: () => estimateCost(run, call),
  });
  const ids = reservation.id === null ? [] : [reservation.id];
  if (signal.aborted) {
    run.budget.settle(ids, null);
    signal.throwIfAborted();
  }
  let { framework, model } = call;
  let hasBegun = false;
  let heard = "";
  let usage: ModelUsage | null = null;
  const estimateUsage = (): ModelUsage => ({
    ...NO_USAGE,
    inputTokens,
    outputTokens: estimateTokens(heard, call.charsPerToken),
  });

  return {
    reservationId: reservation.id,
    maxOutputTokens: reservation.maxOutputTokens,
    hear(event) {
      switch (event.type) {
        case "start":
          hasBegun = true;
          ({ framework, model } = event);
          break;
        case "text":
        case "reasoning":
          heard += event.delta;
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
      run.budget.settle(ids, toUsageRow({ usage: used, costUsd }));
      return used === null ? null : { usage: used, costUsd, framework, model };
    },
  };
}

/** By the highest price of all providers that may answer. Scaling outputUsd down for a shorter answer never underestimates. */
function estimateCost(run: LiveRun, { framework, model, inputTokens, maxOutputTokens }: MeteredCall): CallCost | null {
  const priceOf = (outputTokens: number): number | null =>
    run.ports.models.highestPriceOf(framework, model, { ...NO_USAGE, inputTokens, outputTokens });
  const inputUsd = priceOf(0);
  const wholeUsd = priceOf(maxOutputTokens);
  return inputUsd === null || wholeUsd === null ? null : { inputUsd, outputUsd: wholeUsd - inputUsd };
}
