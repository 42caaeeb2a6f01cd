import type { JSONObject } from "@ai-sdk/provider";
import { AGENT_SETTINGS } from "@swarmbase/sdk";
import type { OfferedModel, ProviderKind } from "../../config/index.ts";
import { asRecord, NOT_TAKEN, type SentSettings, type SettingsRecord, SIMULATED, type Warn } from "./setting-values.ts";
import { VENDORS } from "./vendors.ts";

/** Tokens that a model gets to think with. */
const TOKENS = {
  none: 0,
  minimal: 1024,
  low: 4096,
  medium: 8192,
  high: 24_576,
  xhigh: 49_152,
  max: 49_152,
} as const;
type Effort = keyof typeof TOKENS;
const EFFORTS = Object.keys(TOKENS) as Effort[];
/** Anthropic refuses less. */
const LEAST_BUDGET = 1024;

export interface MappedReasoning {
  readonly sent: Pick<SentSettings, "reasoning" | "providerOptions">;
  /** By how much max_tokens exceeds its default, so that thinking does not use up the answer. */
  readonly roomTokens: number;
  /** What the package adds to the max_tokens that it is given. */
  readonly budgetTokens: number;
}

interface Target {
  readonly model: Pick<OfferedModel, "supports" | "contextWindow">;
  readonly kind: ProviderKind;
  readonly warn: Warn;
}

/** `reasoning_effort` and `thinking` as the package of the provider's kind takes them. */
export function mapReasoning(settings: SettingsRecord, target: Target): MappedReasoning {
  const { model, kind, warn } = target;
  const effort = readEffort(settings, warn);
  const thinking = readThinking(settings, warn);
  const isThinker = model.supports.reasoning;
  const room = (tokens: number): number => fitWindow(tokens, model.contextWindow);
  if (kind === "simulated") {
    if (effort !== null) warn("reasoning_effort", SIMULATED);
    if (thinking !== null) warn("thinking", SIMULATED);
    return { sent: {}, roomTokens: 0, budgetTokens: 0 };
  }
  const { reasoning, optionsName } = VENDORS[kind];
  switch (reasoning) {
    case "effort":
      if (thinking !== null) warn("thinking", isThinker ? "not sent: set reasoning_effort instead" : NOT_TAKEN);
      if (effort !== null && !isThinker) warn("reasoning_effort", NOT_TAKEN);
      return {
        sent: effort !== null && isThinker ? { reasoning: effort } : {},
        roomTokens: isThinker ? room(TOKENS[effort ?? "medium"]) : 0,
        budgetTokens: 0,
      };
    case "any":
      // Nobody knows what such a server takes, so that it gets what the agent's owner asks for.
      return {
        sent: {
          ...(effort !== null && { reasoning: effort }),
          ...(thinking !== null && { providerOptions: { [optionsName]: { thinking: thinking.given } } }),
        },
        roomTokens: room(thinking?.tokens ?? TOKENS[effort ?? (isThinker ? "medium" : "none")]),
        budgetTokens: 0,
      };
    case "claude":
      return isThinker ? mapAdaptive(effort, thinking, target) : mapBudget(effort, thinking, target);
  }
}

/** Claude models that decide by themselves how much they think. */
function mapAdaptive(effort: Effort | null, thinking: Thinking | null, { model, warn }: Target): MappedReasoning {
  const isOff = thinking?.type === "disabled";
  if (thinking !== null && "budget_tokens" in thinking.given)
    warn("thinking", "sent without budget_tokens: the model decides by itself how much it thinks");
  return {
    sent: {
      ...(effort !== null && { reasoning: effort }),
      ...(thinking !== null && {
        providerOptions: { anthropic: { thinking: { type: isOff ? "disabled" : "adaptive" } } },
      }),
    },
    roomTokens: isOff ? 0 : fitWindow(TOKENS[effort ?? "medium"], model.contextWindow),
    budgetTokens: 0,
  };
}

/** Claude models that think only where they are given a budget. */
function mapBudget(effort: Effort | null, thinking: Thinking | null, { warn }: Target): MappedReasoning {
  if (thinking?.type === "adaptive") warn("thinking", NOT_TAKEN);
  else if (thinking !== null && effort !== null) warn("reasoning_effort", "not sent: thinking is set");
  const asked = thinking?.type === "enabled" ? thinking.tokens : thinking === null ? TOKENS[effort ?? "none"] : 0;
  if (asked === 0) return { sent: {}, roomTokens: 0, budgetTokens: 0 };
  const budgetTokens = Math.max(LEAST_BUDGET, asked);
  return {
    sent: { providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens } } } },
    roomTokens: budgetTokens,
    budgetTokens,
  };
}

/** Beside an answer of the default length, thinking gets what is left of half of the model's window at most. */
function fitWindow(tokens: number, contextWindow: number | null): number {
  if (contextWindow === null) return tokens;
  return Math.max(0, Math.min(tokens, Math.floor(contextWindow / 2) - AGENT_SETTINGS.max_tokens.default));
}

function readEffort(settings: SettingsRecord, warn: Warn): Effort | null {
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

function readThinking(settings: SettingsRecord, warn: Warn): Thinking | null {
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
