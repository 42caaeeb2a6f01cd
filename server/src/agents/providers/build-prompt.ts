import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ModelMessage, ModelTool, ModelToolCall } from "./model-port.ts";

/** A conversation in the words of the provider packages. */
export function buildPrompt(system: string, messages: readonly ModelMessage[]): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = system === "" ? [] : [{ role: "system", content: system }];
  let results: LanguageModelV4ToolResultPart[] | null = null;
  for (const message of messages) {
    if (message.role !== "tool") {
      results = null;
      prompt.push(
        message.role === "user" ? buildUser(message.content) : buildAssistant(message.content, message.toolCalls),
      );
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

function buildAssistant(text: string, calls: readonly ModelToolCall[] = []): LanguageModelV4Message {
  return {
    role: "assistant",
    content: [
      // An empty part beside calls is refused by some, a message without any part by others.
      ...(text !== "" || calls.length === 0 ? [{ type: "text" as const, text }] : []),
      ...calls.map(({ id, name, inputText, opaque }) => ({
        type: "tool-call" as const,
        toolCallId: id,
        toolName: name,
        input: readInput(inputText),
        ...(opaque === undefined ? {} : { providerOptions: opaque as SharedV4ProviderOptions }),
      })),
    ],
  };
}

/** Providers take objects only; what was not one has already been answered with an error result. */
function readInput(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}
