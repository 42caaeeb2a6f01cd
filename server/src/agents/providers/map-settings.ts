import { AGENT_SETTINGS } from "@swarmbase/sdk";
import type { OfferedModel, ProviderKind } from "../../config/index.ts";
import type { ModelWarning } from "./model-port.ts";

/** What is sent; a key that is absent is left to the provider. */
export interface SentSettings {
  readonly maxOutputTokens: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly stopSequences?: string[];
}

export interface MappedSettings {
  readonly sent: SentSettings;
  readonly warnings: readonly ModelWarning[];
}

type NumberName = "temperature" | "max_tokens" | "presence_penalty" | "frequency_penalty" | "top_p";

/**
 * An agent's settings as a model takes them. Neutral values are left out: they are every provider's own defaults, and
 * models that do not know a setting refuse it whatever its value. Only what somebody asked for is worth a warning.
 */
export function mapSettings(
  settings: Readonly<Record<string, unknown>>,
  model: Pick<OfferedModel, "supports" | "maxOutputTokens">,
  kind: ProviderKind,
): MappedSettings {
  const { supports } = model;
  const warnings: ModelWarning[] = [];
  const warn = (setting: string, message: string) => {
    if (settings[setting] !== undefined && settings[setting] !== null) warnings.push({ setting, message });
  };
  const sent: { -readonly [K in keyof SentSettings]: SentSettings[K] } = {
    maxOutputTokens: readNumber(settings, "max_tokens"),
  };
  if (model.maxOutputTokens !== null && sent.maxOutputTokens > model.maxOutputTokens) {
    sent.maxOutputTokens = model.maxOutputTokens;
    warn("max_tokens", `lowered to ${model.maxOutputTokens}, the most that the model writes`);
  }

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
  // Anthropic refuses a request with a blank one.
  const usable = kind === "anthropic" ? asked.filter((text) => text.trim() !== "") : asked;
  const stop = usable.slice(0, supports.stop);
  if (asked.length > 0 && supports.stop === 0) warn("stop", NOT_TAKEN);
  else if (stop.length < asked.length)
    warn("stop", `only ${stop.length} of ${asked.length} texts sent: the model takes no others`);
  if (stop.length > 0) sent.stopSequences = stop;
  return { sent, warnings };
}

const NOT_TAKEN = "not sent: the model does not take it";

const PENALTIES = [
  ["presence_penalty", "presencePenalty"],
  ["frequency_penalty", "frequencyPenalty"],
] as const;

/** Rows are checked when they are written; whatever slips through counts as not given. */
function readNumber(settings: Readonly<Record<string, unknown>>, name: NumberName): number {
  const { min, max, default: fallback } = AGENT_SETTINGS[name];
  const value = settings[name];
  if (typeof value !== "number" || !Number.isFinite(value) || value < min || (max !== null && value > max))
    return fallback;
  return name === "max_tokens" ? Math.trunc(value) : value;
}

function readStop(value: unknown): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [];
  return texts.filter((text): text is string => typeof text === "string" && text !== "");
}
