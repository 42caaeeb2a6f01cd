import type http from "node:http";
import { type IncomingMessage, METHODS } from "node:http";
import type { Socket } from "node:net";
import { AppError } from "../../errors/index.ts";
import { joinValues } from "../request/header-values.ts";
import { PROBE_PATHS } from "../request/probe-paths.ts";
import { buildProxyTrust, isForwardedHttps } from "../request/proxy-trust.ts";
import { requestIdOf } from "../request/request-id.ts";
import { isAuthPath } from "../response/auth-members.ts";
import { notFoundError } from "../response/http-errors.ts";
import { rejectRequest, renderRawResponse, respondAndDrain } from "../response/raw-response.ts";
import type { RawErrorRenderer } from "../response/render-route-error.ts";
import type { BodyDeadlines } from "./body-deadlines.ts";
import { buildClientErrorListener } from "./client-errors.ts";
import type { ConnectionLimits } from "./connection-limits.ts";
import type { Http2Port } from "./http2/create-http2-server.ts";
import { httpsRequiredError } from "./plain-http.ts";
import type { RoutePorts, HttpServerOptions, RequestListener } from "./serve-routes.ts";
import { traceRequests } from "./trace-requests.ts";

const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);

interface ServerPorts extends RoutePorts {
  readonly server: http.Server;
  readonly http2: Http2Port | null;
  readonly limits: ConnectionLimits;
  readonly bodies: BodyDeadlines;
  readonly renderRaw: RawErrorRenderer;
}

/** Passes the requests that are admitted to the app. */
export function serveRequests(
  options: HttpServerOptions,
  { server, http2, connections, limits, bodies, accessLog, responseHeadersOf, renderRaw }: ServerPorts,
  listener: RequestListener,
): void {
  const { settings, traceSource = null } = options;
  const checkTransport = buildTransportCheck(settings);
  const admit: RequestListener = (request, response) => {
    connections.begin(request, response);
    bodies.begin(request, response);
    accessLog.begin(request, response);
    const proceed = (rejection: AppError | null): void => {
      if (rejection === null) listener(request, response);
      else rejectRequest(request, response, renderRaw(rejection, request), responseHeadersOf);
    };
    const admission = checkTransport(request) ?? limits.admitRequest(request, response);
    if (admission instanceof Promise) void admission.then(proceed);
    else proceed(admission);
  };
  const dispatch = traceSource === null ? admit : traceRequests(traceSource, admit);
  for (const source of http2 === null ? [server] : [server, http2.requests]) {
    source.on("request", dispatch);
    source.on("checkExpectation", dispatch);
    source.on("checkContinue", (request: http.IncomingMessage, response: http.ServerResponse) => {
      // A client that sends `Expect: 100-continue` learns that its body is too large before it sends it.
      if (Number(request.headers["content-length"] ?? 0) <= settings.bodyLimitBytes) response.writeContinue();
      dispatch(request, response);
    });
  }
  server.on("clientError", buildClientErrorListener(connections, options, renderRaw));
  server.on("connect", (request: http.IncomingMessage, socket: Socket) =>
    rejectSocket(renderRaw, { request, socket }, noProxyError()),
  );
  http2?.requests.on("connect", (request: http.IncomingMessage, response: http.ServerResponse) =>
    rejectRequest(request, response, renderRaw(noProxyError(), request), responseHeadersOf),
  );
}

/** Passes the upgrades that are admitted to the listener of the options. */
export function serveUpgrades(
  options: HttpServerOptions,
  { server, connections, limits, renderRaw }: ServerPorts,
): void {
  const checkTransport = buildTransportCheck(options.settings);
  server.on("upgrade", (request: http.IncomingMessage, socket: Socket, head: Buffer) => {
    connections.handOver(socket);
    const proceed = (rejection: AppError | null): void => {
      const shown =
        rejection ??
        (options.onUpgrade === undefined || connections.isClosing
          ? new AppError("SERVICE_UNAVAILABLE", "The service accepts no WebSocket connections at the moment")
          : null) ??
        (isAuthPath(request.url) ? notFoundError(request.url ?? "") : null);
      if (shown === null) options.onUpgrade?.(request, socket, head);
      else rejectSocket(renderRaw, { request, socket }, shown);
    };
    const admission = checkTransport(request) ?? limits.admitRequest(request, socket);
    if (!(admission instanceof Promise)) return proceed(admission);
    const ignore = (): void => {};
    socket.on("error", ignore);
    void admission.then((rejection) => {
      socket.off("error", ignore);
      if (!socket.destroyed) proceed(rejection);
    });
  });
}

function rejectSocket(
  render: RawErrorRenderer,
  { request, socket }: { readonly request: http.IncomingMessage; readonly socket: Socket },
  rejection: AppError,
): void {
  respondAndDrain(socket, renderRawResponse(render(rejection, request), requestIdOf(request), { withBody: true }));
}

function noProxyError(): AppError {
  return new AppError("METHOD_NOT_ALLOWED", "This service is not a proxy");
}

type TransportCheck = (request: IncomingMessage) => AppError | null;

/** Checks that precede everything else: HTTPS behind a proxy, the method, and the Host header. */
function buildTransportCheck(settings: {
  tlsMode: "serve" | "proxy";
  trustedProxies: readonly string[];
}): TransportCheck {
  if (settings.tlsMode === "serve") return (request) => findMethodFault(request) ?? findHostFault(request);

  const trust = buildProxyTrust(settings.trustedProxies);
  return (request) => {
    const { headers, socket } = request;
    const peer = socket.remoteAddress;
    const isFromProxy = trust.isTrusted(peer);
    const isHttps = isFromProxy && isForwardedHttps(headers);
    if (!isHttps && !isProbe(request)) return httpsRequiredError();

    // The header keeps one validated address, so that nothing downstream has to check it again.
    headers["x-forwarded-for"] = trust.findClientAddress(peer ?? "", joinValues(headers["x-forwarded-for"]));
    return findHostFault(request);
  };
}

/** The parser of HTTP/1.1 rejects unknown methods itself. */
function findMethodFault({ httpVersionMajor, method = "" }: IncomingMessage): AppError | null {
  if (httpVersionMajor < 2 || KNOWN_METHODS.has(method)) return null;
  return new AppError("BAD_REQUEST", "The method is not known");
}

/** Node.js keeps the first of several Host headers, and a proxy may have used another one. */
function findHostFault({ httpVersion, headers, rawHeaders }: IncomingMessage): AppError | null {
  if (headers.host === undefined)
    return httpVersion === "1.1" ? new AppError("BAD_REQUEST", "The Host header is missing") : null;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === "host") count += 1;
  return count > 1 ? new AppError("BAD_REQUEST", "There is more than one Host header") : null;
}

function isProbe({ method, url }: IncomingMessage): boolean {
  return (method === "GET" || method === "HEAD") && PROBE_PATHS.has((url ?? "").split("?", 1)[0] ?? "");
}
