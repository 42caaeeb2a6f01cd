import { AGENT_SETTINGS } from "@swarmbase/sdk";
import type { OfferedModel } from "../../config/index.ts";
import type { JsonRecord } from "../../json/index.ts";
import { describeSchema, responseSchemaOf } from "../schemas/response-schema.ts";
import type { ModelWarning } from "./model-port.ts";
import type { SentFormat, SettingsMapping } from "./provider-protocol.ts";
import type { SentSettings, Warn } from "./setting-values.ts";

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
  readonly mapping: SettingsMapping;
  readonly hasTools: boolean;
  /** An upper limit for max_tokens. */
  readonly maxTokens?: number;
}

type NumberName = "temperature" | "max_tokens" | "presence_penalty" | "frequency_penalty" | "top_p";
type ProviderOptions = NonNullable<SentSettings["providerOptions"]>;
type Sent = { -readonly [K in keyof SentSettings]: SentSettings[K] };

/**
 * Maps the settings of an agent to those of a model. Omits default values, because models reject settings that they do not
 * support. Warns about every setting of the agent that has no effect.
 */
export function mapSettings(settings: JsonRecord, target: SettingsTarget): MappedSettings {
  const { model, mapping } = target;
  const { supports } = model;
  const warnings: ModelWarning[] = [];
  const warn: Warn = (setting, message = "not sent: the model does not support it") => {
    if (settings[setting] !== undefined && settings[setting] !== null) warnings.push({ setting, message });
  };
  const { maxTokens, ...lengthSettings } = mapLength(settings, target, warn);
  const sent: Sent = lengthSettings;

  const topP = readNumber(settings, "top_p");
  if (topP !== AGENT_SETTINGS.top_p.default) {
    if (supports.topP) sent.topP = topP;
    else warn("top_p");
  }

  const temperature = readNumber(settings, "temperature");
  if (!supports.temperature) warn("temperature");
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
    else warn(name);
  }

  const requested = readStop(settings["stop"]);
  const usable = mapping.acceptsBlankStop ? requested : requested.filter((text) => text.trim() !== "");
  const stop = usable.slice(0, supports.stop);
  if (requested.length > 0 && supports.stop === 0) warn("stop");
  else if (stop.length < requested.length)
    warn("stop", `only ${stop.length} of ${requested.length} sequences sent: the model supports no others`);
  if (stop.length > 0) sent.stopSequences = stop;

  const given = settings["seed"] ?? null;
  const seed = given === null ? null : mapping.mapSeed(given, warn);
  if (seed !== null) sent.seed = seed;
  const { providerOptions, instruction = "", ...format } = mapAnswerFormat(settings, target, warn);
  Object.assign(sent, format);
  if (providerOptions !== undefined) sent.providerOptions = mergeOptions(sent.providerOptions, providerOptions);
  return { sent, maxTokens, instruction, warnings: [...warnings, ...warnOfUnknown(settings)] };
}

/** The settings of a request by the names that agents have, with the defaults that were sent. */
export function describeSent(
  { maxOutputTokens: _answerTokens, providerOptions, responseFormat, ...sent }: SentSettings,
  maxTokens: number,
): JsonRecord {
  const named = Object.entries(sent).map(([key, value]) => [SENT_NAMES[key as keyof typeof sent], value as unknown]);
  return {
    max_tokens: maxTokens,
    ...(Object.fromEntries(named) as JsonRecord),
    ...(responseFormat !== undefined && { response_format: responseFormat }),
    ...(providerOptions !== undefined && { provider_options: providerOptions }),
  };
}

const SENT_NAMES = {
  temperature: "temperature",
  topP: "top_p",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  stopSequences: "stop",
  seed: "seed",
  reasoning: "reasoning_effort",
} as const satisfies Record<
  Exclude<keyof SentSettings, "maxOutputTokens" | "providerOptions" | "responseFormat">,
  string
>;

type MappedLength = Pick<SentSettings, "maxOutputTokens" | "reasoning" | "providerOptions"> & {
  readonly maxTokens: number;
};

/** Maps max_tokens and the reasoning that counts against it. */
function mapLength(settings: JsonRecord, target: SettingsTarget, warn: Warn): MappedLength {
  const { model, mapping, maxTokens: limit = Infinity } = target;
  const requested = readNumber(settings, "max_tokens", null);
  const bound = model.maxOutputTokens ?? Infinity;
  const { sent, extraTokens, budgetTokens } = mapping.mapReasoning(settings, { model, warn });
  const least = mapping.minOutputTokens;
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

/** Maps `response_schema`, or `response_format` when there is no schema. */
function mapAnswerFormat(
  settings: JsonRecord,
  { model, mapping, hasTools }: SettingsTarget,
  warn: Warn,
): SentFormat & { readonly instruction?: string } {
  const format = settings["response_format"] ?? null;
  const schema = responseSchemaOf(settings);
  if (schema === null) return format === null ? {} : mapping.mapResponseFormat(format, { model, hasTools, warn });
  warn("response_format", "not sent: response_schema takes precedence");
  return mapping.mapResponseSchema(schema, { model, hasTools, warn }) ?? { instruction: describeSchema(schema) };
}

function mergeOptions(one: ProviderOptions = {}, other: ProviderOptions): ProviderOptions {
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
