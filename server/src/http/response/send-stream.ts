import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { StreamedAnswer } from "../../functions/index.ts";

/** A reader that takes nothing for so long is not there any more. */
const STALLED_MS = 30_000;

/**
 * Sends the headers at once and each piece as it comes. The next piece is asked for only when the connection has room, so that
 * what waits for a slow reader waits where the pieces are made.
 */
export async function sendStream(reply: FastifyReply, { status, headers, stream }: StreamedAnswer): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  raw.socket?.setNoDelay(true);
  raw.writeHead(status, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...headers });
  raw.flushHeaders();
  try {
    for await (const piece of stream) {
      if (raw.destroyed) break;
      if (raw.write(piece)) continue;
      if (!(await drains(raw))) {
        raw.destroy();
        break;
      }
    }
    raw.end();
  } finally {
    // Where making the pieces failed, the reader must not wait for what will never come, nor take it for a proper end.
    if (!raw.writableEnded) raw.destroy();
  }
}

function drains(raw: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (hasDrained: boolean): void => {
      clearTimeout(timer);
      raw.off("drain", onDrain);
      raw.off("close", onClose);
      resolve(hasDrained);
    };
    const onDrain = (): void => settle(true);
    const onClose = (): void => settle(false);
    const timer = setTimeout(() => settle(false), STALLED_MS);
    raw.once("drain", onDrain);
    raw.once("close", onClose);
  });
}
