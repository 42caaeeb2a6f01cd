import type { JSONObject } from "@ai-sdk/provider";
import { AGENT_SETTINGS } from "@swarmbase/sdk";
import type { JsonRecord, MappedReasoning, ReasoningEffort, ReasoningTarget, Warn } from "swarmbase/extension";
import { asRecord } from "./parse-record.ts";
import type { Vendor } from "./vendors.ts";

/** The reasoning budget of each effort, in tokens. */
const TOKENS = {
  none: 0,
  minimal: 1024,
  low: 4096,
  medium: 8192,
  high: 24_576,
  xhigh: 49_152,
  max: 49_152,
} as const satisfies Record<ReasoningEffort, number>;
const EFFORTS = Object.keys(TOKENS) as ReasoningEffort[];
/** Anthropic rejects a lower budget. */
const MIN_BUDGET = 1024;
/** The thinking budgets that all Gemini models with such a budget accept. */
const GEMINI_BUDGET = { min: 512, max: 24_576 } as const;
/** Makes a Gemini model choose its thinking budget. */
const GEMINI_DYNAMIC = -1;

/** Maps `reasoning_effort` and `thinking` to the options of the provider's package. */
export function mapReasoning(
  { reasoning, optionsName }: Pick<Vendor, "reasoning" | "optionsName">,
  settings: JsonRecord,
  target: ReasoningTarget,
): MappedReasoning {
  const { model, warn } = target;
  const effort = readEffort(settings, warn);
  const thinking = readThinking(settings, warn);
  const isReasoning = model.supports.reasoning;
  const fit = (tokens: number): number => fitWindow(tokens, model.contextWindow);
  switch (reasoning) {
    case "effort":
      if (thinking !== null) warn("thinking", isReasoning ? "not sent: set reasoning_effort instead" : undefined);
      return mapEffort(effort, target);
    case "any":
      // What such a server supports is not known, so it gets the settings unchanged.
      return {
        sent: {
          ...(effort !== null && { reasoning: effort }),
          ...(thinking !== null && { providerOptions: { [optionsName]: { thinking: thinking.given } } }),
        },
        extraTokens: fit(thinking?.tokens ?? TOKENS[effort ?? (isReasoning ? "medium" : "none")]),
        budgetTokens: 0,
      };
    case "claude":
      return model.supports.thinking === "adaptive"
        ? mapAdaptive(effort, thinking, target)
        : mapBudget(effort, thinking, target);
    case "gemini":
      return mapGemini(effort, thinking, target);
  }
}

function mapEffort(effort: ReasoningEffort | null, { model, warn }: ReasoningTarget): MappedReasoning {
  const isReasoning = model.supports.reasoning;
  if (effort !== null && !isReasoning) warn("reasoning_effort");
  return {
    sent: effort !== null && isReasoning ? { reasoning: effort } : {},
    extraTokens: isReasoning ? fitWindow(TOKENS[effort ?? "medium"], model.contextWindow) : 0,
    budgetTokens: 0,
  };
}

/** Gemini models take an effort or a thinking budget, not both. Their reasoning counts against max_tokens. */
function mapGemini(
  effort: ReasoningEffort | null,
  thinking: Thinking | null,
  target: ReasoningTarget,
): MappedReasoning {
  const { model, warn } = target;
  if (thinking !== null && !model.supports.reasoning) warn("thinking");
  if (thinking === null || !model.supports.reasoning) return mapEffort(effort, target);
  if (effort !== null) warn("reasoning_effort", "not sent: thinking is set");
  // The package knows which models cannot switch their reasoning off.
  if (thinking.type === "disabled") return mapEffort("none", target);
  const tokens = Math.min(GEMINI_BUDGET.max, Math.max(GEMINI_BUDGET.min, thinking.tokens));
  if (tokens !== thinking.tokens)
    warn(
      "thinking",
      `budget_tokens changed to ${tokens}: the models accept ${GEMINI_BUDGET.min} to ${GEMINI_BUDGET.max}`,
    );
  const thinkingBudget = thinking.type === "adaptive" ? GEMINI_DYNAMIC : tokens;
  return {
    sent: { providerOptions: { google: { thinkingConfig: { thinkingBudget } } } },
    extraTokens: fitWindow(tokens, model.contextWindow),
    budgetTokens: 0,
  };
}

