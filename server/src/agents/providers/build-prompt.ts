import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { isRecord } from "../../json/index.ts";
import type { ModelMessage, ModelThought, ModelTool, ModelToolCall } from "./model-port.ts";

/** A conversation in the words of the provider packages. Signed thoughts are for the kind of provider that signed them. */
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
    // Results of calls that were made together have to stand together.
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
      // What was thought first was thought before the text.
      ...thoughts(calls[0]),
      // An empty part beside calls is refused by some, a message without any part by others.
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
    input: readInput(inputText),
    ...(opaque === undefined ? {} : { providerOptions: opaque as SharedV4ProviderOptions }),
  };
}

/** Providers take objects only; what was not one has already been answered with an error result. */
function readInput(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
