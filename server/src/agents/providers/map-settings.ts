import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import { AGENT_SETTINGS } from "@swarmbase/sdk";
import type { OfferedModel, ProviderKind } from "../../config/index.ts";
import type { JsonRecord } from "../../json/index.ts";
import { mapReasoning } from "./map-reasoning.ts";
import { mapAnswerFormat } from "./map-answer-format.ts";
import type { ModelWarning } from "./model-port.ts";
import { NOT_SUPPORTED, type SentSettings, SIMULATED, type Warn } from "./setting-values.ts";
import { VENDORS } from "./vendors.ts";

export interface MappedSettings {
  readonly sent: SentSettings;
  /** The output limit of the call, including reasoning. */
  readonly maxTokens: number;
  /** Added to the system prompt; empty when there is none. */
  readonly instruction: string;
  readonly warnings: readonly ModelWarning[];
}

export interface SettingsTarget {
  readonly model: Pick<OfferedModel, "supports" | "maxOutputTokens" | "contextWindow">;
  readonly kind: ProviderKind;
  readonly hasTools: boolean;
  /** An upper limit for max_tokens. */
  readonly maxTokens?: number;
}

type NumberName = "temperature" | "max_tokens" | "presence_penalty" | "frequency_penalty" | "top_p";
type Sent = { -readonly [K in keyof SentSettings]: SentSettings[K] };

/**
 * Maps the settings of an agent to those of a model. Omits default values, because models reject settings that they do not
 * support. Warns about every setting of the agent that has no effect.
 */
export function mapSettings(settings: JsonRecord, target: SettingsTarget): MappedSettings {
  const { model, kind } = target;
  const { supports } = model;
  const warnings: ModelWarning[] = [];
  const warn: Warn = (setting, message) => {
    if (settings[setting] !== undefined && settings[setting] !== null) warnings.push({ setting, message });
  };
  const { maxTokens, ...lengthSettings } = mapLength(settings, target, warn);
  const sent: Sent = lengthSettings;

  const topP = readNumber(settings, "top_p");
  if (topP !== AGENT_SETTINGS.top_p.default) {
    if (supports.topP) sent.topP = topP;
    else warn("top_p", NOT_SUPPORTED);
  }

  const temperature = readNumber(settings, "temperature");
  if (!supports.temperature) warn("temperature", NOT_SUPPORTED);
  else if (sent.topP !== undefined && !supports.topPWithTemperature)
    warn("temperature", "not sent: the model supports either top_p or temperature");
  else {
    sent.temperature = Math.min(temperature, supports.temperatureMax);
    if (sent.temperature < temperature)
      warn("temperature", `lowered to ${supports.temperatureMax}, the maximum of the model`);
  }

  for (const [name, key] of PENALTIES) {
    const penalty = readNumber(settings, name);
    if (penalty === AGENT_SETTINGS[name].default) continue;
    if (supports.penalties) sent[key] = penalty;
    else warn(name, NOT_SUPPORTED);
  }

  const requested = readStop(settings["stop"]);
  const acceptsBlank = kind === "simulated" || VENDORS[kind].acceptsBlankStop;
  const usable = acceptsBlank ? requested : requested.filter((text) => text.trim() !== "");
  const stop = usable.slice(0, supports.stop);
  if (requested.length > 0 && supports.stop === 0) warn("stop", NOT_SUPPORTED);
  else if (stop.length < requested.length)
    warn("stop", `only ${stop.length} of ${requested.length} sequences sent: the model supports no others`);
  if (stop.length > 0) sent.stopSequences = stop;

  const seed = mapSeed(settings, kind, warn);
  if (seed !== null) sent.seed = seed;
  const { providerOptions, instruction = "", ...format } = mapAnswerFormat(settings, { ...target, warn });
  Object.assign(sent, format);
  if (providerOptions !== undefined) sent.providerOptions = mergeOptions(sent.providerOptions, providerOptions);
  return { sent, maxTokens, instruction, warnings: [...warnings, ...warnOfUnknown(settings)] };
}

