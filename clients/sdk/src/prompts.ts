/**
 * A part of a message to a model: the text of the swarm's message with this number, after a prefix; the agent's summary of the
 * messages up to a number; or a text of its own.
 */
export type PromptPart = { seq: number; prefix?: string } | { summary: number; prefix: string } | { text: string };

/** A message to a model, as `model_call_prompts.messages` has it. */
export type PromptMessage =
  | { role: "user"; parts: PromptPart[] }
  | { role: "assistant"; parts: PromptPart[]; tool_calls?: PromptToolCall[] }
  | {
      role: "tool";
      tool_call_id: string;
      tool_name: string;
      /** Absent with `execution_id`. */
      output?: string;
      /** The call of an earlier turn, whose output, or its beginning, was sent again. */
      execution_id?: string;
      is_error: boolean;
      /** Images are sent to the model and not stored. */
      image_count?: number;
    };

export interface PromptToolCall {
  id: string;
  name: string;
  /** As the model wrote it; may not be valid JSON. Absent with `execution_id`. */
  input?: string;
  /** The call of an earlier turn. */
  execution_id?: string;
}

/** A tool that a model was offered. */
export interface PromptTool {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
}

/** The columns of `model_call_prompts` that describe the content. */
export interface StoredPrompt {
  readonly kept_messages: number;
  readonly system: string | null;
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly PromptTool[] | null;
  readonly sha256: string;
}

/** A message with its text. */
export interface SentMessage {
  readonly role: PromptMessage["role"];
  readonly text: string;
  /** Of a tool's result. */
  readonly toolName: string | null;
  readonly isError: boolean;
  readonly imageCount: number;
  readonly toolCalls: readonly SentToolCall[];
  /** The result of an earlier turn. The text is the whole output, of which the model may have read the beginning alone. */
  readonly isEarlier: boolean;
}

export interface SentToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
}

export interface SentPrompt {
  readonly system: string;
  readonly messages: readonly SentMessage[];
  readonly tools: readonly PromptTool[];
  /** The numbers of the messages whose text is gone. */
  readonly missing: readonly number[];
  readonly sha256: string;
}

/** Finds the texts that prompts name. Null means that the text is gone. */
export interface PromptTexts {
  message(seq: number): string | null;
  /** Absent means that the texts of earlier calls are not shown. */
  call?(executionId: string): { readonly input: string; readonly output: string } | null;
  /** Of the messages up to a number. Absent means that summaries are not shown. */
  summary?(upToSeq: number): string | null;
}

const SEPARATOR = "\n\n";

/** The numbers of the swarm's messages that the prompts name. */
export function listPromptSeqs(prompts: readonly StoredPrompt[]): number[] {
  const parts = prompts.flatMap(({ messages }) => messages.flatMap((one) => (one.role === "tool" ? [] : one.parts)));
  return [...new Set(parts.flatMap((part) => ("seq" in part ? [part.seq] : [])))].sort((one, other) => one - other);
}

/** The numbers of the summaries that the prompts name. */
export function listPromptSummaries(prompts: readonly StoredPrompt[]): number[] {
  const parts = prompts.flatMap(({ messages }) => messages.flatMap((one) => (one.role === "tool" ? [] : one.parts)));
  return [...new Set(parts.flatMap((part) => ("summary" in part ? [part.summary] : [])))];
}

/** The tool executions of earlier turns that the prompts name. */
export function listPromptExecutions(prompts: readonly StoredPrompt[]): string[] {
  const ids = prompts.flatMap(({ messages }) =>
    messages.map((one) => (one.role === "tool" ? one.execution_id : undefined)),
  );
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/**
 * What a call sent. `prompts`: those of the calls of its turn up to this one, the oldest first. `texts` finds the texts that the
 * messages and calls had. Null means that the prompt of an earlier call of the turn is missing.
 */
export function resolvePrompt(prompts: readonly StoredPrompt[], texts: PromptTexts): SentPrompt | null {
  let system: string | null = null;
  let tools: readonly PromptTool[] = [];
  let messages: readonly PromptMessage[] = [];
  for (const prompt of prompts) {
    if (prompt.kept_messages > messages.length) return null;
    messages = [...messages.slice(0, prompt.kept_messages), ...prompt.messages];
    system = prompt.system ?? system;
    tools = prompt.tools ?? tools;
  }
  const last = prompts.at(-1);
  if (last === undefined || system === null) return null;
  const missing: number[] = [];
  const toSentCall = ({ id, name, input, execution_id: executionId = "" }: PromptToolCall): SentToolCall => ({
    id,
    name,
    input: input ?? texts.call?.(executionId)?.input ?? "",
  });
  const textOf = (part: PromptPart): string => {
    if ("text" in part) return part.text;
    if ("summary" in part) return `${part.prefix}${texts.summary?.(part.summary) ?? ""}`;
    const text = texts.message(part.seq);
    if (text === null) missing.push(part.seq);
    return `${part.prefix ?? ""}${text ?? ""}`;
  };
  const sent = messages.map((message): SentMessage => {
    const common = {
      role: message.role,
      toolName: null,
      isError: false,
      imageCount: 0,
      toolCalls: [],
      isEarlier: false,
    };
    if (message.role !== "tool")
      return {
        ...common,
        text: message.parts.map(textOf).join(SEPARATOR),
        ...(message.role === "assistant" && { toolCalls: (message.tool_calls ?? []).map(toSentCall) }),
      };
    const { output, execution_id: executionId, tool_name: toolName, is_error: isError } = message;
    const text = output ?? texts.call?.(executionId ?? "")?.output ?? "";
    const isEarlier = executionId !== undefined;
    return { ...common, text, toolName, isError, imageCount: message.image_count ?? 0, isEarlier };
  });
  return { system, messages: sent, tools, missing, sha256: last.sha256 };
}

/** Whether the texts are still those that were sent. */
export async function isExactPrompt({ system, messages, sha256 }: SentPrompt): Promise<boolean> {
  const text = [system, ...messages.map((message) => (message.isEarlier ? "" : message.text))].join("\n");
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") === sha256;
}
