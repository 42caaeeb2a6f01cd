import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ProviderKind } from "../../config/index.ts";
import { CHAT_FRAMES, type FrameFormat } from "./chat-frames.ts";
import type { Fetch } from "./watched-fetch.ts";

/** The kinds that call a real model. */
export type VendorKind = Exclude<ProviderKind, "simulated">;

interface VendorOptions {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
}

type VendorModel = (model: string, options: VendorOptions) => LanguageModelV4;

/** Everything that differs between vendors, except what their models support. */
interface Vendor {
  /** Used when no base URL is configured. Always passed, because the packages would read another from the environment. */
  readonly url: string;
  /** Imports the package on demand: together the packages take longer to load than everything else. */
  readonly load: () => Promise<VendorModel>;
  /** The name under which the package reads its own options. */
  readonly optionsName: string;
  /** The frames whose text can be read without the package; null when only the package can read them. */
  readonly frames: FrameFormat | null;
  /** The vendor signs the reasoning of its models and requires it back with the results of tools. */
  readonly signsReasoning: boolean;
  /** `effort`: reasoning_effort only; `any`: whatever the agent sets; `claude`: effort and thinking budgets. */
  readonly reasoning: "effort" | "any" | "claude";
  readonly responseFormat: "any" | "without-tools" | "none";
  readonly seed: "integer" | "int32" | "none";
  /** The vendor rejects a request with a blank stop text when false. */
  readonly acceptsBlankStop: boolean;
}

export const VENDORS: Readonly<Record<VendorKind, Vendor>> = {
  openai: {
    url: "https://api.openai.com/v1",
    load: async () => {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return (model, options) => createOpenAI(options).chat(model);
    },
    optionsName: "openai",
    frames: CHAT_FRAMES,
    signsReasoning: false,
    reasoning: "effort",
    responseFormat: "any",
    seed: "integer",
    acceptsBlankStop: true,
  },
  "openai-compatible": {
    url: "https://api.openai.com/v1",
    load: async () => {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const fixed = { name: "compatible", includeUsage: true, supportsStructuredOutputs: true };
      return (model, options) => createOpenAICompatible({ ...options, ...fixed }).chatModel(model);
    },
    optionsName: "compatible",
    frames: CHAT_FRAMES,
    signsReasoning: false,
    reasoning: "any",
    responseFormat: "any",
    seed: "integer",
    acceptsBlankStop: true,
  },
  anthropic: {
    url: "https://api.anthropic.com/v1",
    load: async () => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return (model, options) => createAnthropic(options).languageModel(model);
    },
    optionsName: "anthropic",
    frames: null,
    signsReasoning: true,
    reasoning: "claude",
    responseFormat: "none",
    seed: "none",
    acceptsBlankStop: false,
  },
  google: {
    url: "https://generativelanguage.googleapis.com/v1beta",
    load: async () => {
      const { createGoogle } = await import("@ai-sdk/google");
      return (model, options) => createGoogle(options).languageModel(model);
    },
    optionsName: "google",
    frames: null,
    signsReasoning: false,
    reasoning: "effort",
    responseFormat: "without-tools",
    seed: "int32",
    acceptsBlankStop: true,
  },
};
