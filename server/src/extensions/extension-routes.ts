import type { FastifyReply, FastifyRequest } from "fastify";
import { firstValues, principalOf, type Route, sendStream } from "../http/index.ts";
import type { Extension, ExtensionContext, ExtensionRequest, ExtensionResponse } from "./port.ts";

/** The routes of an extension as rows of the route table, so that they pass through the same steps as every other request. */
export function extensionRoutes({ routes = [] }: Extension, context: ExtensionContext): Route[] {
  return routes.map(({ handler, isBodyRaw = false, ...route }) => ({
    ...route,
    isBodyRaw,
    handler: async (request, reply) => send(reply, await handler(toExtensionRequest(request, reply), context)),
  }));
}

function toExtensionRequest(request: FastifyRequest, { raw }: FastifyReply): ExtensionRequest {
  const closed = new AbortController();
  if (raw.destroyed) closed.abort();
  else raw.once("close", () => closed.abort());
  return {
    method: request.method,
    path: request.url.split("?", 1)[0] ?? "",
    params: request.params as Readonly<Record<string, string | undefined>>,
    query: firstValues(request.query as Readonly<Record<string, unknown>>),
    headers: firstValues(request.headers),
    body: request.body ?? undefined,
    caller: principalOf(request),
    signal: closed.signal,
  };
}

async function send(reply: FastifyReply, response: ExtensionResponse): Promise<unknown> {
  const { status = 200, headers = {}, body, stream } = response;
  if (stream !== undefined) return sendStream(reply, { status, headers, stream });
  void reply.code(status).headers({ ...headers });
  if (body === undefined || typeof body === "string" || Buffer.isBuffer(body)) return reply.send(body);
  if (!reply.hasHeader("content-type")) void reply.type("application/json; charset=utf-8");
  return reply.send(JSON.stringify(body));
}