type MappedLength = Pick<SentSettings, "maxOutputTokens" | "reasoning" | "providerOptions"> & {
  readonly maxTokens: number;
};

/** Maps max_tokens and the reasoning that counts against it. */
function mapLength(settings: JsonRecord, target: SettingsTarget, warn: Warn): MappedLength {
  const { model, kind, maxTokens: limit = Infinity } = target;
  const requested = readNumber(settings, "max_tokens", null);
  const bound = model.maxOutputTokens ?? Infinity;
  const { sent, extraTokens, budgetTokens } = mapReasoning(settings, { model, kind, warn });
  const least = kind === "simulated" ? 1 : VENDORS[kind].minOutputTokens;
  const maxTokens = Math.max(
    least,
    Math.min(bound, limit, requested ?? AGENT_SETTINGS.max_tokens.default + extraTokens),
  );
  if (requested !== null && requested < least) warn("max_tokens", `raised to ${least}, the minimum of the provider`);
  if (requested !== null && requested > bound) warn("max_tokens", `lowered to ${bound}, the maximum of the model`);
  if (maxTokens > budgetTokens) return { ...sent, maxOutputTokens: maxTokens - budgetTokens, maxTokens };
  const setting = (settings["thinking"] ?? null) === null ? "reasoning_effort" : "thinking";
  warn(setting, `not sent: it takes ${budgetTokens} tokens, and max_tokens is ${maxTokens}`);
  return { maxOutputTokens: maxTokens, maxTokens };
}

function mapSeed(settings: JsonRecord, kind: ProviderKind, warn: Warn): number | null {
  const seed = settings["seed"] ?? null;
  if (seed === null) return null;
  const range = kind === "simulated" ? "none" : VENDORS[kind].seed;
  const isWhole = typeof seed === "number" && (range === "int32" ? (seed | 0) === seed : Number.isSafeInteger(seed));
  if (range === "none") warn("seed", kind === "simulated" ? SIMULATED : NOT_SUPPORTED);
  else if (isWhole) return seed;
  else warn("seed", "not sent: must be a whole number");
  return null;
}

function mergeOptions(one: SharedV4ProviderOptions = {}, other: SharedV4ProviderOptions): SharedV4ProviderOptions {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, { ...one[name], ...other[name] }]));
}

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(AGENT_SETTINGS),
  "seed",
  "reasoning_effort",
  "thinking",
  "response_format",
]);
/** Settings can have up to 32 KiB of unknown names. */
const MAX_UNKNOWN = 16;
const MAX_NAME_CHARS = 100;

function warnOfUnknown(settings: JsonRecord): ModelWarning[] {
  const unknown = Object.keys(settings).filter((name) => !KNOWN.has(name) && settings[name] !== null);
  const named = unknown.slice(0, MAX_UNKNOWN).map((name) => {
    const setting = name.slice(0, MAX_NAME_CHARS);
    return { setting, message: `no effect: the service does not know the setting ${setting}` };
  });
  const more = unknown.length - named.length;
  return more === 0 ? named : [...named, { setting: "settings", message: `no effect: ${more} further settings` }];
}

const PENALTIES = [
  ["presence_penalty", "presencePenalty"],
  ["frequency_penalty", "frequencyPenalty"],
] as const;

/** Settings are validated when they are stored. A value that is not valid counts as absent. */
function readNumber(settings: JsonRecord, name: NumberName): number;
function readNumber(settings: JsonRecord, name: NumberName, fallback: null): number | null;
function readNumber(
  settings: JsonRecord,
  name: NumberName,
  fallback: number | null = AGENT_SETTINGS[name].default,
): number | null {
  const { min, max } = AGENT_SETTINGS[name];
  const value = settings[name];
  if (typeof value !== "number" || !Number.isFinite(value) || value < min || (max !== null && value > max))
    return fallback;
  return name === "max_tokens" ? Math.trunc(value) : value;
}

function readStop(value: unknown): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [];
  return texts.filter((text): text is string => typeof text === "string" && text !== "");
}
