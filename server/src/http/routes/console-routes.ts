import type { AskedFor, ConsoleAnswer, ConsoleModule } from "../../console/index.ts";
import { acceptsCoding, matchesTag } from "../request/negotiation.ts";
import { notFoundError } from "../response/http-errors.ts";
import type { RouteRequest } from "../route-request.ts";
import type { RouteReply } from "../route-reply.ts";
import type { Route } from "../route.ts";

/** Returns the page for a path without a route; null means 404. */
export type Fallback = (request: RouteRequest) => ConsoleAnswer | null;

/** Paths of the API. Below them, an unknown path is a 404 and not the console. */
const API_PATH =
  /^\/(?:auth|rest|functions|realtime|health|ready|\.well-known|reference|docs|metrics|operator\/v1|assets|console|openapi\.json|console\.json)(?:\/|$)/;

export function consoleRoutes(module: ConsoleModule): Route[] {
  const sendFile = (request: RouteRequest, reply: RouteReply): RouteReply => {
    const { path } = request;
    const answer = module.findFile(path, askedFor(request));
    if (answer === null) throw notFoundError(path);
    return sendAnswer(reply, answer);
  };
  const sendPortal: Route["handler"] = (request, reply) => sendAnswer(reply, module.getPortal(askedFor(request)));
  return [
    { method: "GET", path: "/portal", access: "public", limit: null, handler: sendPortal },
    { method: "GET", path: "/portal/*", access: "public", limit: null, handler: sendPortal },
    {
      method: "GET",
      path: "/",
      access: "public",
      limit: null,
      handler(request, reply) {
        if (!/text\/html|\*\/\*/i.test(request.headers.accept ?? "")) throw notFoundError("/");
        return sendAnswer(reply, module.getPage(askedFor(request)));
      },
    },
    {
      method: "GET",
      path: "/console.json",
      access: "public",
      limit: null,
      handler: async (_request, reply) => sendAnswer(reply, await module.getStart()),
    },
    { method: "GET", path: "/assets/*", access: "public", limit: null, handler: sendFile },
    { method: "GET", path: "/console/*", access: "public", limit: null, handler: sendFile },
  ];
}

/** The console has client-side routes: a browser that opens one of them gets the page, which then shows it. */
export function consoleFallback(module: ConsoleModule): Fallback {
  return (request) => {
    const isReading = request.method === "GET" || request.method === "HEAD";
    const wantsPage = /text\/html/i.test(request.headers.accept ?? "");
    if (!isReading || !wantsPage || API_PATH.test(request.path)) return null;
    return module.getPage(askedFor(request));
  };
}

export function sendAnswer(reply: RouteReply, { status, headers, body }: ConsoleAnswer): RouteReply {
  return reply.code(status).headers(headers).send(body);
}

function askedFor({ headers }: RouteRequest): AskedFor {
  const encodings = headers["accept-encoding"] ?? "";
  return {
    accepts: (encoding) => acceptsCoding(encodings, encoding),
    holds: (etag) => matchesTag(headers["if-none-match"] ?? "", etag),
  };
}
