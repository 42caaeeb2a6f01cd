import { once } from "node:events";
import tls from "node:tls";

export interface HttpTarget {
  readonly host: string;
  readonly port: number;
  readonly ca: string | undefined;
}

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpConnection {
  /** Answers with the status once the whole body has arrived. One request at a time. */
  send(request: Buffer): Promise<number>;
  close(): void;
}

const HEAD_END = "\r\n\r\n";

/**
 * One TLS connection that is kept open. No more of HTTP than a load needs, so that the machine's time goes to the service
 * and not to who asks it: answers must carry a Content-Length.
 */
export async function openConnection({ host, port, ca }: HttpTarget): Promise<HttpConnection> {
  const socket = tls.connect({ host, port, servername: host, ...(ca !== undefined && { ca }) });
  socket.setNoDelay(true);
  await once(socket, "secureConnect");
  let received: Buffer = Buffer.alloc(0);
  let waiting: PromiseWithResolvers<number> | null = null;

  const fail = (error: Error): void => {
    waiting?.reject(error);
    waiting = null;
  };
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("The service closed the connection.")));
  socket.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = received.toString("latin1", 0, headEnd);
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    if (length === undefined) return fail(new Error(`An answer without a length:\n${head}`));
    const end = headEnd + HEAD_END.length + Number(length);
    if (received.length < end) return;
    received = received.subarray(end);
    const answered = waiting;
    waiting = null;
    answered?.resolve(Number(head.slice(9, 12)));
  });

  return {
    send(request) {
      waiting = Promise.withResolvers<number>();
      const { promise } = waiting;
      socket.write(request);
      return promise;
    },
    close: () => socket.destroy(),
  };
}

export function renderRequest({ host, port }: HttpTarget, { method, path, headers, body = "" }: HttpRequest): Buffer {
  const all = { host: `${host}:${port}`, ...headers, "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}
