import {
  type ExtensionContext,
  type ExtensionRequest,
  type ExtensionResponse,
  isRecord,
  openEventStream,
} from "swarmbase/extension";
import { openAnswer } from "./answer.ts";
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
import { findWaitingRun } from "./client-calls.ts";
import { type Entry, readResults, readText, toConversation } from "./conversation.ts";
import { invalid, renderThrown, unsupported } from "./errors.ts";
import { renderFrame } from "./render-frame.ts";
import { createResponse, type ResponseHead, streamResponse } from "./response-object.ts";
import { readPrevious, startInBackground } from "./stored-responses.ts";

/** POST /v1/responses */
export async function respondTo(request: ExtensionRequest, context: ExtensionContext): Promise<ExtensionResponse> {
  const body = readBody(request.body);
  const { core, signal, headers } = request;
  const previousId = body["previous_response_id"];
  const input = readInput(body["input"]);
  // A run that waits for results has its conversation.
  const isNew = (await findWaitingRun(core, readResults(input))) === null;
  const previous = isNew && isSet(previousId) ? await readPrevious(core, previousId) : [];
  const ask = readAsk(body, [...previous, ...input]);
  const idempotencyKey = headers["idempotency-key"];
  const head = (runId: string | null): ResponseHead => ({
    runId,
    createdAt: Math.floor(context.now().getTime() / 1_000),
    model: ask.model,
    previousId: isSet(previousId) ? String(previousId) : null,
    isStored: ask.isStored || ask.target.kind === "swarm",
    metadata: ask.metadata ?? {},
  });
  if (readFlag("background", body["background"])) {
    if (ask.isStreamed) throw unsupported("background", "with stream; retrieve the response later");
    if (!head(null).isStored) throw invalid("store", "must be true with background");
    return { body: await startInBackground(core, ask, { idempotencyKey, head }) };
  }
  const answer = await openAnswer(ask, { core, signal, idempotencyKey });
  if (!ask.isStreamed) return { body: await createResponse(answer, head) };
  return openEventStream(streamResponse(answer, head), {
    isStarted: () => answer.runId !== null,
    renderFailure: (error) => {
      const { message, code, param } = renderThrown(error, context).error;
      return renderFrame({ type: "error", sequence_number: 0, message, code, param }, "error");
    },
  });
}

function readAsk(body: Body, conversation: readonly Entry[]): Ask {
  const { instructions, text, reasoning } = body;
  for (const name of ["conversation", "prompt"]) if (isSet(body[name])) throw unsupported(name, "send input instead");
  if (isSet(instructions) && typeof instructions !== "string") throw invalid("instructions", "must be a string");
  const own: Entry[] = typeof instructions === "string" ? [{ role: "system", content: instructions }] : [];
  return {
    ...readCommon(body),
    ...toConversation([...own, ...conversation], "input"),
    clientTools: readTools(body, null),
    responseSchema: readSchema(isRecord(text) ? text["format"] : null, "text.format"),
    settings: readSettings({
      temperature: body["temperature"],
      top_p: body["top_p"],
      max_tokens: body["max_output_tokens"],
      reasoning_effort: isRecord(reasoning) ? reasoning["effort"] : null,
    }),
  };
}

function readInput(input: unknown): Entry[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  if (!Array.isArray(input)) throw invalid("input", "must be a string or a list of items");
  return input.flatMap((item: unknown, index) => readItem(isRecord(item) ? item : {}, `input[${index}]`));
}

function readItem(item: Body, path: string): Entry[] {
  const { type = "message", role, content, call_id: id, name, arguments: input, output } = item;
  switch (type) {
    case "message": {
      const text = readText(content, `${path}.content`);
      if (role === "user" || role === "assistant") return [{ role, content: text }];
      if (role === "system" || role === "developer") return [{ role: "system", content: text }];
      throw invalid(`${path}.role`, "must be system, developer, user or assistant");
    }
    case "function_call":
      if (typeof id !== "string" || typeof name !== "string" || typeof input !== "string")
        throw invalid(path, "must be a call of a function");
      return [{ role: "call", id, name, input }];
    case "function_call_output":
      if (typeof id !== "string") throw invalid(`${path}.call_id`, "must be the id of a call");
      return [{ role: "result", id, output: readText(output, `${path}.output`) }];
    case "reasoning":
      return [];
    default:
      throw unsupported(path, `items of the type ${JSON.stringify(type)}`);
  }
}
