import { createHmac, hash, timingSafeEqual } from "node:crypto";

/*
 * version (1 byte, 0) | session id (16) | counter (unsigned varint, 1 to 10) | HMAC-SHA256 cut to 16 | checksum (4)
 *
 * The token is not stored: the session's row contains the key of the HMAC and the current counter. The checksum is not
 * secret; it allows invalid tokens to be rejected without a query.
 */
const VERSION = 0;
const SESSION_ID_BYTES = 16;
const TAG_BYTES = 16;
const CHECKSUM_BYTES = 4;
const COUNTER_START = 1 + SESSION_ID_BYTES;
const COUNTER_MAX_BYTES = 10;
const MIN_BYTES = COUNTER_START + 1 + TAG_BYTES + CHECKSUM_BYTES;
const MAX_BYTES = COUNTER_START + COUNTER_MAX_BYTES + TAG_BYTES + CHECKSUM_BYTES;
const MAX_LENGTH = Math.ceil((MAX_BYTES * 4) / 3);
const COUNTER_LIMIT = 2n ** 63n;

interface RefreshTokenContent {
  readonly sessionId: string;
  /** The range of PostgreSQL's bigint. */
  readonly counter: bigint;
}

export interface DecodedRefreshToken extends RefreshTokenContent {
  readonly tag: Buffer;
}

export function encodeRefreshToken(content: RefreshTokenContent, key: Buffer): string {
  const signed = encodeSigned(content);
  const body = Buffer.concat([signed, tagOf(signed, key)]);
  return Buffer.concat([body, checksumOf(body)]).toString("base64url");
}

/** Returns null for anything that is no refresh token. Does not verify the signature. */
export function decodeRefreshToken(text: string): DecodedRefreshToken | null {
  if (text.length > MAX_LENGTH || !/^[\w-]+$/.test(text)) return null;
  const bytes = Buffer.from(text, "base64url");
  // Several texts decode to the same bytes; only the canonical one is valid.
  if (bytes.toString("base64url") !== text) return null;
  if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES || bytes[0] !== VERSION) return null;

  const body = bytes.subarray(0, -CHECKSUM_BYTES);
  if (!checksumOf(body).equals(bytes.subarray(-CHECKSUM_BYTES))) return null;
  const counter = decodeCounter(body.subarray(COUNTER_START, -TAG_BYTES));
  if (counter === null) return null;
  const sessionId = formatUuid(body.subarray(1, COUNTER_START));
  return { sessionId, counter, tag: body.subarray(-TAG_BYTES) };
}

export function isRefreshTokenSigned({ tag, ...content }: DecodedRefreshToken, key: Buffer): boolean {
  return timingSafeEqual(tag, tagOf(encodeSigned(content), key));
}

function encodeSigned({ sessionId, counter }: RefreshTokenContent): Buffer {
  const id = Buffer.from(sessionId.replaceAll("-", ""), "hex");
  if (id.length !== SESSION_ID_BYTES) throw new RangeError("the session id is not a UUID");
  return Buffer.concat([Buffer.of(VERSION), id, encodeCounter(counter)]);
}

function encodeCounter(counter: bigint): Buffer {
  if (counter < 0n || counter >= COUNTER_LIMIT) throw new RangeError("the refresh counter is out of range");
  const bytes: number[] = [];
  let rest = counter;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

/** Returns null unless it is the shortest encoding, which `encodeCounter` makes. */
function decodeCounter(bytes: Buffer): bigint | null {
  let counter = 0n;
  for (const [place, byte] of bytes.entries()) {
    const isLast = place === bytes.length - 1;
    if (byte >= 0x80 === isLast) return null;
    if (isLast && byte === 0 && place > 0) return null;
    counter |= BigInt(byte & 0x7f) << BigInt(7 * place);
  }
  return bytes.length > 0 && counter < COUNTER_LIMIT ? counter : null;
}

function tagOf(signed: Buffer, key: Buffer): Buffer {
  return createHmac("sha256", key).update(signed).digest().subarray(0, TAG_BYTES);
}

function checksumOf(body: Buffer): Buffer {
  return hash("sha256", body, "buffer").subarray(0, CHECKSUM_BYTES);
}

function formatUuid(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
