import { setTimeout as sleep } from "node:timers/promises";
import type { CommandFetch, ExtensionCommandContext } from "swarmbase/extension";
import { messageOf } from "./message-of.ts";

export interface FeedEvent {
  /** The envelope as the service has written it. */
  readonly body: string;
  /** `evt_` and the id. */
  readonly id: string;
  readonly type: string;
}

export interface ForwardTools {
  readonly url: URL;
  readonly secret: string;
  readonly dispatcher: CommandFetch["dispatcher"];
  readonly signDelivery: ExtensionCommandContext["signDelivery"];
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 30_000;
const REPEAT_AFTER_MS = 1_000;
const MAX_ERROR_ANSWERS = 3;

/**
 * Sends the event until the program answers it, and after an error up to twice more. Events have an order, so the next ones wait.
 * `report` gets the outcome of each attempt that differs from the one before.
 */
export async function forwardEvent(
  event: FeedEvent,
  tools: ForwardTools,
  report: (outcome: string) => void,
): Promise<void> {
  let last = "";
  for (let errors = 0; errors < MAX_ERROR_ANSWERS; ) {
    const startedAtMs = performance.now();
    const status = await post(event, tools).catch((error: unknown) => error);
    tools.signal.throwIfAborted();
    const isAnswer = typeof status === "number";
    const outcome = isAnswer ? `forwarded: ${status}` : `not forwarded: ${messageOf(status)}`;
    if (isAnswer || outcome !== last) report(`${outcome} (${Math.round(performance.now() - startedAtMs)} ms)`);
    last = outcome;
    if (isAnswer && status < 300) return;
    if (isAnswer) errors += 1;
    if (errors < MAX_ERROR_ANSWERS) await sleep(REPEAT_AFTER_MS, undefined, { signal: tools.signal });
  }
}

async function post({ body: text, id, type }: FeedEvent, tools: ForwardTools): Promise<number> {
  const { url, secret, dispatcher, signDelivery, signal } = tools;
  const body = Buffer.from(text);
  const eventId = id.replace(/^evt_/, "");
  const answer = await dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: "POST",
    headers: await signDelivery({ id: eventId, eventId, eventType: type, secret }, body),
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  await answer.body.dump();
  return answer.statusCode;
}
