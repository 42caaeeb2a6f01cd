import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from "@ai-sdk/provider";

/** The settings of a request. The provider decides about absent ones. */
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

export const NOT_SUPPORTED = "not sent: the model does not support it";
export const SIMULATED = "no effect: the provider is simulated";
