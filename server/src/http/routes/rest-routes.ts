import type { RestModule } from "../../rest/index.ts";
import { principalOf } from "../request/authentication.ts";
import { clientSignalOf } from "../request/client-signal.ts";
import { addTag, asksForTag } from "../response/entity-tag.ts";
import { sendBody } from "../response/send-body.ts";
import type { RouteRequest } from "../route-request.ts";
import type { RouteReply } from "../route-reply.ts";
import type { Route } from "../route.ts";

const PREFIX = "/rest/v1";
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** Tables and functions of the exposed schemas. */
export function restRoutes(rest: RestModule): Route[] {
  const handler = async (request: RouteRequest, reply: RouteReply): Promise<RouteReply> => {
    // Set first, so that errors have it too: these headers decide the form of the response.
    void reply.header("vary", "Accept, Prefer, Range");
    const { path, search } = request;
    const answer = await rest.answer({
      input: {
        method: request.method,
        path: path.slice(PREFIX.length),
        search,
        headers: request.headers,
        body: Buffer.isBuffer(request.body) ? request.body : null,
        contentType: request.headers["content-type"] ?? null,
      },
      path,
      principal: principalOf(request),
      signal: clientSignalOf(reply),
    });
    return sendBody(reply, asksForTag(request) ? await addTag(request.headers["if-none-match"] ?? "", answer) : answer);
  };
  return [PREFIX, `${PREFIX}/*`].flatMap((path) =>
    METHODS.map(
      (method) =>
        // What the request writes and reads is known when it has been parsed: `scopeOf` and `rest/` require the scopes for it.
        ({
          method,
          path,
          access: "bearer",
          keyScope: "checked",
          isOfPortal: true,
          limit: "api",
          isBodyRaw: true,
          handler,
        }) satisfies Route,
    ),
  );
}
