import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ModelMessage, ModelThought, ModelTool, ModelToolCall } from "./model-port.ts";
import { parseRecord } from "./parse-record.ts";

/** Converts a conversation to the format of the AI SDK. Only the kind of provider that signed thoughts gets them back. */
export function buildPrompt(
  system: string,
  messages: readonly ModelMessage[],
  hasThoughts = false,
): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = system === "" ? [] : [{ role: "system", content: system }];
  let results: LanguageModelV4ToolResultPart[] | null = null;
  for (const message of messages) {
    if (message.role !== "tool") {
      results = null;
      prompt.push(message.role === "user" ? buildUser(message.content) : buildAssistant(message, hasThoughts));
      continue;
    }
    // The results of concurrent calls must be in one message.
    if (results === null) {
      results = [];
      prompt.push({ role: "tool", content: results });
    }
    results.push({
      type: "tool-result",
      toolCallId: message.toolCallId,
      toolName: message.toolName,
      output: { type: message.isError ? "error-text" : "text", value: message.output },
    });
  }
  return prompt;
}

export function buildTools(tools: readonly ModelTool[]): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({ type: "function", name, description, inputSchema }));
}

function buildUser(text: string): LanguageModelV4Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function buildAssistant(
  { content: text, toolCalls: calls = [] }: Extract<ModelMessage, { role: "assistant" }>,
  hasThoughts: boolean,
): LanguageModelV4Message {
  const thoughts = (call: ModelToolCall | undefined) => (hasThoughts ? (call?.thoughts ?? []).map(buildThought) : []);
  return {
    role: "assistant",
    content: [
      // The thoughts of the first call precede the text.
      ...thoughts(calls[0]),
      // Some providers reject an empty text next to calls, others a message without parts.
      ...(text !== "" || calls.length === 0 ? [{ type: "text" as const, text }] : []),
      ...calls.flatMap((call, index) => [...(index === 0 ? [] : thoughts(call)), buildCall(call)]),
    ],
  };
}

function buildThought({ text, opaque }: ModelThought) {
  return { type: "reasoning" as const, text, providerOptions: opaque as SharedV4ProviderOptions };
}

function buildCall({ id, name, inputText, opaque }: ModelToolCall) {
  return {
    type: "tool-call" as const,
    toolCallId: id,
    toolName: name,
    // Providers accept only objects. A call with any other input has an error result.
    input: parseRecord(inputText) ?? {},
    ...(opaque === undefined ? {} : { providerOptions: opaque as SharedV4ProviderOptions }),
  };
}
