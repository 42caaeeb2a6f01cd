import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { ReaderPace } from "./reader-pace.ts";
import type { RouteReply } from "../route-reply.ts";

interface Streamed {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly stream: AsyncIterable<string | Uint8Array> | Iterable<Uint8Array>;
}

/**
 * Sends the headers at once and each chunk when it is produced. Requests the next chunk only when the connection has
 * drained, so that a slow reader slows the producer down. Cuts the connection of a reader who is too slow.
 */
export async function sendStream(reply: RouteReply, { status, headers, stream }: Streamed): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  raw.socket?.setNoDelay(true);
  raw.writeHead(status, { ...reply.getHeaders(), ...headers });
  raw.flushHeaders();
  const pace = new ReaderPace();
  try {
    for await (const piece of stream) {
      if (raw.destroyed) break;
      if (raw.write(piece)) {
        pace.reset();
        continue;
      }
      if (!(await drains(raw, pace))) {
        raw.destroy();
        break;
      }
      pace.add(piece.length);
    }
    raw.end();
  } finally {
    // When the stream fails, the connection is cut, so that the reader does not take it for a complete response.
    if (!raw.writableEnded) raw.destroy();
  }
}

function drains(raw: ServerResponse, pace: ReaderPace): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (hasDrained: boolean): void => {
      clearTimeout(timer);
      raw.off("drain", onDrain);
      raw.off("close", onClose);
      resolve(hasDrained);
    };
    const onDrain = (): void => settle(true);
    const onClose = (): void => settle(false);
    const onDue = (): void => {
      if (pace.isTooSlow()) settle(false);
      else timer = setTimeout(onDue, pace.remainingMs());
    };
    let timer = setTimeout(onDue, pace.remainingMs());
    raw.once("drain", onDrain);
    raw.once("close", onClose);
  });
}
