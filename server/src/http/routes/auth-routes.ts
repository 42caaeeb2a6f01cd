import type { FastifyReply, FastifyRequest } from "fastify";
import {
  type AuthAnswer,
  type AuthCall,
  type AuthEndpoint,
  type AuthContext,
  findClaimedSession,
  findNamedEmail,
} from "../../auth/index.ts";
import { principalOf } from "../request/authentication.ts";
import { firstOfEach } from "../request/header-values.ts";
import { toPlainAddress } from "../request/proxy-trust.ts";
import type { Route } from "./route.ts";

const PREFIX = "/auth/v1";

/** The table of accounts as rows of the route table. */
export function authRoutes(endpoints: readonly AuthEndpoint[], context: AuthContext): Route[] {
  return endpoints.map((endpoint) => ({
    ...buildCounting(endpoint),
    method: endpoint.method,
    path: `${PREFIX}${endpoint.path}`,
    access: endpoint.access,
    limit: endpoint.limit,
    isBearerIgnored: endpoint.access === "apikey",
    // Some of what is read here is used up by it or sends a mail, and programs that look at links ask with HEAD.
    isHeadRefused: true,
    handler: async (request, reply) => {
      // Set first, so that errors have it too. An answer that may be kept says so itself.
      void reply.header("cache-control", "no-store");
      return sendAnswer(reply, await endpoint.run(context, buildCall(request)));
    },
  }));
}

function buildCounting({ limit, limitOf }: AuthEndpoint): Pick<Route, "limitOf" | "names"> {
  if (limit !== "auth") return {};
  return {
    names: { email: findNamedEmail, session: findClaimedSession },
    ...(limitOf !== undefined && {
      limitOf: (request: FastifyRequest) => limitOf(firstOfEach(request.query as Record<string, unknown>)),
    }),
  };
}

function buildCall(request: FastifyRequest): AuthCall {
  const { headers } = request;
  return {
    query: firstOfEach(request.query as Record<string, unknown>),
    params: request.params as Record<string, string>,
    body: request.body ?? {},
    headers: firstOfEach(headers),
    address: toPlainAddress(request.ip),
    userAgent: headers["user-agent"] ?? null,
    principal: principalOf(request),
  };
}

function sendAnswer(reply: FastifyReply, { status, body, headers = {} }: AuthAnswer): FastifyReply {
  void reply.code(status).headers(headers);
  if (body === undefined) return reply.send();
  return reply.type("application/json; charset=utf-8").send(JSON.stringify(body));
}
