import { isTooDeep } from "../../json/index.ts";
import type { MessageToStore, StoredMessage } from "../realtime-options.ts";

/** A message that the database stored or sent, as announced to all nodes. */
export interface AnnouncedMessage extends StoredMessage, MessageToStore {
  readonly topic: string;
  readonly isPrivate: boolean;
}

export const STORED_PREFIX = "realtime.send";

/** In the format of `private.send_realtime`. */
export function renderAnnounced(message: AnnouncedMessage): string {
  const { id, topic, event, isPrivate, isBinary, sender, payload } = message;
  return JSON.stringify({
    id,
    topic,
    event,
    private: isPrivate,
    payload: isBinary ? null : (JSON.parse(payload.toString()) as unknown),
    binary: isBinary ? payload.toString("base64") : null,
    sender,
  });
}

/** Null for an invalid message, which any SQL session can write. */
export function parseAnnounced(content: Buffer): AnnouncedMessage | null {
  const message = parseObject(content.toString());
  const { id, topic, event, binary, sender } = message;
  if (typeof id !== "string" || typeof topic !== "string" || typeof event !== "string") return null;
  const isBinary = typeof binary === "string";
  const payload = isBinary ? Buffer.from(binary, "base64") : renderPayload(message["payload"] ?? {});
  if (payload === null) return null;
  return {
    id,
    topic,
    event,
    isPrivate: message["private"] !== false,
    isBinary,
    sender: typeof sender === "string" ? sender : null,
    payload,
  };
}

/** Null when the value is nested too deeply. PostgreSQL accepts more levels, and so does `JSON.stringify` from Node.js 26 on. */
function renderPayload(value: unknown): Buffer | null {
  try {
    const text = JSON.stringify(value);
    return isTooDeep(text) ? null : Buffer.from(text);
  } catch {
    return null;
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
