import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import {
  createAddressPolicy,
  openOutbound,
  type Outbound,
  type OutboundRequest,
  type Resolver,
} from "@swarmbase/guarded-fetch";
import { createTestAuthority } from "./certificates.ts";

export const authority = createTestAuthority("outbound tests");
/** The names in the certificate of the receivers. */
export const credential = authority.issue(["localhost", "127.0.0.1", "hooks.example.com", "*.example.com"]);
export const loopbackPolicy = createAddressPolicy({ allowedCidrs: ["127.0.0.0/8", "::1/128"] });

export interface Receiver {
  readonly port: number;
  /** Accepted connections in total. */
  readonly accepted: number;
  /** Open connections. */
  readonly open: number;
}

/** Accepts connections on loopback until the test ends, and counts them. */
async function listen(t: Pick<TestContext, "after">, server: ReturnType<typeof createServer>): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on("connection", (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    get accepted() {
      return accepted;
    },
    get open() {
      return sockets.size;
    },
  };
}

export type Answerer = (request: IncomingMessage & { body: Buffer }, response: ServerResponse) => void;

/** An HTTPS server that reads the whole request before it answers. */
export function startReceiver(
  t: Pick<TestContext, "after">,
  answer: Answerer = (_request, response) => response.end("ok"),
  keys = credential,
): Promise<Receiver> {
  const server = createHttpsServer({ ...keys, keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => {});
    response.on("error", () => {});
    request.on("end", () => answer(Object.assign(request, { body: Buffer.concat(chunks) }), response));
  });
  server.on("tlsClientError", () => {});
  return listen(t, server);
}

/** A TLS server that does not even read. */
export function startTlsReceiver(
  t: Pick<TestContext, "after">,
  onConnection: (socket: TLSSocket) => void,
): Promise<Receiver> {
  const server = createTlsServer(credential, (socket) => {
    socket.on("error", () => {});
    onConnection(socket);
  });
  server.on("tlsClientError", () => {});
  return listen(t, server);
}

/** A TLS server that passes each complete request and its socket to a function that writes the raw response. */
export function startRawReceiver(
  t: Pick<TestContext, "after">,
  onRequest: (socket: TLSSocket, request: string) => void,
): Promise<Receiver> {
  return startTlsReceiver(t, (socket) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (text.length < end + 4 + length) return;
      const request = text;
      text = "";
      onRequest(socket, request);
    });
  });
}

/** A TCP server without TLS. */
export function startPlainReceiver(
  t: Pick<TestContext, "after">,
  onConnection: (socket: Socket) => void,
): Promise<Receiver> {
  return listen(t, createServer({ allowHalfOpen: true }, onConnection));
}

export interface OutboundForTest {
  readonly outbound: Outbound;
  post(url: string, request?: Partial<OutboundRequest>): ReturnType<Outbound["post"]>;
}

/** Closed when the test ends. */
export function openForTest(
  t: Pick<TestContext, "after">,
  options: Partial<Parameters<typeof openOutbound>[0]> = {},
): OutboundForTest {
  const outbound = openOutbound({
    policy: loopbackPolicy,
    ca: [authority.cert],
    connectionsPerOrigin: 8,
    maxOrigins: 100,
    resolve: resolveTo("127.0.0.1"),
    ...options,
  });
  t.after(() => outbound.close());
  return {
    outbound,
    post: (url, request = {}) =>
      outbound.post({
        url,
        headers: { "content-type": "application/json" },
        body: "{}",
        timeoutMs: 60_000,
        ...request,
      }),
  };
}

/** The same addresses for every name. */
export function resolveTo(...addresses: string[]): Resolver {
  return async () => ({
    addresses: addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    ttlSeconds: 60,
  });
}
