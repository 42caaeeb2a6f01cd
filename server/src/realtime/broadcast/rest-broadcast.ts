import { AppError } from "../../errors/index.ts";
import { readJson, TOO_DEEP } from "../../json/index.ts";
import type { Principal } from "../../db/index.ts";
import { hubKeyOf } from "../channels/channel.ts";
import { writeDenied } from "../private/private-topics.ts";
import type { RealtimeState } from "../realtime-state.ts";

/** One message, whose topic and event are in the path. */
interface EventCall {
  readonly caller: Principal;
  /** Without the prefix `realtime:`. */
  readonly topic: string;
  readonly event: string;
  readonly isPrivate: boolean;
  /** Whether to store the message for replay; private topics only. */
  readonly isKept: boolean;
  readonly isBinary: boolean;
  /** JSON text, unless it is binary. */
  readonly body: Buffer;
}

/** Several messages in one JSON body. */
interface MessagesCall {
  readonly caller: Principal;
  readonly body: unknown;
}

/** Broadcasts over HTTP. Both calls give 202 without a body. */
export interface RestBroadcast {
  sendEvent(call: EventCall): Promise<void>;
  sendMessages(call: MessagesCall): Promise<void>;
}

interface Message {
  readonly topic: string;
  readonly event: string;
  readonly isPrivate: boolean;
  readonly payload: Buffer;
}

const MAX_MESSAGES = 1_000;

export function createRestBroadcast(state: RealtimeState): RestBroadcast {
  const requireWritable = async (caller: Principal, topics: Iterable<string>): Promise<void> => {
    for (const topic of topics) {
      if (!(await state.privateTopics.canWrite(caller, topic, "broadcast"))) throw writeDenied(topic);
    }
  };
  const requireSize = (payload: Buffer): void => {
    if (payload.length > state.settings.realtimePayloadLimitBytes) {
      throw new AppError("PAYLOAD_TOO_LARGE", "payload_size_exceeded");
    }
  };

  return {
    async sendEvent({ caller, topic, event, isPrivate, isKept, isBinary, body }) {
      if (topic === "" || event === "") throw invalid({ topic: "topic and event must not be empty" });
      requireSize(body);
      if (!isBinary) requireJson(body);
      if (isKept) {
        if (!isPrivate) throw invalid({ persist: "only messages of private topics can be kept" });
        await state.privateTopics.store(caller, topic, { event, isBinary, payload: body, sender: null });
        return;
      }
      if (isPrivate) await requireWritable(caller, [topic]);
      const hubKey = hubKeyOf(topic, isPrivate);
      await state.broadcaster.send({ hubKey, event, isBinary, payload: body, meta: null }, null);
    },

    async sendMessages({ caller, body }) {
      const messages = parseMessages(body);
      for (const { payload } of messages) requireSize(payload);
      // All or nothing: permissions are checked before any message is sent.
      const privateTopics = new Set(messages.filter(({ isPrivate }) => isPrivate).map(({ topic }) => topic));
      await requireWritable(caller, privateTopics);
      await Promise.all(
        messages.map(({ topic, event, isPrivate, payload }) =>
          state.broadcaster.send(
            { hubKey: hubKeyOf(topic, isPrivate), event, isBinary: false, payload, meta: null },
            null,
          ),
        ),
      );
    },
  };
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
