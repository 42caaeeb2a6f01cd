import type { AgentRespondConverseBody, SentPrompt } from "@swarmbase/sdk";
import type { ColumnCall } from "./playground.ts";
import type { Column, Opening } from "./playground-state.ts";
import type { LoadedPrompt, ModelCall } from "./traces.ts";

/** A column that sends what a model call has sent. */
export type OpenedPrompt = Pick<Column, "agentId" | "version" | "changes" | "opening">;

/** The settings that a call can have. */
export const CALL_SETTINGS = [
  "temperature",
  "top_p",
  "max_tokens",
  "presence_penalty",
  "frequency_penalty",
  "stop",
] as const satisfies readonly (keyof NonNullable<ColumnCall["settings"]>)[];

export function openPrompt(
  { agent_id: agentId, framework, model }: ModelCall,
  version: number | null,
  { sent, terms }: NonNullable<LoadedPrompt>,
): OpenedPrompt {
  const settings = Object.fromEntries(
    CALL_SETTINGS.flatMap((name) => (terms.settings[name] === undefined ? [] : [[name, terms.settings[name]]])),
  ) as Opening["settings"];
  return {
    agentId: agentId ?? "",
    version,
    changes: { system_prompt: sent.system, framework, model },
    opening: { messages: toConversation(sent), settings },
  };
}

/** A call takes tool calls as results that stand before a message. */
function toConversation({ messages }: SentPrompt): Opening["messages"] {
  type Message = AgentRespondConverseBody["messages"][number];
  const conversation: Message[] = [];
  let results: NonNullable<Message["tool_results"]>[number][] = [];
  const add = (role: "user" | "assistant", content: string) => {
    conversation.push({ role, content, ...(results.length > 0 && { tool_results: results }) });
    results = [];
  };
  for (const [place, { role, text, toolName, isError }] of messages.entries()) {
    if (role !== "tool") {
      if (text !== "") add(role, text);
      continue;
    }
    // The calls of a message and their results have the same order.
    const callPlace = messages.findLastIndex(({ role: of }, index) => of === "assistant" && index < place);
    const input = messages[callPlace]?.toolCalls[place - callPlace - 1]?.input ?? "";
    results.push({ name: toolName ?? "", input, output: text, is_error: isError });
  }
  if (results.length > 0) add("user", "");
  return conversation;
}
