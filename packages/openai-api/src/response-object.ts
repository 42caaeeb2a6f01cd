import type { Answer, Part, Usage } from "./answer.ts";
import type { ClientCall } from "./client-calls.ts";
import { renderFrame } from "./render-frame.ts";

export interface ResponseHead {
  readonly runId: string | null;
  /** In seconds. */
  readonly createdAt: number;
  readonly model: string;
  readonly previousId: string | null;
  readonly isStored: boolean;
  readonly metadata: object;
}

export type ResponseStatus = "queued" | "in_progress" | "completed" | "incomplete" | "cancelled" | "failed";

export interface ResponseState {
  readonly status: ResponseStatus;
  readonly output: readonly object[];
  readonly usage: Usage | null;
  /** Why the status is `incomplete`. */
  readonly reason?: string;
  readonly error?: { readonly code: string; readonly message: string } | null;
}

/** The response object. Parameters that the service does not honour have OpenAI's defaults. */
export function renderResponse(head: ResponseHead, { status, output, usage, reason, error }: ResponseState): object {
  return {
    id: `resp_${head.runId}`,
    object: "response",
    created_at: head.createdAt,
    status,
    background: false,
    error: error ?? null,
    incomplete_details: status === "incomplete" ? { reason: reason ?? "max_output_tokens" } : null,
    instructions: null,
    metadata: head.metadata,
    model: head.model,
    output,
    parallel_tool_calls: true,
    previous_response_id: head.previousId,
    store: head.isStored,
    tool_choice: "auto",
    tools: [],
    usage: usage && {
      input_tokens: usage.input_tokens,
      input_tokens_details: { cached_tokens: usage.cached_input_tokens },
      output_tokens: usage.output_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.total_tokens,
    },
  };
}

/** One message of an agent. `agentName` is not OpenAI's: several agents can answer. */
export function renderMessage(id: string, agentName: string, text: string | null): object {
  const isDone = text !== null;
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    status: isDone ? "completed" : "in_progress",
    agent_name: agentName,
    content: isDone ? [renderText(text)] : [],
  };
}

function renderText(text: string): object {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function renderCall({ id, name, input }: ClientCall): object {
  return { id: `fc_${id}`, type: "function_call", call_id: id, name, arguments: input, status: "completed" };
}

type Head = (runId: string | null) => ResponseHead;
type EndPart = Exclude<Part, { type: "text" }>;

function toState(part: EndPart, output: readonly object[]): ResponseState {
  if (part.type === "calls")
    return { status: "completed", output: [...output, ...part.calls.map(renderCall)], usage: part.usage };
  const { status, usage, finish } = part;
  const reason = finish === "content_filter" ? "content_filter" : "max_output_tokens";
  return { status, output, usage, reason };
}

/** The response as a whole. */
export async function createResponse(answer: Answer, head: Head): Promise<object> {
  const texts = new Map<string, { readonly name: string; text: string }>();
  let end: EndPart | null = null;
  for await (const part of answer.parts) {
    if (part.type !== "text") end = part;
    else {
      const message = texts.get(part.turnId) ?? { name: part.agentName, text: "" };
      message.text += part.text;
      texts.set(part.turnId, message);
    }
  }
  const output = [...texts].map(([id, { name, text }]) => renderMessage(id, name, text));
  const state = end === null ? ({ status: "incomplete", output, usage: null } as const) : toState(end, output);
  return renderResponse(head(answer.runId), state);
}

interface OpenMessage {
  readonly turnId: string;
  readonly agentName: string;
  readonly index: number;
  text: string;
}

/** The response as events. */
export async function* streamResponse(answer: Answer, makeHead: Head): AsyncGenerator<string, void, undefined> {
  let number = 0;
  const event = (type: string, data: object): string => renderFrame({ type, sequence_number: number++, ...data }, type);
  const output: object[] = [];
  let head: ResponseHead | null = null;
  let message: OpenMessage | null = null;
  for await (const part of answer.parts) {
    if (head === null) {
      head = makeHead(answer.runId);
      const response = renderResponse(head, { status: "in_progress", output, usage: null });
      yield event("response.created", { response });
      yield event("response.in_progress", { response });
    }
    if (message !== null && (part.type !== "text" || part.turnId !== message.turnId)) {
      yield* closeMessage(message, event);
      output.push(renderMessage(message.turnId, message.agentName, message.text));
      message = null;
    }
    if (part.type !== "text") {
      if (part.type === "calls") yield* renderCalls(part.calls, output.length, event);
      const state = toState(part, output);
      const type = state.status === "completed" ? "response.completed" : "response.incomplete";
      yield event(type, { response: renderResponse(head, state) });
      return;
    }
    if (message === null) {
      message = { ...part, index: output.length, text: "" };
      yield* openMessage(message, event);
    }
    message.text += part.text;
    yield event("response.output_text.delta", { ...placeOf(message), delta: part.text, logprobs: [] });
  }
}

type RenderEvent = (type: string, data: object) => string;

function placeOf({ turnId, index }: OpenMessage): object {
  return { item_id: `msg_${turnId}`, output_index: index, content_index: 0 };
}

function* openMessage(message: OpenMessage, event: RenderEvent): Generator<string> {
  const item = renderMessage(message.turnId, message.agentName, null);
  yield event("response.output_item.added", { output_index: message.index, item });
  yield event("response.content_part.added", { ...placeOf(message), part: renderText("") });
}

function* closeMessage(message: OpenMessage, event: RenderEvent): Generator<string> {
  const { turnId, agentName, index, text } = message;
  yield event("response.output_text.done", { ...placeOf(message), text, logprobs: [] });
  yield event("response.content_part.done", { ...placeOf(message), part: renderText(text) });
  yield event("response.output_item.done", { output_index: index, item: renderMessage(turnId, agentName, text) });
}

function* renderCalls(calls: readonly ClientCall[], firstIndex: number, event: RenderEvent): Generator<string> {
  for (const [index, call] of calls.entries()) {
    const item = renderCall(call);
    const place = { output_index: firstIndex + index, item_id: `fc_${call.id}` };
    const begun = { ...item, arguments: "", status: "in_progress" };
    yield event("response.output_item.added", { output_index: place.output_index, item: begun });
    yield event("response.function_call_arguments.delta", { ...place, delta: call.input });
    yield event("response.function_call_arguments.done", { ...place, name: call.name, arguments: call.input });
    yield event("response.output_item.done", { output_index: place.output_index, item });
  }
}
