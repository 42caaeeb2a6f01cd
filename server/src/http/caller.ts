import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Caller, CallerCredentials } from "../auth/index.ts";
import { joinValues } from "./join-values.ts";
import type { Route } from "./route.ts";

/** What a route asks of its callers, as the guard needs to know it. */
export interface Admittance {
  readonly access: Route["access"];
  readonly isBearerIgnored: boolean;
}

/** Lets a caller in or throws. Joined from outside: what a key or a token is worth is not known here. */
export type AuthGuard = (admittance: Admittance, credentials: CallerCredentials) => Promise<Caller>;

const AUTHORIZATION = "authorization";

declare module "fastify" {
  interface FastifyRequest {
    /** Read it with `callerOf`. Null until the guard has answered. */
    caller: Caller | null;
  }
}

/** Who is calling, as the guard found before the body was read. */
export function callerOf(request: FastifyRequest): Caller {
  const { caller } = request;
  if (caller === null) throw new Error("the caller was asked for before the guard");
  return caller;
}

export function addCallers(app: FastifyInstance): void {
  app.decorateRequest("caller", null);
}

export function readCredentials({ raw, query }: FastifyRequest): CallerCredentials {
  return { apikey: joinValues(raw.headers["apikey"]) ?? readQueryKey(query), authorization: readAuthorization(raw) };
}

/** Of several Node keeps the first alone. */
function readAuthorization(raw: IncomingMessage): string | undefined {
  const { headers, rawHeaders } = raw;
  if (headers.authorization === undefined) return undefined;
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isAuthorization(rawHeaders[at] ?? "")) count += 1;
  return count === 1 ? headers.authorization : raw.headersDistinct["authorization"]?.join(", ");
}

function isAuthorization(name: string): boolean {
  return name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION;
}

/** Browsers cannot set headers on a socket or a link. */
function readQueryKey(query: unknown): string | undefined {
  return joinValues((query as Record<string, string | string[] | undefined>)["apikey"]);
}
