import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { AccessRule, Authentication } from "../../auth/index.ts";
import type { Settings } from "../../config/index.ts";
import { ANON_PRINCIPAL } from "../../db/index.ts";
import { AppError, type HelpLinks } from "../../errors/index.ts";
import type { Limits } from "../../limits/index.ts";
import type { Observer, TraceSource } from "../../observe/index.ts";
import type { AccessLog } from "../response/access-log.ts";
import { Compressor } from "../response/compressor.ts";
import type { ResponseHeadersOf } from "../response/response-headers.ts";
import { RouteTable } from "../routes/route-table.ts";
import { readBody } from "../request/read-body.ts";
import { type AuthGuard, readCredentials } from "../request/authentication.ts";
import { type Fallback, sendAnswer } from "../routes/console-routes.ts";
import { buildPreflightHeaders, CORS_HEADERS } from "../request/cors.ts";
import { buildRateLimitStages, countUnknownPath, renderRateLimitState } from "../request/rate-limits.ts";
import { methodNotAllowedError, notFoundError, toHttpError } from "../response/http-errors.ts";
import { rejectRequest } from "../response/raw-response.ts";
import { type ErrorForms, renderRouteError } from "../response/render-route-error.ts";
import { RouteReply } from "../route-reply.ts";
import { type ErrorForm, RouteRequest } from "../route-request.ts";
import { requestIdOf } from "../request/request-id.ts";
import { buildSignatureStage, type SignatureCheck } from "../request/request-signature.ts";
import type { Route } from "../route.ts";
import type { RequestTimeouts } from "./body-deadlines.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import type { Connections } from "./connections.ts";
import type { ConnectionSource } from "./handover/connection-source.ts";
import type { TlsMaterial } from "./tls/tls-material.ts";

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

export interface HttpServerOptions {
  settings: Pick<
    Settings,
    "host" | "port" | "bodyLimitBytes" | "handshakeTimeoutMs" | "stopTimeoutMs" | "http2Enabled" | "compressionEnabled"
  > &
    RequestTimeouts &
    ConnectionSettings;
  /** Null in proxy mode. */
  tls: TlsMaterial | null;
  /** Where connections come from; null or absent: the server listens itself. */
  source?: ConnectionSource | null;
  routes: readonly Route[];
  /** Without a guard, only public routes can be served. */
  guard?: AuthGuard;
  /** Without limits, nothing is counted. */
  limits?: Limits;
  /** Without it, signatures are ignored. */
  checkSignature?: SignatureCheck;
  /** Serves a page for a path without a route. Without it, the response is a 404. */
  fallback?: Fallback;
  /** Takes over upgraded connections. Without it, upgrades are rejected. */
  onUpgrade?: UpgradeListener;
  /** Where a program reads how it gets a token for a resource. Without it, challenges do not say it. */
  resourceMetadataOf?: (resource: string) => string;
  /** Without them, errors name no page that explains them. */
  helpLinks?: HelpLinks;
  observer: Observer;
  /** Null or absent: requests have no spans. */
  traceSource?: TraceSource | null;
}

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface RoutePorts {
  readonly connections: Connections;
  readonly accessLog: AccessLog;
  readonly responseHeadersOf: ResponseHeadersOf;
  readonly forms: ErrorForms;
}

const UNAUTHENTICATED: Authentication = { principal: ANON_PRINCIPAL, hasAuthorization: false };
/** The guard of these routes reads the session. */
const CHECKS_SESSION: ReadonlySet<Route["access"]> = new Set(["bearer-alone", "account", "user"]);

/** A route with its stages from the authentication to the handler. */
interface ServedRoute extends Pick<Route, "method" | "path" | "isHeadRejected" | "isPage"> {
  readonly errorForm: ErrorForm | undefined;
  /** Null means that no token of a program is accepted. */
  readonly resource: string | null;
  /** Returns what is left to send. */
  run(request: RouteRequest, reply: RouteReply): Promise<unknown>;
}

/** Passes each request through its stages, in the order of the code. */
export function serveRoutes(options: HttpServerOptions, ports: RoutePorts): RequestListener {
  const { settings, routes, limits, fallback } = options;
  const { connections, responseHeadersOf } = ports;
  const table = new RouteTable(routes.map((route) => prepareRoute(route, options, ports.accessLog)));
  const compressor = settings.compressionEnabled ? new Compressor() : null;
  const isEnding = (): boolean => connections.isEnding;

  const serve = async (request: RouteRequest, reply: RouteReply): Promise<void> => {
    try {
      const { method, path, headers } = request;
      const found = table.find(method, path);
      const isPage = (found ?? table.find("GET", path))?.row.isPage === true;
      if (isPage) reply.drop(Object.keys(CORS_HEADERS));
      if (
        method === "OPTIONS" &&
        !isPage &&
        (headers["access-control-request-method"] !== undefined || found === null)
      ) {
        reply.code(204).headers(buildPreflightHeaders(headers)).send();
      } else if (found !== null) {
        request.errorForm = found.row.errorForm;
        request.resource = found.row.resource;
        request.params = found.params;
        const rest = await found.row.run(request, reply);
        if (!reply.isTaken) reply.send(rest);
      } else {
        const page = fallback?.(request) ?? null;
        if (page !== null) return void sendAnswer(reply, page);
        if (limits !== undefined) await countUnknownPath(limits, request, reply);
        // The body is not read: its type and size do not matter for a 404 or 405.
        const allowed = table.allowedMethods(path);
        throw allowed.length > 0 ? methodNotAllowedError(allowed) : notFoundError(path);
      }
    } catch (error) {
      sendError(error, reply, ports);
    }
  };
  const giveUp = (error: unknown, { raw, request }: RouteReply): void => {
    ports.accessLog.fail(raw, toHttpError(error, request));
    raw.destroy();
  };

  return (raw, response) => {
    const request = new RouteRequest(raw, requestIdOf(raw), settings);
    const reply = new RouteReply(request, response, { headers: responseHeadersOf(raw), compressor, isEnding });
    serve(request, reply).catch((error: unknown) => giveUp(error, reply));
  };
}

