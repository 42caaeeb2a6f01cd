import type { OutgoingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import { sendStream } from "./send-stream.ts";

/** Larger bodies are sent in pieces of this size, so that a slow reader is noticed. */
const PIECE_BYTES = 64 * 1024;

interface Body {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer | null;
  /** Called when the body is no longer held. */
  readonly onSent?: (() => void) | undefined;
}

/** Sends a whole body. */
export function sendBody(reply: FastifyReply, answer: Body): FastifyReply | Promise<FastifyReply> {
  const { status, headers, body, onSent } = answer;
  if (body !== null && body.length > PIECE_BYTES) return sendPieces(reply, answer, body);
  onSent?.();
  return reply
    .code(status)
    .headers(headers)
    .send(body ?? undefined);
}

async function sendPieces(
  reply: FastifyReply,
  { status, headers, onSent }: Body,
  body: string | Buffer,
): Promise<FastifyReply> {
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
