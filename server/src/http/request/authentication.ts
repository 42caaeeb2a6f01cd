import type { IncomingMessage } from "node:http";
import type { AccessRule, Authentication, RequestCredentials } from "../../auth/index.ts";
import type { Principal } from "../../db/index.ts";
import { addressKeyOf } from "./client-key.ts";
import { joinValues } from "./header-values.ts";
import type { RouteRequest } from "../route-request.ts";

/** Authenticates a request or throws. Passed in: only `auth/` knows what a key or a token is worth. */
export type AuthGuard = (rule: AccessRule, credentials: RequestCredentials) => Promise<Authentication>;

const AUTHORIZATION = "authorization";

export function authenticationOf({ authentication }: RouteRequest): Authentication {
  if (authentication === null) throw new Error("the request is not authenticated yet");
  return authentication;
}

const unsigned = new WeakMap<Principal, Principal>();

/** Who is calling. A transaction of a user without a verified signature fails where the user requires one. */
export function principalOf(request: RouteRequest): Principal {
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

export function readCredentials(request: RouteRequest): RequestCredentials {
  const { raw, headers, search } = request;
  // Browsers cannot set headers on a WebSocket or a link.
  const apikey = headers["apikey"] ?? (search.includes("apikey") ? request.query["apikey"] : undefined);
  return { apikey: joinValues(apikey), authorization: readAuthorization(raw) };
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
