import type { RestBroadcast } from "../../realtime/index.ts";
import { principalOf } from "../request/authentication.ts";
import type { Route } from "../route.ts";

const PREFIX = "/realtime/v1/api/broadcast";

/** Broadcasts over HTTP, for clients without a socket. */
export function realtimeRoutes(broadcast: RestBroadcast): Route[] {
  return [
    {
      method: "POST",
      path: PREFIX,
      access: "apikey",
      keyScope: ["write"],
      limit: "api",
      handler: async (request, reply) => {
        await broadcast.sendMessages({ principal: principalOf(request), body: request.body });
        return reply.code(202).send();
      },
    },
    {
      method: "POST",
      path: `${PREFIX}/:topic/events/:event`,
      access: "apikey",
      keyScope: ["write"],
      limit: "api",
      isBodyRaw: true,
      handler: async (request, reply) => {
        const { topic = "", event = "" } = request.params;
        await broadcast.sendEvent({
          principal: principalOf(request),
          topic,
          event,
          query: request.query,
          isBinary: request.headers["content-type"]?.startsWith("application/octet-stream") ?? false,
          body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        });
        return reply.code(202).send();
      },
    },
  ];
}
