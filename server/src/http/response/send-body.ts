import type { OutgoingHttpHeaders } from "node:http";
import { MIN_COMPRESSED_BYTES } from "./compressor.ts";
import type { Compressed, RouteReply } from "../route-reply.ts";
import { sendStream } from "./send-stream.ts";

/** Larger bodies are sent in pieces of this size, so that a slow reader is noticed. */
const PIECE_BYTES = 64 * 1024;

const VARY = "Accept-Encoding";

export interface Body {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer | null;
  /** Called when the body is no longer held. */
  readonly onSent?: (() => void) | undefined;
}

/** Sends a whole body. */
export function sendBody(reply: RouteReply, answer: Body): RouteReply | Promise<RouteReply> {
  const { body } = answer;
  if (body === null || body.length < MIN_COMPRESSED_BYTES) return sendNow(reply, answer);
  const { compressor } = reply;
  if (compressor === null) return sendPlain(reply, answer, body);
  // Only for these sizes does the header of the request decide the form of the response.
  const vary = answer.headers["vary"] ?? reply.getHeader("vary");
  const headers = { ...answer.headers, vary: vary === undefined ? VARY : `${String(vary)}, ${VARY}` };
  const varying = { ...answer, headers };
  const acceptEncoding = reply.request.headers["accept-encoding"];
  if (acceptEncoding === undefined) return sendPlain(reply, varying, body);
  return sendCompressed(reply, varying, { body, compressing: (plain) => compressor.compress(acceptEncoding, plain) });
}

function sendPlain(reply: RouteReply, answer: Body, body: string | Buffer): RouteReply | Promise<RouteReply> {
  return body.length > PIECE_BYTES ? sendPieces(reply, answer, body) : sendNow(reply, answer);
}

function sendNow(reply: RouteReply, { status, headers, body, onSent }: Body): RouteReply {
  onSent?.();
  return reply
    .code(status)
    .headers(headers)
    .send(body ?? undefined);
}

interface Compressing {
  readonly body: string | Buffer;
  readonly compressing: (plain: Buffer) => Promise<Compressed | null>;
}

async function sendCompressed(
  reply: RouteReply,
  answer: Body,
  { body, compressing }: Compressing,
): Promise<RouteReply> {
  const plain = typeof body === "string" ? Buffer.from(body) : body;
  const compressed = await compressing(plain);
  if (compressed === null) return sendPlain(reply, { ...answer, body: plain }, plain);
  const { coding, bytes } = compressed;
  const headers = { ...answer.headers, "content-encoding": coding };
  return sendPlain(reply, { ...answer, headers, body: bytes }, bytes);
}

async function sendPieces(
  reply: RouteReply,
  { status, headers, onSent }: Body,
  body: string | Buffer,
): Promise<RouteReply> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const allHeaders: OutgoingHttpHeaders = { ...headers, "content-length": bytes.length };
  try {
    await sendStream(reply, { status, headers: allHeaders, stream: cut(bytes) });
  } finally {
    onSent?.();
  }
  return reply;
}

function* cut(bytes: Buffer): Generator<Uint8Array, void, undefined> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) yield bytes.subarray(start, start + PIECE_BYTES);
}
