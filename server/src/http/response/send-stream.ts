import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { StreamedResponse } from "../../functions/index.ts";

/** A reader that accepts no bytes for this long is treated as gone. */
const STALLED_MS = 30_000;

/**
 * Sends the headers at once and each chunk when it is produced. Requests the next chunk only when the connection has
 * drained, so that a slow reader slows the producer down.
 */
export async function sendStream(reply: FastifyReply, { status, headers, stream }: StreamedResponse): Promise<void> {
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
    // When the stream fails, the connection is cut, so that the reader does not take it for a complete response.
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