/** Claude models that choose their reasoning budget. */
function mapAdaptive(
  effort: ReasoningEffort | null,
  thinking: Thinking | null,
  { model, warn }: ReasoningTarget,
): MappedReasoning {
  const isOff = thinking?.type === "disabled";
  const isIdle = isOff || (!model.supports.reasoning && effort === null && thinking === null);
  if (thinking !== null && "budget_tokens" in thinking.given)
    warn("thinking", "sent without budget_tokens: the model chooses its reasoning budget");
  return {
    sent: {
      ...(effort !== null && { reasoning: effort }),
      ...(thinking !== null && {
        providerOptions: { anthropic: { thinking: { type: isOff ? "disabled" : "adaptive" } } },
      }),
    },
    extraTokens: isIdle ? 0 : fitWindow(TOKENS[effort ?? "medium"], model.contextWindow),
    budgetTokens: 0,
  };
}

/** Claude models that reason only with a given budget. */
function mapBudget(
  effort: ReasoningEffort | null,
  thinking: Thinking | null,
  { model, warn }: ReasoningTarget,
): MappedReasoning {
  if (thinking?.type === "adaptive") warn("thinking");
  else if (thinking !== null && effort !== null) warn("reasoning_effort", "not sent: thinking is set");
  const requested = thinking?.type === "enabled" ? thinking.tokens : thinking === null ? TOKENS[effort ?? "none"] : 0;
  if (requested === 0) {
    const isReasoning = model.supports.reasoning && effort === null && thinking === null;
    return { sent: {}, extraTokens: isReasoning ? fitWindow(TOKENS.medium, model.contextWindow) : 0, budgetTokens: 0 };
  }
  const budgetTokens = Math.max(MIN_BUDGET, requested);
  return {
    sent: { providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens } } } },
    extraTokens: budgetTokens,
    budgetTokens,
  };
}

/** Reasoning and an answer of the default length use at most half of the context window. */
function fitWindow(tokens: number, contextWindow: number | null): number {
  if (contextWindow === null) return tokens;
  return Math.max(0, Math.min(tokens, Math.floor(contextWindow / 2) - AGENT_SETTINGS.max_tokens.default));
}

function readEffort(settings: JsonRecord, warn: Warn): ReasoningEffort | null {
  const value = settings["reasoning_effort"] ?? null;
  const effort = EFFORTS.find((known) => known === value) ?? null;
  if (value !== null && effort === null) warn("reasoning_effort", `not sent: must be one of ${EFFORTS.join(", ")}`);
  return effort;
}

const THINKING_TYPES = ["enabled", "disabled", "adaptive"] as const;

interface Thinking {
  readonly type: (typeof THINKING_TYPES)[number];
  readonly tokens: number;
  readonly given: JSONObject;
}

function readThinking(settings: JsonRecord, warn: Warn): Thinking | null {
  const value = settings["thinking"] ?? null;
  if (value === null) return null;
  const given = asRecord(value);
  const type = THINKING_TYPES.find((known) => known === given?.["type"]);
  const budget = given?.["budget_tokens"] ?? TOKENS.medium;
  if (type === undefined || typeof budget !== "number" || !Number.isSafeInteger(budget) || budget < 1) {
    warn("thinking", `not sent: type must be one of ${THINKING_TYPES.join(", ")}, budget_tokens a whole number`);
    return null;
  }
  // Settings are stored as JSON.
  return { type, tokens: type === "disabled" ? 0 : budget, given: given as JSONObject };
}
