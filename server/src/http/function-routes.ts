import type { NamedFunction } from "../functions/index.ts";
import { callerOf } from "./caller.ts";
import { firstOfEach } from "./first-of-each.ts";
import { toRestCaller } from "./rest-caller.ts";
import type { Route } from "./route.ts";

const PREFIX = "/functions/v1";

export interface FunctionRoutesOptions {
  readonly functions: readonly NamedFunction[];
  readonly sessionInactivitySeconds: number;
}

/** The functions as rows of the route table. */
export function functionRoutes({ functions, sessionInactivitySeconds }: FunctionRoutesOptions): Route[] {
  return functions.map(({ name, access, limit, isForFirstSecret = false, isBodyRaw = false, run }) => ({
    method: "POST",
    path: `${PREFIX}/${name}`,
    access,
    limit,
    isForFirstSecret,
    isBodyRaw,
    handler: async (request, reply) => {
      const {
        status,
        body,
        headers = {},
      } = await run({
        body: request.body ?? {},
        headers: firstOfEach(request.headers),
        caller: toRestCaller(callerOf(request).principal, {
          inactivitySeconds: sessionInactivitySeconds,
          isUnsigned: request.signatureStatus !== "verified",
        }),
      });
      void reply.code(status).headers(headers).type("application/json; charset=utf-8");
      return reply.send(JSON.stringify(body));
    },
  }));
}
