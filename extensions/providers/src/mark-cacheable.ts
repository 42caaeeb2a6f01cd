import type { LanguageModelV4CallOptions, LanguageModelV4Message, SharedV4ProviderOptions } from "@ai-sdk/provider";

const MARK: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/**
 * Marks the ends of the parts that later calls begin with. Claude caches only what is marked, at most four parts, ignores the marks of
 * short prompts, and finds a part that an earlier call has marked only up to 20 blocks before a mark of this one.
 */
export function markCacheable(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { prompt, tools } = options;
  const marked = new Set([...prompt.filter(({ role }) => role === "system"), ...listEnds(prompt)].filter(isMarkable));
  // The system prompt follows the tools.
  const hasSystem = prompt.some((message) => message.role === "system" && marked.has(message));
  return {
    ...options,
    prompt: prompt.map((message) => (marked.has(message) ? { ...message, providerOptions: MARK } : message)),
    ...(tools !== undefined && {
      tools: tools.map((tool, index) =>
        !hasSystem && index === tools.length - 1 && tool.type === "function"
          ? { ...tool, providerOptions: MARK }
          : tool,
      ),
    }),
  };
}

/**
 * The end of this call, that of the call before in the turn, which the last answer of the model followed, and that of the first call of
 * the turn, or of the turn before: any number of tool calls can follow it.
 */
function listEnds(prompt: readonly LanguageModelV4Message[]): readonly LanguageModelV4Message[] {
  const last = prompt.length - 1;
  const answer = prompt.findLastIndex(({ role }) => role === "assistant");
  const asked = prompt.findLastIndex(({ role }, index) => role === "user" && index < last);
  return [last, answer - 1, asked].flatMap((index) => prompt[index] ?? []);
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
