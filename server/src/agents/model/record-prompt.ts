import { hash } from "node:crypto";
import type { PromptMessage, PromptPart, PromptTool } from "@swarmbase/sdk";
import type { Context } from "../context/build-context.ts";
import type { PromptRow } from "../writer/steps.ts";
import type { ModelCall, ModelMessage, ModelTool } from "../providers/model-port.ts";

/** Without the settings, which are known when the call is sent. */
export type RecordedPrompt = Omit<PromptRow, "settings">;

/**
 * What a call sends. Messages of the swarm are named by their number, and tool calls of earlier turns by their execution, so that
 * nothing is stored twice and what was deleted is gone from here, too. The hash tells whether the texts are still those that were sent.
 */
export function recordPrompt(
  call: ModelCall,
  sources: Context["sources"],
  terms = describeTerms(call),
): RecordedPrompt {
  return {
    kept_messages: 0,
    system: call.system,
    messages: describeMessages(call.messages, sources),
    tools: describeTools(call.tools),
    ...terms,
  };
}

/** What a turn knows of the prompts of its calls. */
export interface PromptedTurn {
  /** What the messages of the context consist of. */
  sources: Context["sources"];
  /** The number of messages in the recorded prompt of the last call. */
  promptedCount: number;
  /** The hash of that prompt. */
  promptedHash: string | null;
  /** The tools in the recorded prompt of the last call. */
  promptedTools: readonly ModelTool[] | null;
}

/** Only what the last recorded prompt of the turn does not have. */
export function recordTurnPrompt(turn: PromptedTurn, call: ModelCall): RecordedPrompt {
  const { promptedCount, promptedTools, sources } = turn;
  const terms = describeTerms(call);
  turn.promptedCount = call.messages.length;
  turn.promptedHash = terms.sha256;
  turn.promptedTools = call.tools;
  if (promptedCount === 0) return recordPrompt(call, sources, terms);
  const areSameTools = JSON.stringify(promptedTools) === JSON.stringify(call.tools);
  return {
    kept_messages: promptedCount,
    system: null,
    messages: describeMessages(call.messages.slice(promptedCount), []),
    tools: areSameTools ? null : describeTools(call.tools),
    ...terms,
  };
}

/** How many messages of a prompt that was built again are those of the last recorded one. */
export function countRecorded(
  { promptedCount, promptedHash }: PromptedTurn,
  { system, messages }: Pick<ModelCall, "system" | "messages">,
): number {
  if (promptedCount === 0) return 0;
  return hashPrompt(system, messages.slice(0, promptedCount)) === promptedHash ? promptedCount : 0;
}

function describeTerms({ system, messages, toolChoice, maxOutputTokens }: ModelCall) {
  return {
    tool_choice: typeof toolChoice === "string" ? toolChoice : toolChoice.tool,
    max_output_tokens: maxOutputTokens ?? null,
    sha256: hashPrompt(system, messages),
  };
}

function hashPrompt(system: string, messages: readonly ModelMessage[]): string {
  return hash("sha256", [system, ...messages.map(textOf)].join("\n"));
}

/** Results of earlier turns never change, and are not read for the hash. */
function textOf(message: ModelMessage): string {
  if (message.role !== "tool") return message.content;
  return message.executionId === undefined ? message.output : "";
}

function describeTools(tools: ModelCall["tools"]): PromptTool[] {
  return tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: { ...inputSchema } }));
}

function describeMessages(messages: readonly ModelMessage[], sources: Context["sources"]): PromptMessage[] {
  return messages.map((message, index) => describeMessage(message, sources[index]));
}

function describeMessage(message: ModelMessage, source: readonly PromptPart[] | undefined): PromptMessage {
  switch (message.role) {
    case "user":
      return { role: "user", parts: [...(source ?? [{ text: message.content }])] };
    case "assistant": {
      const { content, toolCalls = [] } = message;
      return {
        role: "assistant",
        parts: [...(source ?? (content === "" ? [] : [{ text: content }]))],
        ...(toolCalls.length > 0 && {
          tool_calls: toolCalls.map(({ id, name, inputText, executionId }) =>
            executionId === undefined ? { id, name, input: inputText } : { id, name, execution_id: executionId },
          ),
        }),
      };
    }
    case "tool": {
      const { toolCallId, toolName, output, isError, executionId, images = [] } = message;
      return {
        role: "tool",
        tool_call_id: toolCallId,
        tool_name: toolName,
        ...(executionId === undefined ? { output } : { execution_id: executionId }),
        is_error: isError,
        ...(images.length > 0 && { image_count: images.length }),
      };
    }
  }
}
