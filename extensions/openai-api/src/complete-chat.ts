import {
  type ExtensionContext,
  type ExtensionRequest,
  type ExtensionResponse,
  isRecord,
  openEventStream,
} from "swarmbase/extension";
import { type Answer, type End, openAnswer } from "./answer.ts";
import { readAsk, readBody, readFlag } from "./ask.ts";
import type { ClientCall, Tokens } from "./client-calls.ts";
import { readEntries } from "./conversation.ts";
import { renderThrown } from "./errors.ts";
import { createdAtOf, renderFrame } from "./render.ts";

/** The members that every chunk and every completion have. */
type Head = () => { readonly id: string; readonly created: number; readonly model: string };

/** POST /v1/chat/completions */
export async function completeChat(request: ExtensionRequest, context: ExtensionContext): Promise<ExtensionResponse> {
  const body = readBody(request.body);
  const { core, signal, headers } = request;
  const ask = await readAsk(core, body, readEntries(body["messages"], "messages"), "messages");
  const answer = await openAnswer(ask, { core, signal, idempotencyKey: headers["idempotency-key"] });
  const head: Head = () => ({
    id: `chatcmpl-${answer.runId}`,
    created: createdAtOf(answer.runId),
    model: ask.model,
  });
  if (!ask.isStreamed) return { body: await renderCompletion(answer, head) };
  const { stream_options: options } = body;
  const hasUsage = isRecord(options) && readFlag("stream_options.include_usage", options["include_usage"]);
  return openEventStream(renderChunks(answer, head, hasUsage), {
    isStarted: () => answer.runId !== null,
    renderFailure: (error) => renderFrame(renderThrown(error, context)),
  });
}

/** The texts, with an empty line between those of different agents, and the end. */
async function* readTexts({ parts }: Answer): AsyncGenerator<string | End, void, undefined> {
  let turnId: string | null = null;
  for await (const part of parts) {
    if (part.type === "end") yield part;
    else {
      yield turnId === null || turnId === part.turnId ? part.text : `\n\n${part.text}`;
      ({ turnId } = part);
    }
  }
}

async function renderCompletion(answer: Answer, head: Head): Promise<object> {
  let content = "";
  let end: End | null = null;
  for await (const part of readTexts(answer)) {
    if (typeof part === "string") content += part;
    else end = part;
  }
  const calls = end?.calls ?? [];
  const message = {
    role: "assistant",
    content: calls.length > 0 && content === "" ? null : content,
    refusal: null,
    annotations: [],
    ...(calls.length > 0 && { tool_calls: calls.map(renderCall) }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: renderFinish(end?.finish) };
  return { ...head(), object: "chat.completion", choices: [choice], usage: end && renderUsage(end.usage) };
}

async function* renderChunks(answer: Answer, head: Head, hasUsage: boolean): AsyncGenerator<string, void, undefined> {
  const chunk = (choices: readonly object[], usage: object | null = null): string =>
    renderFrame({ ...head(), object: "chat.completion.chunk", choices, ...(hasUsage && { usage }) });
  const piece = (delta: object, finish: string | null = null): string =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: finish }]);
  let hasBegun = false;
  for await (const part of readTexts(answer)) {
    if (!hasBegun) yield piece({ role: "assistant", content: "", refusal: null });
    hasBegun = true;
    if (typeof part === "string") yield piece({ content: part });
    else {
      const calls = part.calls.map((call, index) => ({ index, ...renderCall(call) }));
      if (calls.length > 0) yield piece({ tool_calls: calls });
      yield piece({}, renderFinish(part.finish));
      if (hasUsage) yield chunk([], renderUsage(part.usage));
    }
  }
  yield "data: [DONE]\n\n";
}

/** The API has no reason for an answer that goes on later. */
function renderFinish(finish: End["finish"] = "stop"): string {
  return finish === "waiting" ? "stop" : finish;
}

function renderCall({ id, name, input }: ClientCall): object {
  return { id, type: "function", function: { name, arguments: input } };
}

function renderUsage({ input_tokens, cached_input_tokens, output_tokens }: Tokens): object {
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    prompt_tokens_details: { cached_tokens: cached_input_tokens },
  };
}
