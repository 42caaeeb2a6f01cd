import { isRecord, readJson } from "../../json/index.ts";
import type { Vsn } from "./protocol.ts";

/** The client sent an invalid frame; the connection must be closed. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

interface FrameHead {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly event: string;
}

export interface MessageFrame extends FrameHead {
  readonly kind: "message";
  readonly payload: unknown;
}

/** A binary broadcast frame with its unparsed payload. */
export interface BroadcastFrame extends FrameHead {
  readonly kind: "broadcast";
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
  const [joinRef, ref, topic, event, payload] = vsn === "2.0.0" ? readArray(read.value) : readObject(read.value);
  if (typeof topic !== "string" || typeof event !== "string") throw new FrameError("topic and event must be texts");
  return { kind: "message", joinRef: readRef(joinRef), ref: readRef(ref), topic, event, payload };
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

/** The join ref, ref, topic, event and payload. */
function readArray(value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length !== 5) throw new FrameError("a frame is an array of five");
  return value;
}

function readObject(value: unknown): readonly unknown[] {
  if (!isRecord(value)) throw new FrameError("a frame is an object");
  return [value["join_ref"], value["ref"], value["topic"], value["event"], value["payload"]];
}

function readRef(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  throw new FrameError("a ref is a text or null");
}
