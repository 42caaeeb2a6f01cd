import type { FastifyReply, FastifyRequest } from "fastify";
import type { ReferenceModule } from "../../reference/index.ts";
import { notFoundError } from "../response/http-errors.ts";
import type { Route } from "./route.ts";

const PATHS = ["/openapi.json", "/reference", "/reference/:file"];

/** Browsers revalidate before each use, because a new version of the service has another page. */
const CACHE_CONTROL = "no-cache";

/** The API reference, for programs and people. It contains only public information. */
export function referenceRoutes(module: ReferenceModule): Route[] {
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const path = request.url.split("?", 1)[0] ?? "";
    const file = await module.find(path);
    if (file === null) throw notFoundError(path);
    const { type, etag, body, gzipped, headers } = file;
    void reply.headers({ ...headers, etag, "cache-control": CACHE_CONTROL, vary: "Accept-Encoding" });
    if (hasTag(request.headers["if-none-match"], etag)) return reply.code(304).send();
    void reply.type(type);
    if (!/\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""))) return reply.send(body);
    return reply.header("content-encoding", "gzip").send(gzipped);
  };
  return PATHS.map((path) => ({ method: "GET", path, access: "public", limit: null, handler }));
}

function hasTag(given: string | undefined, etag: string): boolean {
  return (given ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
