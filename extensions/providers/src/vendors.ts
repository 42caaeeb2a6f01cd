import type { JSONObject, LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelSupport, Provider, VendorKind } from "swarmbase/extension";
import type { ImagePlace } from "./build-prompt.ts";
import type { Fetch } from "./provider-fetch.ts";
import type { SchemaTraits } from "./schema-traits.ts";

interface VendorOptions {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
}

type VendorModel = (model: string, options: VendorOptions) => LanguageModelV4;

/** Everything that differs between vendors, except what their models support. */
export interface Vendor {
  /** Used when no base URL is configured. Always passed, because the packages would read another from the environment. */
  readonly url: string;
  /** Imports the package on demand: together the packages take longer to load than everything else. */
  readonly load: () => Promise<VendorModel>;
  /** The name under which the package reads its own options. */
  readonly optionsName: string;
  /** The vendor streams the frames of OpenAI's chat completions, whose text can be read without the package. */
  readonly hasChatFrames: boolean;
  /** The options of the package for every call; null when there are none. */
  readonly callOptions: ((supports: ModelSupport, provider: Provider) => JSONObject) | null;
  /** The vendor signs or encrypts the reasoning of its models and expects it back with the results of tools. */
  readonly signsReasoning: boolean;
  /** Where the vendor's API takes images that tools return. Some of its models may accept none. */
  readonly images: ImagePlace;
  /** The vendor's API has a field for the author of a message. */
  readonly hasNames: boolean;
  /** The vendor caches only what a call marks. The others cache by themselves, or not at all. */
  readonly hasCacheMarks: boolean;
  /** The prices of input that is read from the cache and written to it, as multiples of the price of input. */
  readonly cachePrices: { readonly read: number; readonly write: number };
  /** `effort`: reasoning_effort only; `any`: whatever the agent sets; the others: effort and thinking budgets. */
  readonly reasoning: "effort" | "any" | "claude" | "gemini";
  readonly responseFormat: "any" | "without-tools" | "none";
  /** Whether the vendor accepts a response_schema. The schema of any other call becomes a part of the system prompt. */
  acceptsSchema(traits: SchemaTraits, hasTools: boolean): boolean;
  /** The options of the package for a response_schema. */
  schemaOptions(traits: SchemaTraits): JSONObject;
  readonly seed: "integer" | "int32" | "none";
  /** The vendor rejects a request with a lower output limit. */
  readonly minOutputTokens: number;
  /** The vendor rejects a request with a blank stop text when false. */
  readonly acceptsBlankStop: boolean;
}

/** For vendors whose ratios differ by model: the price of the model says what cached input costs. */
const AS_INPUT = { read: 1, write: 1 } as const;

/** Strict mode rejects a schema with open objects, optional properties, or keywords that it does not know. */
function strictWherePossible({ isClosed, optionalCount, isPlain }: SchemaTraits): JSONObject {
  return { strictJsonSchema: isClosed && optionalCount === 0 && isPlain };
}

const OPENAI_URL = "https://api.openai.com/v1";

export const VENDORS: Readonly<Record<VendorKind, Vendor>> = {
  openai: {
    url: OPENAI_URL,
    load: async () => {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return (model, options) => createOpenAI(options).chat(model);
    },
    optionsName: "openai",
    hasChatFrames: true,
    callOptions: null,
    signsReasoning: false,
    images: "user",
    hasNames: true,
    hasCacheMarks: false,
    cachePrices: AS_INPUT,
    reasoning: "effort",
    responseFormat: "any",
    acceptsSchema: ({ isObject }) => isObject,
    schemaOptions: strictWherePossible,
    seed: "integer",
    minOutputTokens: 1,
    acceptsBlankStop: true,
  },
  "openai-responses": {
    url: OPENAI_URL,
    load: async () => {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return (model, options) => createOpenAI(options).responses(model);
    },
    optionsName: "openai",
    hasChatFrames: false,
    // The conversation is stored here alone. For what the vendor does not store, the package requests encrypted reasoning.
    callOptions: ({ reasoning }, { hasReasoningSummaries }) => ({
      store: false,
      forceReasoning: reasoning,
      reasoningSummary: reasoning && hasReasoningSummaries ? "auto" : null,
    }),
    signsReasoning: true,
    images: "result",
    hasNames: false,
    hasCacheMarks: false,
    cachePrices: AS_INPUT,
    reasoning: "effort",
    responseFormat: "any",
    acceptsSchema: ({ isObject }) => isObject,
    schemaOptions: strictWherePossible,
    seed: "none",
    minOutputTokens: 16,
    acceptsBlankStop: true,
  },
  "openai-compatible": {
    url: OPENAI_URL,
    load: async () => {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const fixed = { name: "compatible", includeUsage: true, supportsStructuredOutputs: true };
      return (model, options) => createOpenAICompatible({ ...options, ...fixed }).chatModel(model);
    },
    optionsName: "compatible",
    hasChatFrames: true,
    callOptions: null,
    signsReasoning: false,
    images: "user",
    hasNames: false,
    hasCacheMarks: false,
    cachePrices: AS_INPUT,
    reasoning: "any",
    responseFormat: "any",
    acceptsSchema: ({ isObject }) => isObject,
    schemaOptions: strictWherePossible,
    seed: "integer",
    minOutputTokens: 1,
    acceptsBlankStop: true,
  },
  anthropic: {
    url: "https://api.anthropic.com/v1",
    load: async () => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return (model, options) => createAnthropic(options).languageModel(model);
    },
    optionsName: "anthropic",
    hasChatFrames: false,
    callOptions: null,
    signsReasoning: true,
    images: "result",
    hasNames: false,
    hasCacheMarks: true,
    cachePrices: { read: 0.1, write: 1.25 },
    reasoning: "claude",
    responseFormat: "none",
    // The vendor closes all objects, and rejects a schema with many optional properties.
    acceptsSchema: ({ isObject, isClosed, optionalCount }) => isObject && isClosed && optionalCount <= 10,
    schemaOptions: () => ({ structuredOutputMode: "outputFormat" }),
    seed: "none",
    minOutputTokens: 1,
    acceptsBlankStop: false,
  },
  google: {
    url: "https://generativelanguage.googleapis.com/v1beta",
    load: async () => {
      const { createGoogle } = await import("@ai-sdk/google");
      return (model, options) => createGoogle(options).languageModel(model);
    },
    optionsName: "google",
    hasChatFrames: false,
    callOptions: null,
    signsReasoning: false,
    images: "user",
    hasNames: false,
    hasCacheMarks: false,
    cachePrices: AS_INPUT,
    reasoning: "gemini",
    responseFormat: "without-tools",
    acceptsSchema: (_traits, hasTools) => !hasTools,
    schemaOptions: () => ({}),
    seed: "int32",
    minOutputTokens: 1,
    acceptsBlankStop: true,
  },
};
