import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import { GIVEN } from "./given-service.ts";
import { folderOf, type Service } from "./service.ts";

export interface Received {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Drops the connection instead of responding. */
  readonly isCut?: boolean;
  /** Never responds. */
  readonly isSilent?: boolean;
}

/** One URL of the receiver, with its replies and the received requests. */
export interface Endpoint {
  readonly url: string;
  readonly received: readonly Received[];
  /** The next replies, in order; the last one repeats. */
  answer(...replies: readonly Reply[]): void;
  /** Waits for at least this many requests and returns them. */
  waitFor(count: number): Promise<readonly Received[]>;
}

export interface Receiver {
  addEndpoint(...replies: readonly Reply[]): Endpoint;
  stop(): Promise<void>;
}

/**
 * An HTTPS server on this machine with a certificate that the service trusts; by default the one that the service
 * created.
 */
export async function startReceiver(service: Service): Promise<Receiver> {
  const pemFile = service.dataDir === null ? GIVEN?.receiverPemFile : join(folderOf(service), "tls", "localhost.pem");
  const pem = await readFile(pemFile ?? "", "utf8");
  const endpoints = new Map<string, { received: Received[]; replies: Reply[] }>();

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const endpoint = endpoints.get(request.url ?? "");
    if (endpoint === undefined) {
      response.writeHead(404).end();
      return;
    }
    const { method = "", headers } = request;
    endpoint.received.push({ method, headers, body: Buffer.concat(chunks).toString(), atMs: performance.now() });
    const { replies } = endpoint;
    const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? {};
    if (reply.isSilent === true) return;
    if (reply.isCut === true) response.destroy();
    else response.writeHead(reply.status ?? 200, { ...reply.headers }).end(reply.body ?? "ok");
  };
  const server = https.createServer({ key: pem, cert: pem }, (request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  return {
    addEndpoint: (...first) => {
      const path = `/hook/${endpoints.size + 1}`;
      const state = { received: [] as Received[], replies: [...first] };
      endpoints.set(path, state);
      return {
        url: `https://localhost:${port}${path}`,
        received: state.received,
        answer: (...replies) => {
          state.replies = [...replies];
        },
        waitFor: (count) =>
          eventually(
            () => state.received,
            ({ length }) => length >= count,
            `${count} deliveries`,
          ),
      };
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export function firstOf(received: readonly Received[]): Received {
  const [first] = received;
  if (first === undefined) throw new Error("Nothing was received.");
  return first;
}
