import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { createServer as createTcpServer } from "node:net";
import type { LocalCertificate } from "swarmbase/extension";

export interface Delivered {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface ReceiverAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: Buffer | string;
}

export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

const LOOPBACK = "127.0.0.1";

/** HTTPS on a free loopback port. The path is secret: other requests are not served. */
export async function openReceiver(
  { cert, key }: LocalCertificate,
  path: string,
  onDelivery: (delivered: Delivered, signal: AbortSignal) => Promise<ReceiverAnswer>,
): Promise<Receiver> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== "POST" || request.url !== path) {
      response.writeHead(404).end();
      return;
    }
    const closed = new AbortController();
    response.on("close", () => closed.abort());
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const delivered = { headers: request.headers, body: Buffer.concat(chunks) };
    const { status, headers = {}, body = "" } = await onDelivery(delivered, closed.signal);
    response.writeHead(status, { ...headers }).end(body);
  };
  const server = createServer({ cert, key }, (request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.listen(0, LOOPBACK);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return {
    url: `https://${LOOPBACK}:${address.port}${path}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Whether this is the URL of an earlier receiver that has ended: its port is free. */
export async function isAbandoned(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return hostname === LOOPBACK && port !== "" && (await isFree(Number(port)));
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createTcpServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
