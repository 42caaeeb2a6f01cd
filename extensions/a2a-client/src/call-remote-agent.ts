import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Message, type Part, Role } from "@a2a-js/sdk";
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import { AppError, type ToolCall } from "swarmbase/extension";
import { RemoteAnswer } from "./remote-answer.ts";
import { authHeaders, type RemoteConfig } from "./remote-config.ts";

type Fetch = typeof globalThis.fetch;

const POLL_MS = 1_000;
const CANCEL_TIMEOUT_MS = 10_000;
const CANCEL_POLL_MS = 50;
/** Of one response, streams included. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_REASON_CHARS = 300;

/**
 * Sends the input of a tool call to a remote agent and returns its answer. Cancels the task when the call is aborted, which ends
 * the call at once and leaves the cancellation to this function.
 */
export async function callRemoteAgent(call: ToolCall, fetch: Fetch): Promise<string> {
  const { signal, secrets, maxChars } = call;
  const config = call.config as unknown as RemoteConfig;
  const headers = authHeaders(config, secrets);
  if (headers === null) throw new AppError("VALIDATION_ERROR", `The tool has no secret ${config.auth?.secret}.`);
  const answer = new RemoteAnswer(maxChars);
  try {
    const client = await openClient(
      config.card_url,
      guardFetch(fetch, new URL(config.card_url).origin, headers, signal),
    );
    signal.throwIfAborted();
    const reading = new AbortController();
    const cancel = (): void => void cancelTask(client, answer).finally(() => reading.abort(signal.reason));
    signal.addEventListener("abort", cancel, { once: true });
    try {
      await converse(client, toMessage(call), answer, reading.signal);
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  } catch (error) {
    throw signal.aborted || error instanceof AppError ? error : explain(error, Object.values(secrets));
  }
  if (answer.failure !== null) throw new AppError("PROVIDER_ERROR", answer.failure.slice(0, MAX_REASON_CHARS));
  return answer.render();
}

/** `message` is the text, `task_id` and `context_id` continue an earlier answer, everything else is data. */
function toMessage({ input }: ToolCall): Message {
  const { message, task_id: taskId, context_id: contextId, ...data } = input;
  const text = typeof message === "string" ? message : "";
  const contents: Part["content"][] = [
    ...(text === "" ? [] : [{ $case: "text", value: text } as const]),
    ...(Object.keys(data).length === 0 && text !== "" ? [] : [{ $case: "data", value: data } as const]),
  ];
  return {
    messageId: randomUUID(),
    contextId: typeof contextId === "string" ? contextId : "",
    taskId: typeof taskId === "string" ? taskId : "",
    role: Role.ROLE_USER,
    parts: contents.map((content) => ({ content, metadata: undefined, filename: "", mediaType: "" })),
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

function openClient(cardUrl: string, fetchImpl: Fetch): Promise<Client> {
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  return factory.createFromUrl(cardUrl, "");
}

async function converse(client: Client, message: Message, answer: RemoteAnswer, signal: AbortSignal): Promise<void> {
  const configuration = {
    acceptedOutputModes: ["text/plain", "application/json"],
    taskPushNotificationConfig: undefined,
    returnImmediately: false,
  };
  const request = { tenant: "", message, configuration, metadata: undefined };
  for await (const event of client.sendMessageStream(request, { signal })) answer.add(event);
  // A server can end its stream, or answer at once, while the task goes on.
  while (!answer.isSettled && answer.taskId !== "") {
    await sleep(POLL_MS, undefined, { signal });
    answer.addTask(await client.getTask({ tenant: "", id: answer.taskId }, { signal }));
  }
}

/** The id of a task that was just started may still be on its way. */
async function cancelTask(client: Client, answer: RemoteAnswer): Promise<void> {
  const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
  try {
    while (answer.taskId === "" && !answer.isSettled) await sleep(CANCEL_POLL_MS, undefined, { signal });
    if (!answer.isSettled) await client.cancelTask({ tenant: "", id: answer.taskId, metadata: undefined }, { signal });
  } catch {
    // The call has ended, and the remote agent ends the task by itself.
  }
}

/** Sends credentials to the origin of the card only, and limits the size of responses. */
function guardFetch(
  send: Fetch,
  origin: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin)
      throw new AppError(
        "VALIDATION_ERROR",
        "The card names an address on another host, where no credentials are sent.",
      );
    const sent = new Headers(init.headers);
    for (const [name, value] of Object.entries(headers)) sent.set(name, value);
    const response = await send(url, { signal, ...init, headers: sent });
    if (response.body === null) return response;
    const { status, statusText, headers: received } = response;
    return new Response(response.body.pipeThrough(limitBytes()), { status, statusText, headers: received });
  };
}

function limitBytes(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > MAX_BYTES) throw new AppError("PROVIDER_ERROR", "The response of the remote agent is too large.");
      controller.enqueue(chunk);
    },
  });
}

/** An error whose message the model may read. Remote servers may repeat what was sent to them. */
function explain(error: unknown, secrets: readonly string[]): AppError {
  const reason = findReason(error) ?? "it did not answer in the form of the protocol";
  const shown = secrets.reduce((text, secret) => text.replaceAll(secret, "[secret]"), reason);
  const message = `The remote agent cannot be called: ${shown.slice(0, MAX_REASON_CHARS)}`;
  return new AppError("PROVIDER_ERROR", message, { cause: error });
}

/** The messages of these errors are written for the owner of the tool. */
function findReason(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (error.name === "OutboundError" || "reason" in error || error.message.startsWith("Failed to fetch Agent Card"))
    return error.message;
  return findReason(error.cause);
}
