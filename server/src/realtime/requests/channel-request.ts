import { requireScope } from "../../db/index.ts";
import { AppError, toAppError } from "../../errors/index.ts";
import { readJson } from "../../json/index.ts";
import type { Holder } from "../held-bytes.ts";
import { accessDenied } from "../private/private-topics.ts";
import type { ChannelExtension } from "../realtime-options.ts";
import type { RealtimeState } from "../realtime-state.ts";
import type { BroadcastFrame, ClientFrame, MessageFrame } from "../wire/parse-frame.ts";
import { renderReply } from "../wire/render-frame.ts";
import type { Channel } from "../channels/channel.ts";
import { invalid, readMembers, readToken, requireKnown } from "../channels/join-config.ts";
import { admitAs, subscribe } from "./join-channel.ts";

interface OutgoingBroadcast {
  readonly event: string;
  readonly isBinary: boolean;
  readonly payload: Buffer;
  readonly isKept: boolean;
}

/** Answers a frame for a joined channel. Never rejects. */
export async function answerRequest(state: RealtimeState, channel: Channel, frame: ClientFrame): Promise<void> {
  if (frame.kind === "broadcast") return attempt(channel, frame, () => broadcast(state, channel, readBinary(frame)));
  switch (frame.event) {
    case "broadcast":
      return attempt(channel, frame, () => broadcast(state, channel, readText(frame)));
    case "presence":
      return attempt(channel, frame, () => changePresence(state, channel, frame.payload));
    case "access_token":
      return refreshToken(state, channel, frame.payload);
    default:
      reply(channel, frame, "error", { reason: `unknown event ${JSON.stringify(frame.event)}` });
  }
}

async function attempt(channel: Channel, frame: ClientFrame, run: () => Promise<void>): Promise<void> {
  const isAnswered = channel.config.wantsAck || frame.event === "presence";
  try {
    await run();
    if (isAnswered) reply(channel, frame, "ok", {});
  } catch (error) {
    const { message } = toAppError(error);
    if (isAnswered) reply(channel, frame, "error", { reason: message, error: message });
    else channel.pushSystem("system", "error", message);
  }
}

async function broadcast(state: RealtimeState, channel: Channel, message: OutgoingBroadcast): Promise<void> {
  const { name, topicKey, config, admission } = channel;
  const { event, isBinary, payload, isKept } = message;
  if (admission !== null) requireScope(admission.principal, "write");
  requireSize(state, payload.length);
  const exceptId = config.wantsOwn ? null : channel.id;
  if (isKept && admission !== null) {
    if (!config.isPrivate) throw invalid("only messages of private channels can be kept");
    await state.privateTopics.store(admission.principal, name, { event, isBinary, payload, sender: exceptId });
    return;
  }
  if (config.isPrivate) await requireWritable(state, channel, "broadcast");
  await state.broadcaster.send(
    { topicKey, event, isBinary, payload, meta: null },
    { exceptId, holder: holderOf(channel) },
  );
}

async function changePresence(state: RealtimeState, channel: Channel, value: unknown): Promise<void> {
  const { event, payload } = readMembers(value, "a presence message");
  if (channel.admission !== null) requireScope(channel.admission.principal, "write");
  if (channel.config.isPrivate) await requireWritable(state, channel, "presence");
  switch (String(event).toLowerCase()) {
    case "track": {
      const members = readMembers(payload ?? {}, "what is tracked");
      const holder = holderOf(channel);
      // The channel may have ended during the permission check.
      if (channel.phase === "joined" && holder !== null) state.presence.track(channel, holder, members);
      return;
    }
    case "untrack":
      state.presence.untrack(channel.id);
      return;
    default:
      throw invalid("a presence message is track or untrack");
  }
}

/** Null until the channel is admitted. */
function holderOf({ admission, socket }: Channel): Holder | null {
  return admission === null ? null : { principal: admission.principal, socket, address: socket.address };
}

/** Clients expect no reply. An invalid token ends the channel, and the client has to join again. */
function refreshToken(state: RealtimeState, channel: Channel, payload: unknown): Promise<void> {
  const { access_token: given } = Object(payload) as Record<string, unknown>;
  const token = readToken(given);
  const refresh = async (): Promise<void> => {
    if (token === null || token === channel.token || channel.phase !== "joined") return;
    try {
      const before = channel.admission?.principal.userId;
      const { principal } = await admitAs(state, channel, token);
      // Another user needs a new subscription.
      if (principal.userId === before) channel.subscription?.update(principal);
      else await subscribe(state, channel);
    } catch (error) {
      channel.fail("system", toAppError(error).message);
    }
  };
  // In order, so that the last token wins.
  channel.refreshing = channel.refreshing.then(refresh);
  return channel.refreshing;
}

/** Queried once per token. Messages that arrive meanwhile share the query, which keeps their order. */
async function requireWritable(state: RealtimeState, channel: Channel, extension: ChannelExtension): Promise<void> {
  const { writable, admission, name, signal } = channel;
  if (admission === null) throw accessDenied("write to", name);
  const known = writable.get(extension);
  const query = known ?? state.privateTopics.canWrite(admission.principal, name, extension, signal);
  if (known === undefined) {
    writable.set(extension, query);
    // A failed query is not cached.
    query.catch(() => {
      if (writable.get(extension) === query) writable.delete(extension);
    });
  }
  if (!(await query)) throw accessDenied("write to", name);
  signal.throwIfAborted();
}

function readBinary({ event, isBinary, payload, metadata }: BroadcastFrame): OutgoingBroadcast {
  const options = metadata === "" ? {} : readMembers(parseJson(metadata), "metadata");
  requireKnown(options, "metadata", ["persist"]);
  // Text frames embed the payload, so it must be valid JSON.
  if (!isBinary) parseJson(payload.toString());
  return { event, isBinary, payload, isKept: readPersist(options["persist"]) };
}

function readText({ payload: value }: MessageFrame): OutgoingBroadcast {
  const { event, payload, persist } = readMembers(value, "a broadcast");
  if (typeof event !== "string") throw invalid("a broadcast needs an event");
  return { event, isBinary: false, payload: Buffer.from(JSON.stringify(payload ?? {})), isKept: readPersist(persist) };
}

/** `true`, or an object of options, none of which is supported: messages are kept for three days. */
function readPersist(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  if (value !== true) requireKnown(readMembers(value, "persist"), "persist", []);
  return true;
}

export function requireSize({ settings }: RealtimeState, bytes: number): void {
  if (bytes > settings.realtimePayloadLimitBytes) throw new AppError("PAYLOAD_TOO_LARGE", "payload_size_exceeded");
}

function reply(channel: Channel, frame: ClientFrame, status: "ok" | "error", response: object): void {
  if (frame.ref === null) return;
  const { joinRef, topic, vsn } = channel;
  channel.push(renderReply(vsn, { joinRef, ref: frame.ref, topic }, status, response));
}

function parseJson(text: string): unknown {
  const read = readJson(text);
  if (read.fault !== null) throw invalid(`the payload ${read.fault}`);
  return read.value;
}
