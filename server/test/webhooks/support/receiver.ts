import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { makeAuthority, makeLeaf } from "../../../src/http/server/tls/certificate.ts";
import type { Cleanup } from "../../support/database.ts";

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Awaited before the response. */
  readonly after?: Promise<unknown>;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** The maximum of concurrent requests by path. */
  readonly peakByPath: ReadonlyMap<string, number>;
  answer: (request: Received) => Reply;
  /** Resolves when that many requests have arrived. */
  waitFor(requests: number): Promise<void>;
}

const DAY_MS = 86_400_000;
const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
/** Issues the certificates of receivers. */
export const RECEIVER_AUTHORITY = makeAuthority(validity);
const leaf = makeLeaf(RECEIVER_AUTHORITY, validity);
export const RECEIVER_CA = RECEIVER_AUTHORITY.cert;

/** An HTTPS endpoint on loopback that keeps the requests it receives. */
export async function startReceiver(t: Cleanup): Promise<Receiver> {
  const received: Received[] = [];
  const peakByPath = new Map<string, number>();
  const underWay = new Map<string, number>();
  const waiters = new Set<() => void>();
  const receiver = {
    url: "",
    received,
    peakByPath,
    answer: (_request: Received): Reply => ({}),
    waitFor: (requests: number) =>
      new Promise<void>((resolve) => {
        const check = (): void => {
          if (received.length < requests) return;
          waiters.delete(check);
          resolve();
        };
        waiters.add(check);
        check();
      }),
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? "";
    const concurrent = (underWay.get(path) ?? 0) + 1;
    underWay.set(path, concurrent);
    peakByPath.set(path, Math.max(concurrent, peakByPath.get(path) ?? 0));
    response.on("close", () => underWay.set(path, (underWay.get(path) ?? 1) - 1));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const entry = { path, headers: request.headers, body: Buffer.concat(chunks).toString(), atMs: performance.now() };
    received.push(entry);
    for (const check of waiters) check();
    const { status = 200, headers = {}, body = "ok", after } = receiver.answer(entry);
    await after;
    response.writeHead(status, headers).end(body);
  };
  const server = createServer({ cert: leaf.cert, key: leaf.key, keepAlive: true }, (request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port was given");
  receiver.url = `https://127.0.0.1:${address.port}`;
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return receiver;
}
