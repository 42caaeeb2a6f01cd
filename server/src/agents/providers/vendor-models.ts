import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ProviderKind } from "../../config/index.ts";
import type { Fetch } from "./watched-fetch.ts";

export type VendorKind = Exclude<ProviderKind, "simulated">;

interface VendorOptions {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
}

export type VendorModel = (model: string, options: VendorOptions) => LanguageModelV4;

/** Always named, because the packages would look for the others in the environment. */
export const VENDOR_URLS: Readonly<Record<VendorKind, string>> = {
  openai: "https://api.openai.com/v1",
  "openai-compatible": "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
};

/** Loaded when first needed: together the packages cost a start more than everything else. */
export async function loadVendor(kind: VendorKind): Promise<VendorModel> {
  switch (kind) {
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return (model, options) => createOpenAI(options).chat(model);
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return (model, options) =>
        createOpenAICompatible({
          ...options,
          name: "compatible",
          includeUsage: true,
          supportsStructuredOutputs: true,
        }).chatModel(model);
    }
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return (model, options) => createAnthropic(options).languageModel(model);
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      return (model, options) => createGoogle(options).languageModel(model);
    }
  }
}
