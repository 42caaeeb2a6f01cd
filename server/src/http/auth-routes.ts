import type { FastifyReply, FastifyRequest } from "fastify";
import type { AuthAnswer, AuthCall, AuthEndpoint, AuthRoom } from "../auth/index.ts";
import { callerOf } from "./caller.ts";
import { toPlainAddress } from "./proxy-trust.ts";
import type { Route } from "./route.ts";

const PREFIX = "/auth/v1";

/** The table of accounts as rows of the route table. */
export function authRoutes(endpoints: readonly AuthEndpoint[], room: AuthRoom): Route[] {
  return endpoints.map((endpoint) => ({
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
      return sendAnswer(reply, await endpoint.run(room, buildCall(request)));
    },
  }));
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
    principal: callerOf(request).principal,
  };
}

function sendAnswer(reply: FastifyReply, { status, body, headers = {} }: AuthAnswer): FastifyReply {
  void reply.code(status).headers(headers);
  if (body === undefined) return reply.send();
  return reply.type("application/json; charset=utf-8").send(JSON.stringify(body));
}

/** Without a prototype: names come from the caller. */
function firstOfEach(values: Readonly<Record<string, unknown>>): Record<string, string | undefined> {
  const firsts = Object.create(null) as Record<string, string | undefined>;
  for (const [name, value] of Object.entries(values)) {
    const first: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof first === "string") firsts[name] = first;
  }
  return firsts;
}
