import http from "node:http";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { addressKey } from "../../limits/index.ts";
import { toPlainAddress } from "../request/proxy-trust.ts";
import { createAccessLog } from "../response/access-log.ts";
import { rejectRequest } from "../response/raw-response.ts";
import { buildRawErrorRenderer, type ErrorForms } from "../response/render-route-error.ts";
import { buildResponseHeaders } from "../response/response-headers.ts";
import { buildUnknownPathForm } from "../routes/unknown-path-form.ts";
import { BodyDeadlines, checkIntervalMs } from "./body-deadlines.ts";
import { type HttpServerOptions, serveRoutes } from "./serve-routes.ts";
import { describeClientError, requestTimeoutError } from "./client-errors.ts";
import { ConnectionLimits } from "./connection-limits.ts";
import { Connections } from "./connections.ts";
import type { ConnectionSource } from "./handover/connection-source.ts";
import { HandshakeTurns } from "./handshake-turns.ts";
import { createHttp2Server, type Http2Port } from "./http2/create-http2-server.ts";
import { listenOn } from "../../processes/index.ts";
import { splitByFirstByte } from "./plain-http.ts";
import { serveRequests, serveUpgrades } from "./serve-requests.ts";
import { MIN_TLS_VERSION, NameContext } from "./tls/name-context.ts";
import type { TlsMaterial } from "./tls/tls-material.ts";

export interface HttpServer {
  listen(): Promise<{ port: number }>;
  /** Applies to new connections. Does nothing in proxy mode. */
  renewTls(tls: TlsMaterial): void;
  /** Ends connections with their next response, and accepts further ones. Resolves when none is left, or after `stopTimeoutMs`. */
  drain(): Promise<void>;
  /** Waits for requests in progress; closes what is still open when none has ended for `stopTimeoutMs`. */
  close(): Promise<void>;
}

const HEADER_LIMIT_BYTES = 256 * 1024;
// Longer than the 60 seconds after which load balancers drop an idle connection, so that they never reuse one that we
// just closed.
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const PROBE_IDLE_PEER_AFTER_MS = 60_000;

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { settings, observer, source = null } = options;
  const forms: ErrorForms = {
    helpLinks: options.helpLinks,
    resourceMetadataOf: options.resourceMetadataOf,
    unknownPathForm: buildUnknownPathForm(options.routes),
  };
  const renderRaw = buildRawErrorRenderer(forms);
  const limits = new ConnectionLimits(settings, observer, source);
  const connections = new Connections(limits);
  const http2 =
    settings.http2Enabled && settings.tlsMode === "serve"
      ? createHttp2Server(connections, {
          observer,
          timeouts: { firstRequestMs: settings.headersTimeoutMs, idleMs: KEEP_ALIVE_TIMEOUT_MS },
        })
      : null;
  const nameContext = new NameContext();
  if (options.tls !== null) nameContext.renew(options.tls);
  const server = createNodeServer(options, { connections, http2, nameContext });
  const responseHeadersOf = buildResponseHeaders(options.tls);
  const bodies = new BodyDeadlines(settings.requestTimeoutMs, (request, response) => {
    if (request.httpVersionMajor < 2) server.emit("clientError", requestTimeoutError(), request.socket);
    else if (response.headersSent) response.destroy();
    else {
      const error = describeClientError(requestTimeoutError());
      rejectRequest(request, response, renderRaw(error, request), responseHeadersOf);
    }
  });
  const deadlineTimer = setInterval(() => {
    bodies.check();
    http2?.check();
  }, checkIntervalMs(settings));
  deadlineTimer.unref();
  const accessLog = createAccessLog(observer, { isTraced: (options.traceSource ?? null) !== null });
  const ports = { server, http2, connections, limits, bodies, accessLog, responseHeadersOf, forms, renderRaw };
  serveRequests(options, ports, serveRoutes(options, ports));
  serveUpgrades(options, ports);

  // Node.js would cut connections whose response is still being sent; `connections` closes them instead.
  server.closeIdleConnections = () => {};
  const stop = async (): Promise<void> => {
    await endConnections(options, server, connections);
    clearInterval(deadlineTimer);
  };
  let stopping: Promise<void> | null = null;

  return {
    async listen() {
      if (source !== null) {
        takeConnections(server, source, limits);
        return { port: source.port };
      }
      await listenOn(server, settings);
      // From now on, a failure to accept one connection must not end the process.
      server.on("error", (error) => observer.note("http.accept_failed", { error }));
      return { port: (server.address() as AddressInfo).port };
    },
    renewTls(tls) {
      if (!(server instanceof https.Server)) return;
      server.setSecureContext({ cert: tls.cert, key: tls.key, minVersion: MIN_TLS_VERSION });
      nameContext.renew(tls);
    },
    async drain() {
      const ended = new AbortController();
      const late = sleep(settings.stopTimeoutMs, undefined, { signal: ended.signal, ref: false }).catch(() => {});
      await Promise.race([connections.drain(), late]);
      ended.abort();
    },
    close() {
      stopping ??= stop();
      return stopping;
    },
  };
}

