import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import type { Authentication } from "../../auth/index.ts";
import type { Settings } from "../../config/index.ts";
import { ANON_PRINCIPAL } from "../../db/index.ts";
import { AppError, type HelpLinks, type RenderedError } from "../../errors/index.ts";
import type { Limits } from "../../limits/index.ts";
import type { Observer, TraceSource } from "../../observe/index.ts";
import type { AccessLog } from "../response/access-log.ts";
import { Compressor } from "../response/compressor.ts";
import type { ResponseHeadersOf } from "../response/response-headers.ts";
import { buildAllowedMethods } from "../routes/allowed-methods.ts";
import { addBodyParsers, keepBodiesRaw } from "../request/body-parsers.ts";
import { addAuthentication, type AuthGuard, readCredentials } from "../request/authentication.ts";
import { type Fallback, sendAnswer } from "../routes/console-routes.ts";
import { buildPreflightHeaders } from "../request/cors.ts";
import {
  addRateLimitStates,
  buildRateLimitHooks,
  countUnknownPath,
  renderRateLimitState,
} from "../request/rate-limits.ts";
import { methodNotAllowedError, notFoundError, toHttpError } from "../response/http-errors.ts";
import { rejectRequest } from "../response/raw-response.ts";
import { type ErrorForms, renderRouteError } from "../response/render-route-error.ts";
import { requestIdOf } from "../request/request-id.ts";
import { addSignatures, buildSignatureHook, type SignatureCheck } from "../request/request-signature.ts";
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
  /** Without them, errors name no page that explains them. */
  helpLinks?: HelpLinks;
  observer: Observer;
  /** Null or absent: requests have no spans. */
  traceSource?: TraceSource | null;
}

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface AppParts {
  readonly server: Server;
  readonly connections: Connections;
  readonly accessLog: AccessLog;
  readonly responseHeadersOf: ResponseHeadersOf;
  readonly forms: ErrorForms;
}

const PARAMETER_LENGTH = 2_048;
const UNAUTHENTICATED: Authentication = { principal: ANON_PRINCIPAL, hasAuthorization: false };

/** Builds the Fastify app: hooks in order, then the route table. Requests enter through `listener`. */
export function buildApp(
  options: HttpServerOptions,
  parts: AppParts,
): { app: FastifyInstance; listener: RequestListener } {
  const { settings, routes, limits } = options;
  const { server, connections, accessLog, responseHeadersOf } = parts;
  const sendError = buildErrorSender(parts);
  let listener: RequestListener | null = null;
  const app = fastify({
    serverFactory: (handler) => {
      listener = handler;
      return server;
    },
    // Client errors are handled where the sockets are tracked.
    clientErrorHandler: () => {},
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    bodyLimit: settings.bodyLimitBytes,
    genReqId: requestIdOf,
    requestIdHeader: false,
    // The header then contains only the client's validated address.
    trustProxy: settings.tlsMode === "proxy" ? (_address, hop) => hop === 0 : false,
    routerOptions: { maxParamLength: PARAMETER_LENGTH },
  });
  if (listener === null) throw new Error("Fastify did not request its server");

  const allowedMethods = buildAllowedMethods(routes);
  app.addHook("onRequest", (request, reply, done) => {
    void reply.headers(responseHeadersOf(request)).header("x-request-id", request.id);
    const isPreflight = request.headers["access-control-request-method"] !== undefined;
    if (request.method === "OPTIONS" && (isPreflight || request.is404)) {
      void reply.code(204).headers(buildPreflightHeaders(request.headers)).send();
    } else {
      done();
    }
  });
  app.addHook("onRequest", async (request, reply) => {
    if (!request.is404) return;
    const page = options.fallback?.(request) ?? null;
    if (page !== null) return sendAnswer(reply, page);
    if (limits !== undefined) await countUnknownPath(limits, request, reply);
    // Before the body is read: its type and size do not matter for a 404 or 405.
    const [path = ""] = request.url.split("?", 1);
    const allowed = allowedMethods(path);
    throw allowed.length > 0 ? methodNotAllowedError(allowed) : notFoundError(path);
  });
  app.addHook("onSend", ({ raw }, reply, _payload, done) => {
    // HTTP/2 has no such header, which Fastify sets too.
    if (raw.httpVersionMajor === 2) void reply.removeHeader("connection");
    else if (connections.isEnding) void reply.header("connection", "close");
    done();
  });
  app.setErrorHandler(sendError);
  app.setNotFoundHandler((request) => {
    throw notFoundError(request.url);
  });
  app.decorate("compressor", settings.compressionEnabled ? new Compressor() : null);
  addAuthentication(app);
  addRateLimitStates(app);
  addSignatures(app);
  addBodyParsers(app);
  const [raw, parsed] = partition(routes, ({ isBodyRaw = false }) => isBodyRaw);
  addRoutes(app, parsed, options, accessLog);
  void app.register((scope, _options, done) => {
    keepBodiesRaw(scope);
    addRoutes(scope, raw, options, accessLog);
    done();
  });
  return { app, listener };
}

