import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { AccessRule, Authentication, Credentials } from "../../auth/index.ts";
import type { Principal } from "../../db/index.ts";
import { addressKeyOf } from "./client-key.ts";
import { joinValues } from "./header-values.ts";

/** Authenticates a request or throws. Passed in: only `auth/` knows what a key or a token is worth. */
export type AuthGuard = (rule: AccessRule, credentials: Credentials) => Promise<Authentication>;

const AUTHORIZATION = "authorization";

declare module "fastify" {
  interface FastifyRequest {
    /** Null until the auth guard has run. */
    authentication: Authentication | null;
  }
}

export function addAuthentication(app: FastifyInstance): void {
  app.decorateRequest("authentication", null);
}

export function authenticationOf({ authentication }: FastifyRequest): Authentication {
  if (authentication === null) throw new Error("the request is not authenticated yet");
  return authentication;
}

const unsigned = new WeakMap<Principal, Principal>();

/** Who is calling. A transaction of a user without a verified signature fails where the user requires one. */
export function principalOf(request: FastifyRequest): Principal {
  const { principal } = authenticationOf(request);
  if (principal.role === "anon") return { ...principal, address: addressKeyOf(request) };
  if (principal.role !== "authenticated" || principal.session === null) return principal;
  const { isBodySigned = false, isMessageSigned = false } = request.signatures ?? {};
  const isSigned = isBodySigned || isMessageSigned;
  const known = isSigned ? undefined : unsigned.get(principal);
  if (known !== undefined) return known;
  const session = { ...principal.session, isUnsigned: !isBodySigned, lacksMessageSignature: !isMessageSigned };
  const marked: Principal = { ...principal, session };
  if (!isSigned) unsigned.set(principal, marked);
  return marked;
}

export function readCredentials({ raw, query }: FastifyRequest): Credentials {
  return { apikey: joinValues(raw.headers["apikey"]) ?? readQueryKey(query), authorization: readAuthorization(raw) };
}

/** Node.js keeps only the first of several values. */
function readAuthorization(raw: IncomingMessage): string | undefined {
  const { headers, rawHeaders } = raw;
  if (headers.authorization === undefined) return undefined;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) if (isAuthorization(rawHeaders[index] ?? "")) count += 1;
  return count === 1 ? headers.authorization : raw.headersDistinct["authorization"]?.join(", ");
}

function isAuthorization(name: string): boolean {
  return name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION;
}

/** Browsers cannot set headers on a WebSocket or a link. */
function readQueryKey(query: unknown): string | undefined {
  return joinValues((query as Record<string, string | string[] | undefined>)["apikey"]);
}
