import {
  type AuthResponse,
  type AuthCall,
  type AuthEndpoint,
  type AuthContext,
  findSessionSubject,
  findEmailSubject,
  endpointPath,
  ruleOf,
} from "../../auth/index.ts";
import { authenticationOf, principalOf } from "../request/authentication.ts";
import { toPlainAddress } from "../request/proxy-trust.ts";
import { firstValues } from "../request/header-values.ts";
import type { RouteRequest } from "../route-request.ts";
import type { RouteReply } from "../route-reply.ts";
import type { Route } from "../route.ts";

/** The auth endpoints as routes. */
export function authRoutes(endpoints: readonly AuthEndpoint[], context: AuthContext): Route[] {
  return endpoints.map((endpoint) => ({
    ...buildCounting(endpoint),
    method: endpoint.method,
    path: endpointPath(endpoint),
    ...(endpoint.renderError !== undefined && { renderError: endpoint.renderError }),
    ...ruleOf(endpoint),
    limit: endpoint.limit,
    isPage: endpoint.isPage ?? false,
    // Some GET endpoints use a token up or send a mail, and link scanners send HEAD requests.
    isHeadRejected: true,
    handler: async (request, reply) => {
      // Set first, so that errors have it too. A cacheable response overrides it.
      reply.header("cache-control", "no-store");
      return sendAnswer(reply, await endpoint.run(context, buildCall(request)));
    },
  }));
}

function buildCounting({ limit, limitOf, isAttempt }: AuthEndpoint): Pick<Route, "limitOf" | "subjects"> {
  if (limit !== "auth" && isAttempt === undefined && limitOf === undefined) return {};
  return {
    subjects: {
      email: findEmailSubject,
      session: findSessionSubject,
      ...(isAttempt !== undefined && { isAttempt }),
    },
    ...(limitOf !== undefined && {
      limitOf: (request: RouteRequest) => limitOf(firstValues(request.query)),
    }),
  };
}

function buildCall(request: RouteRequest): AuthCall {
  const { headers } = request;
  const { user, lacksSecondFactor } = authenticationOf(request);
  return {
    query: firstValues(request.query),
    search: request.search,
    params: { ...request.params },
    body: request.body ?? {},
    headers: firstValues(headers),
    address: toPlainAddress(request.clientAddress),
    userAgent: headers["user-agent"] ?? null,
    principal: principalOf(request),
    user,
    lacksSecondFactor,
  };
}

function sendAnswer(reply: RouteReply, { status, body, headers = {} }: AuthResponse): RouteReply {
  reply.code(status).headers(headers);
  if (body === undefined) return reply.send();
  return reply.header("content-type", "application/json; charset=utf-8").send(JSON.stringify(body));
}
