import {
  type ExtensionContext,
  type ExtensionRequest,
  type ExtensionResponse,
  isRecord,
  openEventStream,
} from "swarmbase/extension";
import { openAnswer } from "./answer.ts";
import { readAsk, readBody, readFlag } from "./ask.ts";
import { findWaitingRun } from "./client-calls.ts";
import { type Body, type Entry, isSet, readEntries, readResults } from "./conversation.ts";
import { findConversation, placeInConversation, renderConversationId } from "./conversations.ts";
import { invalid, renderThrown, unsupported } from "./errors.ts";
import { renderFrame } from "./render.ts";
import { readResponse, type ResponseHead, streamResponse } from "./response-object.ts";
import { readPrevious, startInBackground } from "./stored-responses.ts";

/** POST /v1/responses */
export async function respondTo(request: ExtensionRequest, context: ExtensionContext): Promise<ExtensionResponse> {
  const { conversation: named, ...body } = readBody(request.body);
  const { core, signal, headers } = request;
  const { input: sent, previous_response_id: previousId } = body;
  if (isSet(previousId) && isSet(named)) throw invalid("previous_response_id", "cannot be combined with conversation");
  const conversation = isSet(named) ? await findConversation(request, isRecord(named) ? named["id"] : named) : null;
  const input: readonly Entry[] =
    typeof sent === "string" ? [{ role: "user", content: sent }] : readEntries(sent, "input");
  // A run that waits for results has its conversation.
  const isNew = (await findWaitingRun(core, readResults(input))) === null;
  const previous = isNew && isSet(previousId) ? await readPrevious(core, previousId) : [];
  const asked = await readAsk(core, body, [...readInstructions(body), ...previous, ...input], "input");
  const ask = conversation === null || !isNew ? asked : await placeInConversation(request, asked, conversation);
  const idempotencyKey = headers["idempotency-key"];
  const head: ResponseHead = {
    model: ask.model,
    previousId: isSet(previousId) ? String(previousId) : null,
    conversationId: conversation === null ? null : renderConversationId(conversation.id),
    isStored: ask.isStored,
    metadata: ask.metadata ?? {},
  };
  if (readFlag("background", body["background"])) {
    if (ask.isStreamed) throw unsupported("background", "with stream; retrieve the response later");
    if (!ask.isStored) throw invalid("store", "must be true with background");
    return { body: await startInBackground(core, ask, { idempotencyKey, head }) };
  }
  const answer = await openAnswer(ask, { core, signal, idempotencyKey });
  const events = streamResponse(answer, head);
  if (!ask.isStreamed) return { body: await readResponse(events) };
  const frames = async function* (): AsyncGenerator<string, void, undefined> {
    for await (const event of events) yield renderFrame(event, event.type);
  };
  return openEventStream(frames(), {
    isStarted: () => answer.runId !== null,
    renderFailure: (error) => {
      const { message, code, param } = renderThrown(error, context).error;
      return renderFrame({ type: "error", sequence_number: 0, message, code, param }, "error");
    },
  });
}

function readInstructions({ instructions }: Body): readonly Entry[] {
  if (!isSet(instructions)) return [];
  if (typeof instructions !== "string") throw invalid("instructions", "must be a string");
  return [{ role: "system", content: instructions }];
}
