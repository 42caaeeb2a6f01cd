import type { FastifyReply, FastifyRequest } from "fastify";
import {
  type AuthResponse,
  type AuthCall,
  type AuthEndpoint,
  type AuthContext,
  findSessionSubject,
  findEmailSubject,
} from "../../auth/index.ts";
import { authenticationOf, principalOf } from "../request/authentication.ts";
import { firstValues } from "../request/header-values.ts";
import { toPlainAddress } from "../request/proxy-trust.ts";
import type { Route } from "./route.ts";

const PREFIX = "/auth/v1";

/** The auth endpoints as routes. */
export function authRoutes(endpoints: readonly AuthEndpoint[], context: AuthContext): Route[] {
  return endpoints.map((endpoint) => ({
    ...buildCounting(endpoint),
    method: endpoint.method,
    path: `${PREFIX}${endpoint.path}`,
    access: endpoint.access,
    ...(endpoint.keyScope !== undefined && { keyScope: endpoint.keyScope }),
    ...(endpoint.needsUser !== undefined && { needsUser: endpoint.needsUser }),
    limit: endpoint.limit,
    isBearerIgnored: endpoint.access === "apikey",
    // These calls raise the level of a session or end it; the others check the level themselves.
    isAal1Accepted: true,
    // Some GET endpoints use a token up or send a mail, and link scanners send HEAD requests.
    isHeadRejected: true,
    handler: async (request, reply) => {
      // Set first, so that errors have it too. A cacheable response overrides it.
      void reply.header("cache-control", "no-store");
      return sendAnswer(reply, await endpoint.run(context, buildCall(request)));
    },
  }));
}

function buildCounting({ limit, limitOf }: AuthEndpoint): Pick<Route, "limitOf" | "subjects"> {
  if (limit !== "auth") return {};
  return {
    subjects: { email: findEmailSubject, session: findSessionSubject },
    ...(limitOf !== undefined && {
      limitOf: (request: FastifyRequest) => limitOf(firstValues(request.query as Record<string, unknown>)),
    }),
  };
}

function buildCall(request: FastifyRequest): AuthCall {
  const { headers } = request;
  return {
    query: firstValues(request.query as Record<string, unknown>),
    params: request.params as Record<string, string>,
    body: request.body ?? {},
    headers: firstValues(headers),
    address: toPlainAddress(request.ip),
    userAgent: headers["user-agent"] ?? null,
    principal: principalOf(request),
    user: authenticationOf(request).user,
  };
}

function sendAnswer(reply: FastifyReply, { status, body, headers = {} }: AuthResponse): FastifyReply {
  void reply.code(status).headers(headers);
  if (body === undefined) return reply.send();
  return reply.type("application/json; charset=utf-8").send(JSON.stringify(body));
}
