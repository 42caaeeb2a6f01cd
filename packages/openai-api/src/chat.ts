import {
  type ExtensionContext,
  type ExtensionRequest,
  type ExtensionResponse,
  isRecord,
  openEventStream,
} from "swarmbase/extension";
import { openAnswer, type Answer, type FinishReason, type Usage } from "./answer.ts";
import {
  type Ask,
  type Body,
  isSet,
  readBody,
  readCommon,
  readFlag,
  readSchema,
  readSettings,
  readTools,
} from "./ask.ts";
import type { ClientCall } from "./client-calls.ts";
import { type Entry, readText, toConversation } from "./conversation.ts";
import { invalid, renderThrown, unsupported } from "./errors.ts";
import { renderFrame } from "./render-frame.ts";

/** The members that every chunk and every completion have. */
interface Head {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

const BETWEEN_MESSAGES = "\n\n";

/** POST /v1/chat/completions */
export async function completeChat(request: ExtensionRequest, context: ExtensionContext): Promise<ExtensionResponse> {
  const body = readBody(request.body);
  const ask = readChat(body);
  const { core, signal, headers } = request;
  const answer = await openAnswer(ask, { core, signal, idempotencyKey: headers["idempotency-key"] });
  const created = Math.floor(context.now().getTime() / 1_000);
  const head = (): Head => ({ id: `chatcmpl-${answer.runId}`, created, model: ask.model });
  if (!ask.isStreamed) return { body: await renderCompletion(answer, head) };
  const { stream_options: options } = body;
  const hasUsage = isRecord(options) && readFlag("stream_options.include_usage", options["include_usage"]);
  return openEventStream(renderChunks(answer, head, hasUsage), {
    isStarted: () => answer.runId !== null,
    renderFailure: (error) => renderFrame(renderThrown(error, context)),
  });
}

function readChat(body: Body): Ask {
  const { n, logprobs, logit_bias: bias, modalities, messages } = body;
  if (isSet(n) && n !== 1) throw unsupported("n", "an agent gives one answer");
  if (readFlag("logprobs", logprobs)) throw unsupported("logprobs", "providers differ in it");
  if (isRecord(bias) && Object.keys(bias).length > 0) throw unsupported("logit_bias", "providers differ in it");
  if (isSet(body["audio"]) || (Array.isArray(modalities) && modalities.some((each) => each !== "text")))
    throw unsupported("modalities", "agents answer with text");
  for (const name of ["functions", "function_call", "web_search_options"])
    if (isSet(body[name])) throw unsupported(name, "give the agent a tool");
  return {
    ...readCommon(body),
    ...toConversation(readMessages(messages), "messages"),
    clientTools: readTools(body, "function"),
    responseSchema: readSchema(body["response_format"], "response_format"),
    settings: readSettings({
      temperature: body["temperature"],
      top_p: body["top_p"],
      max_tokens: body["max_completion_tokens"] ?? body["max_tokens"],
      presence_penalty: body["presence_penalty"],
      frequency_penalty: body["frequency_penalty"],
      stop: body["stop"],
      reasoning_effort: body["reasoning_effort"],
    }),
  };
}

function readMessages(messages: unknown): Entry[] {
  if (!Array.isArray(messages) || messages.length === 0) throw invalid("messages", "must be a list of messages");
  return messages.flatMap((message: unknown, index) => {
    const path = `messages[${index}]`;
    const { role, content, tool_calls: calls, tool_call_id: callId } = isRecord(message) ? message : {};
    const text = readText(content, `${path}.content`);
    switch (role) {
      case "system":
      case "developer":
        return [{ role: "system", content: text } as const];
      case "user":
        return [{ role: "user", content: text } as const];
      case "assistant":
        return [{ role: "assistant", content: text } as const, ...readCalls(calls, `${path}.tool_calls`)];
      case "tool":
        if (typeof callId !== "string") throw invalid(`${path}.tool_call_id`, "must be the id of a tool call");
        return [{ role: "result", id: callId, output: text } as const];
      default:
        throw invalid(`${path}.role`, "must be system, developer, user, assistant or tool");
    }
  });
}

function readCalls(calls: unknown, path: string): Entry[] {
  if (!isSet(calls)) return [];
  if (!Array.isArray(calls)) throw invalid(path, "must be a list of tool calls");
  return calls.map((call: unknown, index) => {
    const { id, function: called } = isRecord(call) ? call : {};
    const { name, arguments: input } = isRecord(called) ? called : {};
    if (typeof id !== "string" || typeof name !== "string" || typeof input !== "string")
      throw invalid(`${path}[${index}]`, "must be a call of a function");
    return { role: "call", id, name, input };
  });
}

async function renderCompletion(answer: Answer, head: () => Head): Promise<object> {
  let content = "";
  let turnId: string | null = null;
  let finish: FinishReason | "tool_calls" = "stop";
  let usage: Usage | null = null;
  let calls: readonly object[] = [];
  for await (const part of answer.parts) {
    if (part.type === "text") {
      if (turnId !== null && turnId !== part.turnId) content += BETWEEN_MESSAGES;
      turnId = part.turnId;
      content += part.text;
    } else if (part.type === "calls") {
      finish = "tool_calls";
      usage = part.usage;
      calls = part.calls.map(renderCall);
    } else ({ finish, usage } = part);
  }
  const message = {
    role: "assistant",
    content: calls.length > 0 && content === "" ? null : content,
    refusal: null,
    annotations: [],
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: finish };
  return { ...head(), object: "chat.completion", choices: [choice], usage: usage && renderUsage(usage) };
}

function renderCall({ id, name, input }: ClientCall): object {
  return { id, type: "function", function: { name, arguments: input } };
}

async function* renderChunks(
  answer: Answer,
  head: () => Head,
  hasUsage: boolean,
): AsyncGenerator<string, void, undefined> {
  const chunk = (choices: readonly object[], usage: object | null = null): string =>
    renderFrame({ ...head(), object: "chat.completion.chunk", choices, ...(hasUsage && { usage }) });
  const piece = (delta: object, finish: string | null = null): string =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: finish }]);
  let turnId: string | null = null;
  let hasBegun = false;
  for await (const part of answer.parts) {
    if (!hasBegun) yield piece({ role: "assistant", content: "", refusal: null });
    hasBegun = true;
    if (part.type === "text") {
      const separator = turnId !== null && turnId !== part.turnId ? BETWEEN_MESSAGES : "";
      turnId = part.turnId;
      yield piece({ content: separator + part.text });
    } else {
      if (part.type === "calls")
        yield piece({ tool_calls: part.calls.map((call, index) => ({ index, ...renderCall(call) })) });
      yield piece({}, part.type === "calls" ? "tool_calls" : part.finish);
      if (hasUsage) yield chunk([], renderUsage(part.usage));
    }
  }
  yield "data: [DONE]\n\n";
}

function renderUsage(usage: Usage): object {
  return {
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens: usage.total_tokens,
    prompt_tokens_details: { cached_tokens: usage.cached_input_tokens },
  };
}
