import type { ModelPrice } from "../../config/index.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import type { ReportedUsage } from "./adapter.ts";
import type { ModelCall, ModelToolCall, ModelUsage } from "./model-port.ts";

/** Of a large image; smaller ones have fewer. */
export const TOKENS_PER_IMAGE = 1_600;

interface Answer {
  readonly textChars: number;
  readonly toolCalls: readonly ModelToolCall[];
}

/** The usage that the vendor reported, with estimates for missing numbers. */
export function countUsage(reported: ReportedUsage, call: ModelCall, answer: Answer): ModelUsage {
  const { inputTokens, outputTokens } = reported;
  const input = inputTokens ?? estimateUnreportedInput(call);
  const output = outputTokens ?? estimateOutput(answer);
  const cached = Math.min(whole(reported.cachedInputTokens ?? 0), whole(input));
  const written = Math.min(whole(reported.cacheWriteTokens ?? 0), whole(input) - cached);
  return {
    inputTokens: whole(input),
    cachedInputTokens: cached,
    ...(written > 0 && { cacheWriteTokens: written }),
    outputTokens: whole(output),
    reasoningTokens: Math.min(whole(reported.reasoningTokens ?? 0), whole(output)),
    isEstimated: reported.isEstimated ?? (inputTokens === null || outputTokens === null),
  };
}

export function estimateUnreportedInput({ system, messages, tools }: ModelCall): number {
  let tokens = estimateTokens(system);
  for (const message of messages) {
    tokens += estimateTokens(message.role === "tool" ? message.output : message.content);
    if (message.role !== "assistant") tokens += (message.images?.length ?? 0) * TOKENS_PER_IMAGE;
    if (message.role === "assistant")
      for (const { name, inputText } of message.toolCalls ?? []) tokens += estimateTokens(name + inputText);
  }
  if (tools.length > 0) tokens += estimateTokens(JSON.stringify(tools));
  return tokens;
}

function estimateOutput({ textChars, toolCalls }: Answer): number {
  const chars = toolCalls.reduce((sum, { name, inputText }) => sum + name.length + inputText.length, textChars);
  return Math.ceil(chars / 3.6);
}

/** The number is stored in an integer column. */
function whole(value: number): number {
  return Number.isFinite(value) ? Math.min(2_147_483_647, Math.max(0, Math.round(value))) : 0;
}

/** Output includes reasoning, and input includes input that is read from the cache or written to it. */
export function priceUsage(
  price: ModelPrice,
  ratios: { readonly read: number; readonly write: number },
  usage: ModelUsage,
): number {
  const { inputTokens, cachedInputTokens, cacheWriteTokens = 0, outputTokens } = usage;
  const fresh = (inputTokens - cachedInputTokens - cacheWriteTokens) * price.input;
  const cached = cachedInputTokens * (price.cachedInput ?? price.input * ratios.read);
  const written = cacheWriteTokens * (price.cacheWrite ?? price.input * ratios.write);
  return (fresh + cached + written + outputTokens * price.output) / 1_000_000;
}