type ErrorSender = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

function buildErrorSender({ accessLog, responseHeadersOf, forms }: AppParts): ErrorSender {
  return (error, request, reply) => {
    const known = toHttpError(error, request);
    accessLog.fail(reply.raw, known);
    if (reply.raw.headersSent || reply.raw.destroyed) {
      // A partial response cannot be withdrawn; the client notices the broken connection.
      reply.hijack();
      reply.raw.destroy();
      return reply;
    }
    const render = (shown: AppError): RenderedError => renderRouteError(shown, request, forms);
    if (known.code === "PAYLOAD_TOO_LARGE") {
      reply.hijack();
      rejectRequest(request.raw, reply.raw, render(withRateLimitState(known, request)), responseHeadersOf);
      return reply;
    }
    const { status, headers, body } = render(known);
    return reply
      .code(status)
      .headers({ ...responseHeadersOf(request), "x-request-id": request.id, ...headers })
      .send(body);
  };
}

function partition<T>(all: readonly T[], belongs: (one: T) => boolean): [yes: T[], no: T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))];
}

/** A response that bypasses Fastify has only the headers of its error. */
function withRateLimitState(error: AppError, { rateLimitState }: FastifyRequest): AppError {
  if (rateLimitState === null) return error;
  const headers = { ...error.extra.headers, ...renderRateLimitState(rateLimitState) };
  return new AppError(error.code, error.message, { ...error.extra, headers });
}

/** The guard of these routes reads the session. */
const CHECKS_SESSION: ReadonlySet<Route["access"]> = new Set(["bearer-alone", "account", "user"]);

function addRoutes(
  app: FastifyInstance,
  routes: readonly Route[],
  { guard, limits, checkSignature }: HttpServerOptions,
  accessLog: AccessLog,
): void {
  // An explicit HEAD route must be registered before the GET route that would expose one.
  const headFirst = [...routes].sort((left, right) => Number(right.method === "HEAD") - Number(left.method === "HEAD"));
  for (const route of headFirst) {
    const { method, path, access, limit, isBearerIgnored = false, isHeadRejected = false, handler } = route;
    const { aal1, needsUser = false, needsProof = false, keyScope, isOfPortal = false } = route;
    const rule = {
      access,
      isBearerIgnored,
      needsUser,
      needsProof,
      isOfPortal,
      ...(aal1 !== undefined && { aal1 }),
      ...(keyScope !== undefined && { keyScope }),
    };
    // Routes can also come from code that was not type-checked; none may be public by omission.
    if (access === undefined || limit === undefined) throw new Error(`Route ${method} ${path} lacks access or limit`);
    if (needsProof && !CHECKS_SESSION.has(access)) throw new Error(`Route ${method} ${path} cannot check a proof`);
    if (guard === undefined && access !== "public") throw new Error(`Route ${method} ${path} needs a guard`);
    const rateLimits = limits === undefined ? null : buildRateLimitHooks(limits, route);
    const { countSubjects = null, countResponse = null } = rateLimits ?? {};
    const { isForFirstSecret = false } = route;
    const isRequirementUnknown = access === "apikey" && !isBearerIgnored;
    app.route({
      method,
      url: path,
      exposeHeadRoute: !isHeadRejected,
      config: { renderError: route.renderError, acceptsAnyBody: route.acceptsAnyBody ?? false },
      // Before the body is read, so that nothing is parsed for an unauthenticated request.
      async onRequest(request, reply) {
        accessLog.identify(reply.raw, { route: path });
        try {
          request.authentication = (await guard?.(rule, readCredentials(request))) ?? UNAUTHENTICATED;
        } catch (error) {
          throw rateLimits === null ? error : await rateLimits.countRejected(request, reply, error);
        }
        const { principal } = request.authentication;
        if (principal.role === "authenticated")
          accessLog.identify(reply.raw, { route: path, userId: principal.userId });
        await rateLimits?.countAuthenticated(request, reply);
      },
      preHandler: [
        ...(countSubjects === null ? [] : [countSubjects]),
        ...(checkSignature === undefined
          ? []
          : [buildSignatureHook(checkSignature, { isRequirementUnknown, isForFirstSecret })]),
      ],
      ...(countResponse !== null && {
        onSend: async (request: FastifyRequest, reply: FastifyReply) => countResponse(request, reply),
      }),
      async handler(request, reply) {
        try {
          return await handler(request, reply);
        } catch (error) {
          if (!reply.sent) throw error;
          // Fastify ignores errors thrown after the response was sent. They must be logged, and a partial response
          // must be closed.
          accessLog.fail(reply.raw, toHttpError(error, request));
          if (reply.raw.headersSent && !reply.raw.writableEnded) reply.raw.destroy();
          return reply;
        }
      },
    });
  }
}
