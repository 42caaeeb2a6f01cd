import { AppError } from "../../errors/index.ts";
import { readJson, TOO_DEEP } from "../../json/index.ts";
import type { Principal } from "../../db/index.ts";
import { topicKeyOf } from "../channels/channel.ts";
import { requireSize } from "./channel-request.ts";
import { accessDenied } from "../private/private-topics.ts";
import type { RealtimeState } from "../realtime-state.ts";

/** One message, whose topic and event are in the path. */
interface EventCall {
  readonly principal: Principal;
  /** Without the prefix `realtime:`. */
  readonly topic: string;
  readonly event: string;
  /** Its options: `private`, and `persist` to store the message for replay, for private topics only. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly isBinary: boolean;
  /** JSON text, unless it is binary. */
  readonly body: Buffer;
}

export type RestBroadcast = ReturnType<typeof createRestBroadcast>;

type Message = Pick<EventCall, "topic" | "event"> & { readonly isPrivate: boolean; readonly payload: Buffer };

const MAX_MESSAGES = 1_000;
const MESSAGE_MEMBERS: ReadonlySet<string> = new Set(["topic", "event", "payload", "private"]);

/** Broadcasts over HTTP. Both calls give 202 without a body. */
export function createRestBroadcast(state: RealtimeState) {
  const requireWritable = async (principal: Principal, topics: Iterable<string>): Promise<void> => {
    for (const topic of topics) {
      if (!(await state.privateTopics.canWrite(principal, topic, "broadcast"))) throw accessDenied("write to", topic);
    }
  };

  return {
    async sendEvent({ principal, topic, event, query, isBinary, body }: EventCall): Promise<void> {
      const [isPrivate, isKept] = readOptions(query);
      if (topic === "" || event === "") throw invalid({ topic: "topic and event must not be empty" });
      requireSize(state, body.length);
      if (!isBinary) requireJson(body);
      if (isKept) {
        if (!isPrivate) throw invalid({ persist: "only messages of private topics can be kept" });
        await state.privateTopics.store(principal, topic, { event, isBinary, payload: body, sender: null });
        return;
      }
      if (isPrivate) await requireWritable(principal, [topic]);
      const topicKey = topicKeyOf(topic, isPrivate);
      await state.broadcaster.send({ topicKey, event, isBinary, payload: body, meta: null }, senderOf(principal));
    },

    /** Several messages in one JSON body. */
    async sendMessages({ principal, body }: Pick<EventCall, "principal"> & { readonly body: unknown }): Promise<void> {
      const messages = parseMessages(body);
      for (const { payload } of messages) requireSize(state, payload.length);
      // All or nothing: permissions are checked before any message is sent.
      const privateTopics = new Set(messages.filter(({ isPrivate }) => isPrivate).map(({ topic }) => topic));
      await requireWritable(principal, privateTopics);
      await Promise.all(
        messages.map(({ topic, event, isPrivate, payload }) =>
          state.broadcaster.send(
            { topicKey: topicKeyOf(topic, isPrivate), event, isBinary: false, payload, meta: null },
            senderOf(principal),
          ),
        ),
      );
    },
  };
}

function senderOf(principal: Principal) {
  const address = principal.role === "anon" ? (principal.address ?? null) : null;
  return { exceptId: null, holder: { principal, socket: null, address } };
}

/** Clients also send parameters of their own, so only variants of the known options are rejected. */
function readOptions(query: Readonly<Record<string, unknown>>): [isPrivate: boolean, isKept: boolean] {
  const unknown = Object.keys(query).find((name) => /^(private|persist)\W/.test(name));
  if (unknown !== undefined) throw unsupported(unknown, "is not supported");
  const read = (name: string): boolean => {
    const { [name]: value = "false" } = query;
    if (value !== "true" && value !== "false") throw unsupported(name, "must be true or false");
    return value === "true";
  };
  return [read("private"), read("persist")];
}

function parseMessages(body: unknown): Message[] {
  const list: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "messages") : undefined;
  if (!Array.isArray(list)) throw invalid({ messages: "must be a list" });
  if (list.length > MAX_MESSAGES) throw invalid({ messages: `may have ${MAX_MESSAGES} entries` });
  const faults: Record<string, string> = {};
  const messages = list.map((entry: unknown, index): Message => {
    const { topic, event, payload, private: isPrivate } = Object(entry) as Record<string, unknown>;
    if (typeof topic !== "string" || topic === "") faults[`messages.${index}.topic`] = "must be a text";
    if (typeof event !== "string" || event === "") faults[`messages.${index}.event`] = "must be a text";
    if (payload === undefined || payload === null) faults[`messages.${index}.payload`] = "is missing";
    for (const [name, value] of Object.entries(Object(entry) as object))
      if (Boolean(value) && !MESSAGE_MEMBERS.has(name)) faults[`messages.${index}.${name}`] = "is not supported";
    return {
      topic: String(topic),
      event: String(event),
      isPrivate: isPrivate === true,
      payload: Buffer.from(JSON.stringify(payload ?? {})),
    };
  });
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return messages;
}

function requireJson(body: Buffer): void {
  const { fault } = readJson(body.toString());
  // The same error as for any other request body.
  if (fault === TOO_DEEP)
    throw new AppError("VALIDATION_ERROR", `The request body ${fault}`, { details: { body: fault } });
  if (fault !== null) throw invalid({ payload: fault });
}

/** Status 422, which clients of this endpoint expect. */
function invalid(details: Record<string, string>): AppError {
  const message = Object.entries(details).map(([field, fault]) => `${field} ${fault}`);
  return new AppError("VALIDATION_ERROR", message.join("; "), {
    details,
    foreign: { code: "VALIDATION_ERROR", status: 422 },
  });
}

/** The client shows `error`, which has to be a text. */
function unsupported(option: string, fault: string): AppError {
  const message = `${option} ${fault}`;
  return new AppError("BAD_REQUEST", message, { details: { [option]: fault }, members: { error: message } });
}
