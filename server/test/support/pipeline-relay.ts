import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createSecureContext, TLSSocket } from "node:tls";
import type { Cleanup } from "./database.ts";

export interface Relay {
  /** Of the database behind the relay, seen through it. */
  readonly config: { readonly host: string; readonly port: number };
  /** Connections that were made so far, requests to cancel included. */
  count(): number;
  cancelCount(): number;
  /** What happens to bytes on their way to the server; what it returns goes on, null ends both sides. */
  onRequest(meddle: ((bytes: Buffer) => Buffer | null) | null): void;
  onAnswer(meddle: ((bytes: Buffer) => Buffer | null) | null): void;
  /** From now on nobody new gets in. */
  refuse(): void;
}

export interface RelayOptions {
  readonly target: string;
  readonly tls?: { readonly cert: string; readonly key: string };
}

const SSL_REQUEST = 80877103;
const CANCEL_REQUEST = 80877102;

/** Stands between driver and server, so that a test can cut, change or encrypt what passes. */
export async function openRelay(t: Cleanup, { target, tls }: RelayOptions): Promise<Relay> {
  let opened = 0;
  let cancelled = 0;
  let isOpen = true;
  let meddleRequest: ((bytes: Buffer) => Buffer | null) | null = null;
  let meddleAnswer: ((bytes: Buffer) => Buffer | null) | null = null;
  const sockets = new Set<Duplex>();

  const join = (client: Duplex, first: Buffer): void => {
    const server = connect(socketOf(target));
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    client.on("close", end);
    server.on("close", end);
    const pass = (to: Duplex, bytes: Buffer, meddle: ((bytes: Buffer) => Buffer | null) | null): void => {
      const passed = meddle === null ? bytes : meddle(bytes);
      if (passed === null) end();
      else to.write(passed);
    };
    if (first.length === 16 && first.readInt32BE(4) === CANCEL_REQUEST) cancelled += 1;
    server.write(first);
    client.on("data", (bytes: Buffer) => pass(server, bytes, meddleRequest));
    server.on("data", (bytes: Buffer) => pass(client, bytes, meddleAnswer));
  };

  const server = createServer((socket: Socket) => {
    opened += 1;
    socket.on("error", () => {});
    if (!isOpen) return void socket.destroy();
    socket.once("data", (first: Buffer) => {
      if (tls === undefined || first.readInt32BE(4) !== SSL_REQUEST) return join(socket, first);
      socket.write("S");
      const secure = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(tls) });
      secure.on("error", () => {});
      secure.once("data", (bytes: Buffer) => join(secure, bytes));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return {
    config: { host: "127.0.0.1", port: (server.address() as AddressInfo).port },
    count: () => opened,
    cancelCount: () => cancelled,
    onRequest: (meddle) => {
      meddleRequest = meddle;
    },
    onAnswer: (meddle) => {
      meddleAnswer = meddle;
    },
    refuse: () => {
      isOpen = false;
    },
  };
}

function socketOf(url: string): { path: string } | { host: string; port: number } {
  const parsed = new URL(url);
  const port = Number(parsed.port || parsed.searchParams.get("port") || 5432);
  const host = parsed.searchParams.get("host") ?? parsed.hostname;
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
}
