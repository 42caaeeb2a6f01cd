import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import { AGENT_SETTINGS } from "@swarmbase/sdk";
import type { OfferedModel, ProviderKind } from "../../config/index.ts";
import { mapReasoning } from "./map-reasoning.ts";
import { mapResponseFormat } from "./map-response-format.ts";
import type { ModelWarning } from "./model-port.ts";
import { NOT_TAKEN, type SentSettings, type SettingsRecord, SIMULATED, type Warn } from "./setting-values.ts";
import { VENDORS } from "./vendors.ts";

export interface MappedSettings {
  readonly sent: SentSettings;
  /** The max_tokens that the provider gets: most that the call can answer with, thinking included. */
  readonly maxTokens: number;
  readonly warnings: readonly ModelWarning[];
}

export interface SettingsTarget {
  readonly model: Pick<OfferedModel, "supports" | "maxOutputTokens" | "contextWindow">;
  readonly kind: ProviderKind;
  readonly hasTools: boolean;
  /** An upper limit for max_tokens, whatever the settings say. */
  readonly maxTokens?: number;
}

type NumberName = "temperature" | "max_tokens" | "presence_penalty" | "frequency_penalty" | "top_p";
type Sent = { -readonly [K in keyof SentSettings]: SentSettings[K] };

/**
 * An agent's settings as a model takes them. Neutral values are left out: they are every provider's own defaults, and
 * models that do not know a setting refuse it whatever its value. Only what somebody asked for is worth a warning, and
 * everything that somebody asked for and that has no effect is.
 */
export function mapSettings(settings: SettingsRecord, target: SettingsTarget): MappedSettings {
  const { model, kind } = target;
  const { supports } = model;
  const warnings: ModelWarning[] = [];
  const warn: Warn = (setting, message) => {
    if (settings[setting] !== undefined && settings[setting] !== null) warnings.push({ setting, message });
  };
  const { maxTokens, ...thinking } = mapLength(settings, target, warn);
  const sent: Sent = { ...thinking };

  const topP = readNumber(settings, "top_p");
  if (topP !== AGENT_SETTINGS.top_p.default) {
    if (supports.topP) sent.topP = topP;
    else warn("top_p", NOT_TAKEN);
  }

  const temperature = readNumber(settings, "temperature");
  if (!supports.temperature) warn("temperature", NOT_TAKEN);
  else if (sent.topP !== undefined && !supports.topPWithTemperature)
    warn("temperature", "not sent: the model takes either top_p or temperature");
  else {
    sent.temperature = Math.min(temperature, supports.temperatureMax);
    if (sent.temperature < temperature)
      warn("temperature", `lowered to ${supports.temperatureMax}, the model's highest`);
  }

  for (const [name, key] of PENALTIES) {
    const penalty = readNumber(settings, name);
    if (penalty === AGENT_SETTINGS[name].default) continue;
    if (supports.penalties) sent[key] = penalty;
    else warn(name, NOT_TAKEN);
  }

  const asked = readStop(settings["stop"]);
  const acceptsBlank = kind === "simulated" || VENDORS[kind].acceptsBlankStop;
  const usable = acceptsBlank ? asked : asked.filter((text) => text.trim() !== "");
  const stop = usable.slice(0, supports.stop);
  if (asked.length > 0 && supports.stop === 0) warn("stop", NOT_TAKEN);
  else if (stop.length < asked.length)
    warn("stop", `only ${stop.length} of ${asked.length} texts sent: the model takes no others`);
  if (stop.length > 0) sent.stopSequences = stop;

  const seed = mapSeed(settings, kind, warn);
  if (seed !== null) sent.seed = seed;
  const { providerOptions, ...format } = mapResponseFormat(settings, { ...target, warn });
  Object.assign(sent, format);
  if (providerOptions !== undefined) sent.providerOptions = mergeOptions(sent.providerOptions, providerOptions);
  return { sent, maxTokens, warnings: [...warnings, ...warnOfUnknown(settings)] };
}

type MappedLength = Pick<SentSettings, "maxOutputTokens" | "reasoning" | "providerOptions"> & {
  readonly maxTokens: number;
};

/** max_tokens, and the thinking that counts against it. One that the agent sets is sent as it is. */
function mapLength(settings: SettingsRecord, target: SettingsTarget, warn: Warn): MappedLength {
  const { model, kind, maxTokens: limit = Infinity } = target;
  const asked = readNumber(settings, "max_tokens", null);
  const bound = model.maxOutputTokens ?? Infinity;
  const { sent, roomTokens, budgetTokens } = mapReasoning(settings, { model, kind, warn });
  const maxTokens = Math.min(bound, limit, asked ?? AGENT_SETTINGS.max_tokens.default + roomTokens);
  if (asked !== null && asked > bound) warn("max_tokens", `lowered to ${bound}, the most that the model writes`);
  if (maxTokens > budgetTokens) return { ...sent, maxOutputTokens: maxTokens - budgetTokens, maxTokens };
  const setting = (settings["thinking"] ?? null) === null ? "reasoning_effort" : "thinking";
  warn(setting, `not sent: it takes ${budgetTokens} tokens, and max_tokens is ${maxTokens}`);
  return { maxOutputTokens: maxTokens, maxTokens };
}

function mapSeed(settings: SettingsRecord, kind: ProviderKind, warn: Warn): number | null {
  const seed = settings["seed"] ?? null;
  if (seed === null) return null;
  const range = kind === "simulated" ? "none" : VENDORS[kind].seed;
  const isWhole = typeof seed === "number" && (range === "int32" ? (seed | 0) === seed : Number.isSafeInteger(seed));
  if (range === "none") warn("seed", kind === "simulated" ? SIMULATED : NOT_TAKEN);
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
/** Settings hold up to 32 KiB of whatever their owner stores. */
const MOST_UNKNOWN = 16;
const MOST_NAME_CHARS = 100;

function warnOfUnknown(settings: SettingsRecord): ModelWarning[] {
  const unknown = Object.keys(settings).filter((name) => !KNOWN.has(name) && settings[name] !== null);
  const named = unknown.slice(0, MOST_UNKNOWN).map((name) => {
    const setting = name.slice(0, MOST_NAME_CHARS);
    return { setting, message: `no effect: the service does not know the setting ${setting}` };
  });
  const more = unknown.length - named.length;
  return more === 0 ? named : [...named, { setting: "settings", message: `no effect: ${more} further settings` }];
}

const PENALTIES = [
  ["presence_penalty", "presencePenalty"],
  ["frequency_penalty", "frequencyPenalty"],
] as const;

/** Rows are checked when they are written; whatever slips through counts as not given. */
function readNumber(settings: SettingsRecord, name: NumberName): number;
function readNumber(settings: SettingsRecord, name: NumberName, fallback: null): number | null;
function readNumber(
  settings: SettingsRecord,
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
