import type { ModelUsage } from "../providers/model-port.ts";
import type { UsageRow } from "../execution/steps.ts";

/** Null: nothing was used. */
export function toUsageRow({
  usage,
  costUsd,
}: {
  readonly usage: ModelUsage | null;
  readonly costUsd: number | null;
}): UsageRow | null {
  if (usage === null) return null;
  return {
    input_tokens: Math.round(usage.inputTokens),
    cached_input_tokens: Math.round(usage.cachedInputTokens),
    output_tokens: Math.round(usage.outputTokens),
    reasoning_tokens: Math.round(usage.reasoningTokens),
    cost_usd: costUsd,
    estimated: usage.isEstimated,
  };
}
