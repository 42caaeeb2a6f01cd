import type { Answer, End } from "./answer.ts";
import type { ClientCall, Tokens } from "./client-calls.ts";
import { createdAtOf } from "./render.ts";

/** What a response repeats of its request. */
export interface ResponseHead {
  readonly model: string;
  readonly previousId: string | null;
  /** Null means that the response is in no conversation of this API. */
  readonly conversationId: string | null;
  readonly isStored: boolean;
  readonly metadata: object;
}

export type ResponseStatus = "queued" | "in_progress" | "completed" | "incomplete" | "cancelled" | "failed";

export interface ResponseState {
  readonly status: ResponseStatus;
  readonly output: readonly object[];
  readonly usage: Tokens | null;
  /** Why the status is `incomplete`. */
  readonly reason?: string;
  readonly error?: { readonly code: string; readonly message: string } | null;
}

/** The response object. Parameters that the service does not honour have OpenAI's defaults. */
export function renderResponse(runId: string | null, head: ResponseHead, state: ResponseState): object {
  const { status, output, usage, reason, error = null } = state;
  return {
    id: `resp_${runId}`,
    object: "response",
    created_at: createdAtOf(runId),
    status,
    background: false,
    error,
    incomplete_details: status === "incomplete" ? { reason } : null,
    instructions: null,
    metadata: head.metadata,
    model: head.model,
    output,
    parallel_tool_calls: true,
    previous_response_id: head.previousId,
    conversation: head.conversationId === null ? null : { id: head.conversationId },
    store: head.isStored,
    tool_choice: "auto",
    tools: [],
    usage: usage && {
      input_tokens: usage.input_tokens,
      input_tokens_details: { cached_tokens: usage.cached_input_tokens },
      output_tokens: usage.output_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input_tokens + usage.output_tokens,
    },
  };
}

export interface Item {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** One message of an agent; null means that its text is still to come. `agentName` is not OpenAI's: several agents can answer. */
export function renderMessage(id: string, agentName: string, text: string | null): Item {
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    status: text === null ? "in_progress" : "completed",
    agent_name: agentName,
    content: text === null ? [] : [renderText(text)],
  };
}

function renderText(text: string): object {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function renderCall({ id, name, input }: ClientCall): object {
  return { id: `fc_${id}`, type: "function_call", call_id: id, name, arguments: input, status: "completed" };
}

function toState({ finish, isCancelled, calls, usage }: End, messages: readonly object[]): ResponseState {
  const isComplete = finish === "stop" || finish === "tool_calls";
  return {
    status: isCancelled ? "cancelled" : isComplete ? "completed" : "incomplete",
    output: [...messages, ...calls.map(renderCall)],
    usage,
    reason: finish === "content_filter" || finish === "waiting" ? finish : "max_output_tokens",
  };
}

/** An event of a response. The last one has the response as a whole. */
interface ResponseEvent {
  readonly type: string;
  readonly sequence_number: number;
  readonly response?: object;
}

export async function readResponse(events: AsyncIterable<ResponseEvent>): Promise<object | undefined> {
  let last: ResponseEvent | undefined;
  for await (const event of events) last = event;
  return last?.response;
}

interface OpenMessage {
  readonly turnId: string;
  readonly agentName: string;
  readonly index: number;
  text: string;
}

type MakeEvent = (type: string, data: object) => ResponseEvent;

export async function* streamResponse(
  answer: Answer,
  head: ResponseHead,
): AsyncGenerator<ResponseEvent, void, undefined> {
  let number = 0;
  const make: MakeEvent = (type, data) => ({ type, sequence_number: number++, ...data });
  const output: object[] = [];
  let message: OpenMessage | null = null;
  for await (const part of answer.parts) {
    if (number === 0) {
      const response = renderResponse(answer.runId, head, { status: "in_progress", output: [], usage: null });
      yield make("response.created", { response });
      yield make("response.in_progress", { response });
    }
    if (message !== null && (part.type === "end" || part.turnId !== message.turnId)) {
      yield* closeMessage(message, make);
      output.push(renderMessage(message.turnId, message.agentName, message.text));
      message = null;
    }
    if (part.type === "end") {
      yield* part.calls.flatMap((call, index) => renderCallEvents(call, output.length + index, make));
      const state = toState(part, output);
      const type = state.status === "completed" ? "response.completed" : "response.incomplete";
      yield make(type, { response: renderResponse(answer.runId, head, state) });
      return;
    }
    if (message === null) {
      message = { ...part, index: output.length, text: "" };
      const item = renderMessage(part.turnId, part.agentName, null);
      yield make("response.output_item.added", { output_index: message.index, item });
      yield make("response.content_part.added", { ...placeOf(message), part: renderText("") });
    }
    message.text += part.text;
    yield make("response.output_text.delta", { ...placeOf(message), delta: part.text, logprobs: [] });
  }
}

function placeOf({ turnId, index }: OpenMessage): object {
  return { item_id: `msg_${turnId}`, output_index: index, content_index: 0 };
}

function closeMessage(message: OpenMessage, make: MakeEvent): readonly ResponseEvent[] {
  const { turnId, agentName, index, text } = message;
  return [
    make("response.output_text.done", { ...placeOf(message), text, logprobs: [] }),
    make("response.content_part.done", { ...placeOf(message), part: renderText(text) }),
    make("response.output_item.done", { output_index: index, item: renderMessage(turnId, agentName, text) }),
  ];
}

function renderCallEvents(call: ClientCall, output_index: number, make: MakeEvent): readonly ResponseEvent[] {
  const { id, name, input } = call;
  const item = renderCall(call);
  const place = { output_index, item_id: `fc_${id}` };
  return [
    make("response.output_item.added", { output_index, item: { ...item, arguments: "", status: "in_progress" } }),
    make("response.function_call_arguments.delta", { ...place, delta: input }),
    make("response.function_call_arguments.done", { ...place, name, arguments: input }),
    make("response.output_item.done", { output_index, item }),
  ];
}