function sendError(error: unknown, reply: RouteReply, { accessLog, forms }: RoutePorts): void {
  const { request, raw } = reply;
  const known = toHttpError(error, request);
  accessLog.fail(raw, known);
  if (reply.isTaken || raw.headersSent || raw.destroyed) {
    // A partial response cannot be withdrawn; the client notices the broken connection.
    if (!raw.writableEnded) raw.destroy();
  } else if (known.code === "PAYLOAD_TOO_LARGE") {
    reply.hijack();
    rejectRequest(
      request.raw,
      raw,
      renderRouteError(withRateLimitState(known, request), request, forms),
      () => reply.first,
    );
  } else {
    const { status, headers, body } = renderRouteError(known, request, forms);
    reply.code(status).headers(reply.first).headers(headers).send(body);
  }
}

/** This response has only the headers of its error. */
function withRateLimitState(error: AppError, { rateLimitState }: RouteRequest): AppError {
  if (rateLimitState === null) return error;
  const headers = { ...error.extra.headers, ...renderRateLimitState(rateLimitState) };
  return new AppError(error.code, error.message, { ...error.extra, headers });
}

function prepareRoute(route: Route, options: HttpServerOptions, accessLog: AccessLog): ServedRoute {
  const { guard, limits, checkSignature, settings } = options;
  const { method, path, isHeadRejected = false, isPage = false, isForFirstSecret = false } = route;
  const rule = ruleOf(route, guard);
  const rateLimits = limits === undefined ? null : buildRateLimitStages(limits, route);
  const isRequirementUnknown = rule.access === "apikey" && !rule.isBearerIgnored;
  const checkSignatures =
    checkSignature === undefined
      ? null
      : buildSignatureStage(checkSignature, { isRequirementUnknown, isForFirstSecret });
  const unidentified = { route: path };

  const authenticate = async (request: RouteRequest, reply: RouteReply): Promise<void> => {
    try {
      request.authentication = (await guard?.(rule, readCredentials(request))) ?? UNAUTHENTICATED;
    } catch (error) {
      throw rateLimits === null ? error : await rateLimits.countRejected(request, reply, error);
    }
    const { principal } = request.authentication;
    if (principal.role !== "authenticated") return;
    const { userId, client } = principal;
    accessLog.identify(reply.raw, { route: path, userId, ...(client !== undefined && { clientId: client.id }) });
  };

  const runStages = async (request: RouteRequest, reply: RouteReply): Promise<unknown> => {
    accessLog.identify(reply.raw, unidentified);
    // Before the body is read, so that nothing is parsed for an unauthenticated request.
    await authenticate(request, reply);
    await rateLimits?.countAuthenticated(request, reply);
    await readBody(request, route, settings.bodyLimitBytes);
    await rateLimits?.countSubjects?.(request, reply);
    await checkSignatures?.(request, reply);
    return route.handler(request, reply);
  };

  const run = async (request: RouteRequest, reply: RouteReply): Promise<unknown> => {
    try {
      return await runStages(request, reply);
    } catch (error) {
      await rateLimits?.countFailed?.(request, reply, toHttpError(error, request).status);
      throw error;
    }
  };
  const isForPrograms = !["public", "service"].includes(rule.access) && (rule.keyScope ?? null) !== null;
  const resource = isForPrograms && !rule.isBearerIgnored ? (rule.resource ?? "") : null;
  return { method, path, isHeadRejected, isPage, errorForm: route.renderError, resource, run };
}

function ruleOf(route: Route, guard: AuthGuard | undefined): AccessRule & { isBearerIgnored: boolean } {
  const { method, path, access, limit, aal1, keyScope, resource } = route;
  const { isBearerIgnored = false, needsUser = false, needsProof = false, isOfPortal = false } = route;
  // Routes can also come from code that was not type-checked; none may be public by omission.
  if (access === undefined || limit === undefined) throw new Error(`Route ${method} ${path} lacks access or limit`);
  if (needsProof && !CHECKS_SESSION.has(access)) throw new Error(`Route ${method} ${path} cannot check a proof`);
  if (guard === undefined && access !== "public") throw new Error(`Route ${method} ${path} needs a guard`);
  return {
    access,
    isBearerIgnored,
    needsUser,
    needsProof,
    isOfPortal,
    ...(aal1 !== undefined && { aal1 }),
    ...(keyScope !== undefined && { keyScope }),
    ...(resource !== undefined && { resource }),
  };
}
