import type { ModelMessage } from "./providers/model-port.ts";

/** Content in one attribute. Of a longer conversation the newest messages are kept. */
const MAX_CONTENT_CHARS = 32_768;
const MAX_TEXT_CHARS = 8_192;

export function clip(text: string): string {
  return text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text;
}

export function textPart(text: string): { readonly type: "text"; readonly content: string } {
  return { type: "text", content: clip(text) };
}

/** The messages as `gen_ai.input.messages` has them. */
export function renderMessages(messages: readonly ModelMessage[]): string {
  const kept: string[] = [];
  let chars = 0;
  for (const message of messages.toReversed()) {
    const rendered = JSON.stringify(messageParts(message));
    chars += rendered.length;
    if (chars > MAX_CONTENT_CHARS && kept.length > 0) break;
    kept.unshift(rendered);
  }
  return `[${kept.join(",")}]`;
}

function messageParts(message: ModelMessage): Readonly<Record<string, unknown>> {
  switch (message.role) {
    case "user":
      return { role: "user", parts: [textPart(message.content)] };
    case "assistant":
      return {
        role: "assistant",
        parts: [
          ...(message.content === "" ? [] : [textPart(message.content)]),
          ...(message.toolCalls ?? []).map((call) => ({
            type: "tool_call",
            id: call.id,
            name: call.name,
            arguments: clip(call.inputText),
          })),
        ],
      };
    case "tool":
      return {
        role: "tool",
        parts: [{ type: "tool_call_response", id: message.toolCallId, response: clip(message.output) }],
      };
  }
}
