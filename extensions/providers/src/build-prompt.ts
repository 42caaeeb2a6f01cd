import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ModelImage, ModelMessage, NamedImage, ModelThought, ModelTool, ModelToolCall } from "swarmbase/extension";
import { parseRecord } from "./parse-record.ts";

/** Where the images of tool results are: in the result, in a user message after the results, or nowhere. */
export type ImagePlace = "result" | "user" | "none";

export interface PromptOptions {
  /** Only the kind of provider that signed thoughts gets them back. */
  readonly hasThoughts: boolean;
  readonly images: ImagePlace;
  /** Each message of a person or another agent is sent alone, with its author. */
  readonly hasNames: boolean;
}

/** Converts a conversation to the format of the AI SDK. */
export function buildPrompt(
  system: string,
  messages: readonly ModelMessage[],
  { hasThoughts, images, hasNames }: PromptOptions,
): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = system === "" ? [] : [{ role: "system", content: system }];
  let results: LanguageModelV4ToolResultPart[] | null = null;
  const shown: ToolMessage[] = [];
  const pushShown = (): void => {
    if (shown.length > 0) prompt.push(buildShown(shown.splice(0)));
  };
  for (const message of messages) {
    if (message.role !== "tool") {
      results = null;
      pushShown();
      if (message.role === "assistant") prompt.push(buildAssistant(message, hasThoughts));
      else if (hasNames && message.names !== undefined) prompt.push(...buildNamed(message, message.names));
      else prompt.push(buildUser(message.content));
      if (message.role === "user" && message.images !== undefined) prompt.push(buildSent(message.images, images));
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
      output: buildOutput(message, images),
    });
    if (images === "user" && message.images !== undefined) shown.push(message);
  }
  pushShown();
  return prompt;
}

type ToolMessage = Extract<ModelMessage, { role: "tool" }>;

function buildOutput(
  { output, isError, images = [] }: ToolMessage,
  place: ImagePlace,
): LanguageModelV4ToolResultPart["output"] {
  if (images.length === 0) return { type: isError ? "error-text" : "text", value: output };
  switch (place) {
    case "result":
      return { type: "content", value: [{ type: "text", text: output }, ...images.map(buildImage)] };
    case "user":
      return { type: "text", value: `${output}\n[the images follow]` };
    case "none":
      return { type: "text", value: `${output}\n[the images are not shown: this model does not accept images]` };
  }
}

/** Says where the images are from, because everything else in user messages is from people and agents. */
function buildShown(messages: readonly ToolMessage[]): LanguageModelV4Message {
  return {
    role: "user",
    content: messages.flatMap(({ toolName, images = [] }) => [
      { type: "text" as const, text: `[Images that the tool ${toolName} returned:]` },
      ...images.map(buildImage),
    ]),
  };
}

/** A message of its own: one with the name of its author has nothing but text. */
function buildSent(sent: readonly NamedImage[], place: ImagePlace): LanguageModelV4Message {
  if (place === "none") return buildUser("[the images are not shown: this model does not accept images]");
  return {
    role: "user",
    content: sent.flatMap((image) => [{ type: "text" as const, text: `[${image.name}]` }, buildImage(image)]),
  };
}

function buildImage({ mediaType, data }: ModelImage) {
  return { type: "file" as const, mediaType, data: { type: "data" as const, data } };
}

/** Vendors reject tool calls in a prompt without tools. Those of earlier turns are left out. */
export function leaveOutPastCalls(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.flatMap((message): readonly ModelMessage[] => {
    if (message.role === "tool") return message.executionId === undefined ? [message] : [];
    if (message.role === "user" || !message.toolCalls?.some(({ executionId }) => executionId !== undefined))
      return [message];
    const { toolCalls: _toolCalls, ...text } = message;
    return text.content === "" ? [] : [text];
  });
}

export function buildTools(tools: readonly ModelTool[]): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({ type: "function", name, description, inputSchema }));
}

function buildUser(text: string): LanguageModelV4Message {
  return { role: "user", content: [{ type: "text", text }] };
}

const MAX_NAME_CHARS = 64;

function buildNamed(
  { content, starts = [0] }: Extract<ModelMessage, { role: "user" }>,
  names: readonly string[],
): LanguageModelV4Message[] {
  // What comes before the first message is a note of the service.
  const note = content.slice(0, starts[0]).trimEnd();
  const said = starts.map((start, index): LanguageModelV4Message => {
    const message = buildUser(content.slice(start, starts[index + 1]).trimEnd());
    const name = toName(names[index] ?? "");
    return name === "" ? message : { ...message, providerOptions: { openai: { name } } };
  });
  return note === "" ? said : [buildUser(note), ...said];
}

/** The field takes only these characters. The text has the whole name. */
function toName(label: string): string {
  const plain = label.normalize("NFKD").replace(/\p{M}/gu, "");
  return plain
    .replace(/[^a-zA-Z0-9_-]+/g, "_")
    .slice(0, MAX_NAME_CHARS)
    .replace(/^_+|_+$/g, "");
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
