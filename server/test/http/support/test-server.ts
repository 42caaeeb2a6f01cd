import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import tls from "node:tls";
import {
  createHttpServer,
  type AuthGuard,
  type HttpServer,
  type HttpServerOptions,
  healthRoutes,
  loadTlsMaterial,
  type Obstacle,
  type Route,
  type TlsMaterial,
  type UpgradeListener,
} from "../../../src/http/index.ts";
import type { Limits } from "../../../src/limits/index.ts";
import type { Observer } from "../../../src/observe/index.ts";
import { systemClock } from "../../../src/time/index.ts";

interface Note {
  name: string;
  fields: Record<string, unknown>;
}

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
  json: Record<string, unknown>;
}

export interface TestServer {
  server: HttpServer;
  port: number;
  ca: string;
  notes: Note[];
  request(path: string, options?: https.RequestOptions & { body?: string | Buffer }): Promise<Answer>;
  /** A TLS connection, after the handshake. */
  connect(): Promise<tls.TLSSocket>;
  connectPlain(): Promise<net.Socket>;
}

let material: Promise<{ tls: TlsMaterial; ca: string }> | null = null;

/** One certificate for all tests of a file. */
async function makeMaterial(): Promise<{ tls: TlsMaterial; ca: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), "swarmbase-http-"));
  const made = await loadTlsMaterial({ dataDir, certFile: null, keyFile: null, clock: systemClock });
  const ca = await readFile(made.caFile ?? "", "utf8");
  await rm(dataDir, { recursive: true });
  return { tls: made, ca };
}

export async function startServer(
  context: TestContext,
  options: {
    routes?: Route[];
    settings?: Partial<HttpServerOptions["settings"]>;
    /** The certificate counts as one of the operator. */
    isOperatorCertificate?: boolean;
    findObstacle?: () => Promise<Obstacle | null>;
    guard?: AuthGuard;
    limits?: Limits;
    checkSignature?: HttpServerOptions["checkSignature"];
    onUpgrade?: UpgradeListener;
    fallback?: HttpServerOptions["fallback"];
    source?: HttpServerOptions["source"];
  } = {},
): Promise<TestServer> {
  material ??= makeMaterial();
  const { tls: tlsMaterial, ca } = await material;
  const notes: Note[] = [];
  const observer: Observer = {
    note: (name, fields = {}) => void notes.push({ name, fields }),
    child: () => observer,
  };
  const settings: HttpServerOptions["settings"] = {
    host: "127.0.0.1",
    port: 0,
    tlsMode: "serve",
    trustedProxies: [],
    bodyLimitBytes: 64 * 1024,
    handshakeTimeoutMs: 60_000,
    headersTimeoutMs: 60_000,
    requestTimeoutMs: 60_000,
    connectionsPerNode: 0,
    connectionsPerAddress: 0,
    stopTimeoutMs: 2_000,
    http2Enabled: true,
    compressionEnabled: true,
    ...options.settings,
  };
  const isProxied = settings.tlsMode === "proxy";
  const server = createHttpServer({
    settings,
    tls: isProxied ? null : options.isOperatorCertificate === true ? { ...tlsMaterial, caFile: null } : tlsMaterial,
    routes: [
      ...healthRoutes({
        version: "1.2.3",
        findObstacle: options.findObstacle ?? (async () => null),
        isHeldCopy: () => false,
        isLimitStoreAway: () => options.limits?.isStoreAway() ?? false,
      }),
      ...(options.routes ?? []),
    ],
    ...(options.guard === undefined ? {} : { guard: options.guard }),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.checkSignature === undefined ? {} : { checkSignature: options.checkSignature }),
    ...(options.source === undefined ? {} : { source: options.source }),
    ...(options.fallback === undefined ? {} : { fallback: options.fallback }),
    ...(options.onUpgrade === undefined ? {} : { onUpgrade: options.onUpgrade }),
    observer,
  });
  const { port } = await server.listen();
  context.after(() => server.close());

  return {
    server,
    port,
    ca,
    notes,
    request: (path, { body, ...rest } = {}) =>
      new Promise((resolve, reject) => {
        const target = { host: "127.0.0.1", port, path, ca, agent: false, ...rest };
        const request = isProxied ? http.request(target) : https.request(target);
        request.on("error", reject);
        request.on("response", (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const bytes = Buffer.concat(chunks);
            const text = bytes.toString();
            const { statusCode = 0, headers } = response;
            resolve({ status: statusCode, headers, bytes, text, json: parseObject(text) });
          });
        });
        request.end(body);
      }),
    async connect() {
      const socket = tls.connect({ host: "127.0.0.1", port, ca });
      await once(socket, "secureConnect");
      return socket;
    },
    async connectPlain() {
      const socket = net.connect({ host: "127.0.0.1", port });
      await once(socket, "connect");
      return socket;
    },
  };
}

/** Reads until the other side closes or resets the connection. */
export function readToEnd(socket: net.Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("end", () => socket.end());
    socket.on("close", () => resolve(text));
  });
}

/** Sends raw bytes and reads until the connection is closed. */
export async function exchange(socket: net.Socket, bytes: string | Buffer): Promise<string> {
  const answer = readToEnd(socket);
  socket.write(bytes);
  return answer;
}

export function bodyOf(rawAnswer: string): Record<string, unknown> {
  return parseObject(rawAnswer.slice(rawAnswer.indexOf("\r\n\r\n") + 4));
}

export function route(path: string, handler: Route["handler"], method: Route["method"] = "GET"): Route {
  return { method, path, access: "public", limit: null, handler };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