async function endConnections(
  { settings, observer }: HttpServerOptions,
  server: http.Server,
  connections: Connections,
): Promise<void> {
  const timer = setTimeout(() => {
    observer.note("http.stop_forced", connections.destroyAll());
  }, settings.stopTimeoutMs);
  // The server does not count connections that another process has accepted.
  await Promise.all([
    new Promise<void>((resolve) => {
      server.close(() => resolve());
    }),
    // On a busy machine requests take long, but they end.
    connections.close(() => void timer.refresh()),
  ]);
  clearTimeout(timer);
}

/** The server of Node.js, with TLS unless a proxy has it. */
function createNodeServer(
  { settings, tls, observer }: HttpServerOptions,
  {
    connections,
    http2,
    nameContext,
  }: { readonly connections: Connections; readonly http2: Http2Port | null; readonly nameContext: NameContext },
): http.Server {
  const { tlsMode, handshakeTimeoutMs } = settings;
  const limits = {
    maxHeaderSize: HEADER_LIMIT_BYTES,
    headersTimeout: settings.headersTimeoutMs,
    // BodyDeadlines limits what follows the headers.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: checkIntervalMs(settings),
    keepAlive: true,
    keepAliveInitialDelay: PROBE_IDLE_PEER_AFTER_MS,
    insecureHTTPParser: false,
    // Node.js would respond to a missing Host without our body and headers.
    requireHostHeader: false,
  };
  if (tlsMode === "proxy") {
    const server = http.createServer(limits);
    server.on("connection", (socket: Socket) => {
      if (connections.accept(socket)) connections.open(socket);
    });
    return server;
  }
  if (tls === null) throw new Error("TLS material is needed unless TLS_MODE is proxy");

  const protocols = [...(http2 === null ? [] : ["h2"]), "http/1.1"];
  const server = https.createServer({
    ...limits,
    cert: tls.cert,
    key: tls.key,
    minVersion: MIN_TLS_VERSION,
    ...(tls.nameCert !== null && { SNICallback: nameContext.find }),
    // As a list, Node.js would copy it for every connection into a shared slab, of which an idle connection then
    // retains all 64 KB.
    ALPNCallback: ({ protocols: offered }) => protocols.find((protocol) => offered.includes(protocol)),
    handshakeTimeout: handshakeTimeoutMs,
  });
  // The TLS server's listener gets only the connections that begin with a TLS handshake.
  const startTls = server.listeners("connection");
  server.removeAllListeners("connection");
  const turns = new HandshakeTurns();
  server.on("connection", (socket: Socket) => {
    if (!connections.accept(socket)) return;
    connections.awaitFirstByte(socket);
    splitByFirstByte(socket, {
      timeoutMs: handshakeTimeoutMs,
      onTls: () =>
        turns.add(addressKey(toPlainAddress(socket.remoteAddress ?? "")), () => {
          if (socket.destroyed) return;
          connections.beginHandshake(socket);
          for (const start of startTls) start.call(server, socket);
        }),
      onPlainHttp: () => observer.note("http.plain_refused", { remoteAddress: socket.remoteAddress }),
      onGarbage: () => observer.note("http.garbage", { remoteAddress: socket.remoteAddress }),
    });
  });
  // The HTTP server's listener gets only the connections on which the client has not chosen HTTP/2.
  const startHttp = server.listeners("secureConnection");
  server.removeAllListeners("secureConnection");
  server.on("secureConnection", (socket) => {
    if (socket.alpnProtocol === "h2") return http2?.accept(socket);
    for (const start of startHttp) start.call(server, socket);
    connections.open(socket);
  });
  return server;
}

/** Serves connections that another process accepts, as if the server had accepted them. */
function takeConnections(server: http.Server, source: ConnectionSource, limits: ConnectionLimits): void {
  // The server begins to enforce its timeouts with this event.
  server.emit("listening");
  const take = (socket: Socket): void => {
    // As Node.js accepts them. A TLS server would not notice that the client has left during the handshake.
    socket.allowHalfOpen = !(server instanceof https.Server);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, PROBE_IDLE_PEER_AFTER_MS);
    server.emit("connection", socket);
  };
  source.open(take, limits);
}
