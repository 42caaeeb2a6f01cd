import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

interface Asked {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
  /** Resolves when the connection of an unfinished answer is closed. */
  readonly closed: Promise<void>;
}

export type Answer = (response: ServerResponse) => void | Promise<void>;

export interface WireServer {
  readonly url: string;
  readonly asked: Asked[];
  /** The answers in order; the last one is repeated. */
  answer(...answers: readonly Answer[]): void;
  close(): Promise<void>;
}

/** A provider on loopback with scripted answers. */
export async function openWireServer(): Promise<WireServer> {
  const asked: Asked[] = [];
  let answers: Answer[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      // An incomplete request is not counted.
      const body = await text(request).catch(() => null);
      if (body === null) return;
      const closed = new Promise<void>((resolve) => {
        response.on("close", () => {
          if (!response.writableFinished) resolve();
        });
      });
      asked.push({ url: request.url ?? "", headers: request.headers, body: JSON.parse(body), closed });
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      await answer?.(response);
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer(...given) {
      asked.length = 0;
      answers = [...given];
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export const STREAM = { "content-type": "text/event-stream" };

/** A complete stream, written in chunks that end at the given bytes. */
export function say(frames: readonly string[], cuts: readonly number[] = []): Answer {
  return async (response) => {
    const bytes = Buffer.from(frames.join(""));
    response.writeHead(200, STREAM);
    let from = 0;
    for (const cut of [...cuts].sort((a, b) => a - b)) {
      const to = cut % (bytes.length + 1);
      if (to <= from) continue;
      response.write(bytes.subarray(from, to));
      from = to;
      await new Promise(setImmediate);
    }
    response.end(bytes.subarray(from));
  };
}

/** The beginning of a stream, then nothing. */
export function hang(frames: readonly string[] | null): Answer {
  return (response) => {
    if (frames === null) return;
    response.writeHead(200, STREAM);
    response.write(frames.join(""));
  };
}

/**
 * The beginning of a stream, then the connection is closed. `isRead`: only when the client has read so much; what a stream
 * has received but not yet passed on is lost when its connection breaks.
 */
export function cut(frames: readonly string[], isRead: Promise<void> = Promise.resolve()): Answer {
  return (response) => {
    response.writeHead(200, STREAM);
    response.write(frames.join(""), () => void isRead.then(() => setImmediate(() => response.destroy())));
  };
}

export function failWith(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}
