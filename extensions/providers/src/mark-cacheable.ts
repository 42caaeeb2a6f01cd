import type { LanguageModelV4CallOptions, LanguageModelV4Message, SharedV4ProviderOptions } from "@ai-sdk/provider";

const MARK: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/**
 * Marks the ends of the parts that later calls begin with: the tools, the system prompt, the conversation so far. Claude caches
 * only what is marked, and ignores the marks of short prompts.
 */
export function markCacheable(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { prompt, tools } = options;
  const last = prompt.at(-1);
  return {
    ...options,
    prompt: prompt.map((message) =>
      (message.role === "system" || message === last) && isMarkable(message)
        ? { ...message, providerOptions: MARK }
        : message,
    ),
    ...(tools !== undefined && {
      tools: tools.map((tool, index) =>
        index === tools.length - 1 && tool.type === "function" ? { ...tool, providerOptions: MARK } : tool,
      ),
    }),
  };
}

/** The vendor rejects a mark on an empty text. */
function isMarkable(message: LanguageModelV4Message): boolean {
  switch (message.role) {
    case "system":
      return message.content.trim() !== "";
    case "user": {
      const part = message.content.at(-1);
      return part?.type === "text" && part.text.trim() !== "";
    }
    case "tool": {
      const part = message.content.at(-1);
      const output = part?.type === "tool-result" ? part.output : null;
      if (output?.type === "content") return output.value.length > 0;
      return (output?.type === "text" || output?.type === "error-text") && output.value.trim() !== "";
    }
    case "assistant":
      return false;
  }
}
