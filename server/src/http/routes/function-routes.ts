import type { FunctionCall, NamedFunction } from "../../functions/index.ts";
import { stringifyMembers } from "../../json/index.ts";
import type { Limits } from "../../limits/index.ts";
import { authenticationOf, principalOf } from "../request/authentication.ts";
import { clientSignalOf } from "../request/client-signal.ts";
import { countCall, refreshRateLimitHeaders } from "../request/rate-limits.ts";
import { toPlainAddress } from "../request/proxy-trust.ts";
import { firstValues } from "../request/header-values.ts";
import type { RouteRequest } from "../route-request.ts";
import type { RouteReply } from "../route-reply.ts";
import type { Route } from "../route.ts";
import { sendBody } from "../response/send-body.ts";
import { sendStream } from "../response/send-stream.ts";

const PREFIX = "/functions/v1";
const JSON_TYPE = "application/json; charset=utf-8";

interface FunctionRoutesOptions {
  readonly functions: readonly NamedFunction[];
  readonly limits: Limits;
}

/** The functions as routes. */
export function functionRoutes({ functions, limits }: FunctionRoutesOptions): Route[] {
  return functions.map(({ run, name, access, keyScope, limit, ...flags }) => ({
    method: "POST",
    path: `${PREFIX}/${name}`,
    access,
    ...(keyScope !== undefined && { keyScope }),
    limit,
    isOfPortal: flags.isOfPortal ?? false,
    isForFirstSecret: flags.isForFirstSecret ?? false,
    isBodyRaw: flags.isBodyRaw ?? false,
    needsProof: flags.needsProof ?? false,
    handler: async (request, reply) => {
      const answer = await run(functionCallOf(limits, request, reply));
      if ("stream" in answer) return sendStream(reply, answer);
      const { status, headers = {}, onSent } = answer;
      const body: string | undefined = stringifyMembers(answer.body);
      return sendBody(reply, {
        status,
        headers: { ...headers, "content-type": JSON_TYPE },
        body: body ?? null,
        onSent,
      });
    },
  }));
}

/** A request as functions see it. */
export function functionCallOf(limits: Limits, request: RouteRequest, reply: RouteReply): FunctionCall {
  return {
    body: request.body ?? {},
    headers: firstValues(request.headers),
    principal: principalOf(request),
    address: toPlainAddress(request.clientAddress),
    signal: clientSignalOf(reply),
    count: (window, key) => countFor(limits, { request, reply }, window, key),
    showRateLimitState: () => refreshRateLimitHeaders(limits, request, reply),
  };
}

/** The service role is not rate-limited. */
async function countFor(
  limits: Limits,
  { request, reply }: { readonly request: RouteRequest; readonly reply: RouteReply },
  window: Parameters<Limits["take"]>[0],
  key: string,
): Promise<void> {
  if (authenticationOf(request).principal.role !== "service_role") await countCall(limits, request, reply, window, key);
}
