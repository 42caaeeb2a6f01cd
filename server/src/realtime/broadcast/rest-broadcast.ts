import { AppError } from "../../errors/index.ts";
import { readJson, TOO_DEEP } from "../../json/index.ts";
import type { Principal } from "../../db/index.ts";
import { topicKeyOf } from "../channels/channel.ts";
import { requireSize } from "../channels/channel-request.ts";
import { accessDenied } from "../private/private-topics.ts";
import type { RealtimeState } from "../realtime-state.ts";

/** One message, whose topic and event are in the path. */
interface EventCall {
  readonly principal: Principal;
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

export type RestBroadcast = ReturnType<typeof createRestBroadcast>;

type Message = Pick<EventCall, "topic" | "event" | "isPrivate"> & { readonly payload: Buffer };

const MAX_MESSAGES = 1_000;

/** Broadcasts over HTTP. Both calls give 202 without a body. */
export function createRestBroadcast(state: RealtimeState) {
  const requireWritable = async (principal: Principal, topics: Iterable<string>): Promise<void> => {
    for (const topic of topics) {
      if (!(await state.privateTopics.canWrite(principal, topic, "broadcast"))) throw accessDenied("write to", topic);
    }
  };

  return {
    async sendEvent({ principal, topic, event, isPrivate, isKept, isBinary, body }: EventCall): Promise<void> {
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
      await state.broadcaster.send({ topicKey, event, isBinary, payload: body, meta: null }, null);
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
