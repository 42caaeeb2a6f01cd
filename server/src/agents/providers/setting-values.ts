import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { isRecord } from "../../json/index.ts";

/** An agent's settings, as the agent stores them. */
export type SettingsRecord = Readonly<Record<string, unknown>>;

/** What is sent; a key that is absent is left to the provider. */
export interface SentSettings {
  readonly maxOutputTokens: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly stopSequences?: string[];
  readonly seed?: number;
  readonly reasoning?: NonNullable<LanguageModelV4CallOptions["reasoning"]>;
  readonly responseFormat?: NonNullable<LanguageModelV4CallOptions["responseFormat"]>;
  readonly providerOptions?: SharedV4ProviderOptions;
}

/** Adds a warning to the turn. */
export type Warn = (setting: string, message: string) => void;

export const NOT_TAKEN = "not sent: the model does not take it";
export const SIMULATED = "no effect: the provider is simulated";

export function asRecord(value: unknown): SettingsRecord | null {
  return isRecord(value) ? value : null;
}
