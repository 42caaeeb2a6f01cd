import type { FastifyRequest } from "fastify";
import type { RestBroadcast } from "../realtime/index.ts";
import { callerOf } from "./caller.ts";
import { toRestCaller } from "./rest-caller.ts";
import type { Route } from "./route.ts";

const PREFIX = "/realtime/v1/api/broadcast";

export interface RealtimeRoutesOptions {
  readonly broadcast: RestBroadcast;
  readonly sessionInactivitySeconds: number;
}

/** Broadcasts of clients that have no socket. */
export function realtimeRoutes({ broadcast, sessionInactivitySeconds }: RealtimeRoutesOptions): Route[] {
  const options = { inactivitySeconds: sessionInactivitySeconds, isUnsigned: false };
  const callerIn = (request: FastifyRequest) => toRestCaller(callerOf(request).principal, options);
  return [
    {
      method: "POST",
      path: PREFIX,
      access: "apikey",
      limit: "api",
      handler: async (request, reply) => {
        await broadcast.sendMessages({ caller: callerIn(request), body: request.body });
        return reply.code(202).send();
      },
    },
    {
      method: "POST",
      path: `${PREFIX}/:topic/events/:event`,
      access: "apikey",
      limit: "api",
      isBodyRaw: true,
      handler: async (request, reply) => {
        const { topic = "", event = "" } = request.params as Record<string, string>;
        const query = request.query as Record<string, unknown>;
        const isKept = query["persist"] === "true" || query["persist[ttl]"] !== undefined;
        await broadcast.sendEvent({
          caller: callerIn(request),
          topic,
          event,
          isPrivate: query["private"] === "true",
          isKept,
          isBinary: request.headers["content-type"]?.startsWith("application/octet-stream") ?? false,
          body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        });
        return reply.code(202).send();
      },
    },
  ];
}
