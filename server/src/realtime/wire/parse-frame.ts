import { isRecord, readJson } from "../../json/index.ts";
import { FrameError } from "./frame-error.ts";
import type { Vsn } from "./protocol.ts";

interface FrameHead {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
}

export interface MessageFrame extends FrameHead {
  readonly kind: "message";
  readonly event: string;
  readonly payload: unknown;
}

/** A binary broadcast frame with its unparsed payload. */
export interface BroadcastFrame extends FrameHead {
  readonly kind: "broadcast";
  readonly event: string;
  readonly metadata: string;
  readonly isBinary: boolean;
  readonly payload: Buffer;
}

export type ClientFrame = MessageFrame | BroadcastFrame;

const KIND_BROADCAST_PUSH = 3;
const HEADER_BYTES = 7;
const ENCODING_BINARY = 0;
const ENCODING_JSON = 1;

export function parseTextFrame(vsn: Vsn, text: string): MessageFrame {
  const read = readJson(text);
  if (read.fault !== null) throw new FrameError(`a frame ${read.fault}`);
  const { value } = read;
  const parts = vsn === "2.0.0" ? readArray(value) : readObject(value);
  const { topic, event } = parts;
  if (typeof topic !== "string" || typeof event !== "string") throw new FrameError("topic and event must be texts");
  return {
    kind: "message",
    joinRef: readRef(parts.joinRef),
    ref: readRef(parts.ref),
    topic,
    event,
    payload: parts.payload,
  };
}

/** Lengths of the five texts come first, then the texts, then the payload. */
export function parseBinaryFrame(vsn: Vsn, bytes: Buffer): BroadcastFrame {
  if (vsn !== "2.0.0") throw new FrameError("protocol 1.0.0 has no binary frames");
  if (bytes.length < HEADER_BYTES || bytes[0] !== KIND_BROADCAST_PUSH) throw new FrameError("unknown binary frame");
  const encoding = bytes[HEADER_BYTES - 1];
  if (encoding !== ENCODING_BINARY && encoding !== ENCODING_JSON) throw new FrameError("unknown payload encoding");
  let offset = HEADER_BYTES;
  const readText = (lengthIndex: number): string => {
    const end = offset + (bytes[lengthIndex] ?? 0);
    if (end > bytes.length) throw new FrameError("binary frame is truncated");
    const text = bytes.toString("utf8", offset, end);
    offset = end;
    return text;
  };
  const [joinRef, ref, topic, event, metadata] = [readText(1), readText(2), readText(3), readText(4), readText(5)];
  return {
    kind: "broadcast",
    joinRef: joinRef === "" ? null : joinRef,
    ref: ref === "" ? null : ref,
    topic,
    event,
    metadata,
    isBinary: encoding === ENCODING_BINARY,
    payload: bytes.subarray(offset),
  };
}

interface FrameParts {
  readonly joinRef: unknown;
  readonly ref: unknown;
  readonly topic: unknown;
  readonly event: unknown;
  readonly payload: unknown;
}

function readArray(value: unknown): FrameParts {
  if (!Array.isArray(value) || value.length !== 5) throw new FrameError("a frame is an array of five");
  const [joinRef, ref, topic, event, payload] = value as unknown[];
  return { joinRef, ref, topic, event, payload };
}

function readObject(value: unknown): FrameParts {
  if (!isRecord(value)) throw new FrameError("a frame is an object");
  const { join_ref: joinRef, ref, topic, event, payload } = value;
  return { joinRef, ref, topic, event, payload };
}

function readRef(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  throw new FrameError("a ref is a text or null");
}
