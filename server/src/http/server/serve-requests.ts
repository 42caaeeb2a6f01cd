import type http from "node:http";
import type { Socket } from "node:net";
import { AppError } from "../../errors/index.ts";
import { requestIdOf } from "../request/request-id.ts";
import { isAuthPath } from "../response/auth-members.ts";
import { notFoundError } from "../response/http-errors.ts";
import { rejectRequest, renderRawResponse, respondAndDrain } from "../response/raw-response.ts";
import type { RawErrorRenderer } from "../response/render-route-error.ts";
import type { BodyDeadlines } from "./body-deadlines.ts";
import type { AppParts, HttpServerOptions, RequestListener } from "./serve-routes.ts";
import { buildTransportCheck } from "./transport-check.ts";
import { buildClientErrorListener } from "./client-errors.ts";
import type { ConnectionLimits } from "./connection-limits.ts";
import type { Http2Port } from "./http2/create-http2-server.ts";
import { traceRequests } from "./trace-requests.ts";

interface ServerParts extends AppParts {
  readonly server: http.Server;
  readonly http2: Http2Port | null;
  readonly limits: ConnectionLimits;
  readonly bodies: BodyDeadlines;
  readonly renderRaw: RawErrorRenderer;
}

/** Passes the requests that are admitted to the app. */
export function serveRequests(
  options: HttpServerOptions,
  { server, http2, connections, limits, bodies, accessLog, responseHeadersOf, renderRaw }: ServerParts,
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
  { server, connections, limits, renderRaw }: ServerParts,
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
