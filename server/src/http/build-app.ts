import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import type { Caller } from "../auth/index.ts";
import { renderError } from "../errors/index.ts";
import type { AccessLog } from "./access-log.ts";
import { buildAllowedMethods } from "./allowed-methods.ts";
import { addBodyParsers } from "./body-parsers.ts";
import { addCallers, type Gate, readCredentials } from "./caller.ts";
import { buildPreflightHeaders, CORS_HEADERS } from "./cors.ts";
import { methodNotAllowedError, notFoundError, toHttpError } from "./http-faults.ts";
import { refuseRequest } from "./raw-answer.ts";
import { requestIdOf } from "./request-id.ts";
import type { Route } from "./route.ts";

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

export interface AppOptions {
  server: Server;
  routes: readonly Route[];
  bodyLimitBytes: number;
  isBehindProxy: boolean;
  isClosing(): boolean;
  accessLog: AccessLog;
  gate: Gate | null;
}

const PARAMETER_LENGTH = 2_048;
const NOBODY: Caller = { principal: { kind: "anon" }, hasAuthorization: false };

/** Fastify with our hooks in order and the route table; requests are given to it through `listener`. */
export function buildApp(options: AppOptions): { app: FastifyInstance; listener: RequestListener } {
  const { server, routes, isClosing, accessLog } = options;
  let listener: RequestListener | null = null;
  const app = fastify({
    serverFactory: (handler) => {
      listener = handler;
      return server;
    },
    // Client errors are answered where the sockets are known.
    clientErrorHandler: () => {},
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
    bodyLimit: options.bodyLimitBytes,
    genReqId: requestIdOf,
    requestIdHeader: false,
    // The header then holds the one address that was found to be the client's.
    trustProxy: options.isBehindProxy ? (_address, hop) => hop === 0 : false,
    routerOptions: { maxParamLength: PARAMETER_LENGTH },
  });
  if (listener === null) throw new Error("Fastify did not ask for its server");

  const answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const known = toHttpError(error, request);
    accessLog.fail(reply.raw, known);
    if (reply.raw.headersSent || reply.raw.destroyed) {
      // Half an answer cannot be taken back; the client learns of it by the broken connection.
      reply.hijack();
      reply.raw.destroy();
      return reply;
    }
    if (known.code === "PAYLOAD_TOO_LARGE") {
      reply.hijack();
      refuseRequest(request.raw, reply.raw, known);
      return reply;
    }
    const { status, headers, body } = renderError(known);
    return reply
      .code(status)
      .headers({ ...CORS_HEADERS, "x-request-id": request.id, ...headers })
      .send(body);
  };

  const allowedMethods = buildAllowedMethods(routes);
  app.addHook("onRequest", (request, reply, done) => {
    void reply.headers(CORS_HEADERS).header("x-request-id", request.id);
    if (request.method === "OPTIONS") {
      void reply.code(204).headers(buildPreflightHeaders(request.headers)).send();
    } else if (request.is404) {
      // Before the body is read: its type and size do not matter where nothing is.
      const [path = ""] = request.url.split("?", 1);
      const allowed = allowedMethods(path);
      done(allowed.length > 0 ? methodNotAllowedError(allowed) : notFoundError(path));
    } else {
      done();
    }
  });
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (isClosing()) void reply.header("connection", "close");
    done();
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request) => {
    throw notFoundError(request.url);
  });
  addCallers(app);
  addBodyParsers(app);
  addRoutes(app, options);
  return { app, listener };
}

function addRoutes(app: FastifyInstance, { routes, accessLog, gate }: AppOptions): void {
  // A HEAD route of its own must be there before the one that is made from the GET route.
  const headFirst = [...routes].sort((left, right) => Number(right.method === "HEAD") - Number(left.method === "HEAD"));
  for (const { method, path, access, limit, isBearerIgnored = false, isHeadRefused = false, handler } of headFirst) {
    // Rows can also come from code that no compiler has seen; none may be open by omission.
    if (access === undefined || limit === undefined) throw new Error(`Route ${method} ${path} lacks access or limit`);
    if (gate === null && access !== "public") throw new Error(`Route ${method} ${path} needs a gate`);
    app.route({
      method,
      url: path,
      exposeHeadRoute: !isHeadRefused,
      // Before the body is read: who may not come in gets nothing parsed.
      async onRequest(request) {
        request.caller = (await gate?.({ access, isBearerIgnored }, readCredentials(request))) ?? NOBODY;
      },
      async handler(request, reply) {
        try {
          return await handler(request, reply);
        } catch (error) {
          if (!reply.sent) throw error;
          // Fastify passes over what is thrown after an answer; the log must not, nor may half an answer stay open.
          accessLog.fail(reply.raw, toHttpError(error, request));
          if (reply.raw.headersSent && !reply.raw.writableEnded) reply.raw.destroy();
          return reply;
        }
      },
    });
  }
}
