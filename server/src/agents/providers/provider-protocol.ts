import type { OfferedModel, ProviderKind, VendorKind } from "../../config/index.ts";
import type { JsonRecord } from "../../json/index.ts";
import type { Adapter } from "./adapter.ts";
import type { Provider } from "./provider.ts";
import type { SentSettings, Warn } from "./setting-values.ts";
import type { StreamPace } from "./stream-pace.ts";

export type Fetch = typeof globalThis.fetch;

/** How the service speaks to the providers of one kind. */
export interface ProviderProtocol<Kind extends ProviderKind = ProviderKind> extends SettingsMapping {
  /** As `PROVIDER_A_KIND` and the providers file name it. */
  readonly kind: Kind;
  /** The prices of input that is read from the cache and written to it, as multiples of the price of input. */
  readonly cachePrices: { readonly read: number; readonly write: number };
  /** Called at the start for each provider that can be used, and again when the providers file has changed. */
  open(provider: Provider, ports: ProviderPorts): Adapter;
}

/** The protocols of extensions. The simulated provider is one of the core. */
export type VendorProtocol = ProviderProtocol<VendorKind>;

export interface ProviderPorts {
  /** Reaches the vendors under the address policy, and configured base URLs at any address. */
  readonly fetch: Fetch;
  /** Shared by all streams of the process. */
  readonly pace: StreamPace;
}

/** What differs between kinds in the settings of a call. The rest depends only on what the model supports. */
export interface SettingsMapping {
  /** The provider rejects a request with a lower output limit. */
  readonly minOutputTokens: number;
  /** The provider rejects a request with a blank stop text when false. */
  readonly acceptsBlankStop: boolean;
  /** The seed to send; null means none, with a warning. */
  mapSeed(seed: unknown, warn: Warn): number | null;
  /** Maps `reasoning_effort` and `thinking`. */
  mapReasoning(settings: JsonRecord, target: ReasoningTarget): MappedReasoning;
  /** Maps `response_schema`. Null means that the provider would reject or change it, so it becomes a part of the system prompt. */
  mapResponseSchema(schema: JsonRecord, target: FormatTarget): SentFormat | null;
  /** Maps `response_format`. */
  mapResponseFormat(format: unknown, target: FormatTarget): SentFormat;
}

export interface ReasoningTarget {
  readonly model: Pick<OfferedModel, "supports" | "contextWindow">;
  readonly warn: Warn;
}

export interface MappedReasoning {
  readonly sent: Pick<SentSettings, "reasoning" | "providerOptions">;
  /** Added to the default of max_tokens, so that reasoning does not use up the tokens of the answer. */
  readonly extraTokens: number;
  /** The tokens that the adapter adds to max_tokens. */
  readonly budgetTokens: number;
}

export interface FormatTarget {
  readonly model: Pick<OfferedModel, "supports">;
  readonly hasTools: boolean;
  readonly warn: Warn;
}

export type SentFormat = Pick<SentSettings, "responseFormat" | "providerOptions">;
