import { AppError } from "../../errors/index.ts";
import type { Clock } from "../../time/index.ts";
import type { KeyRole } from "../keys/stored-keys.ts";
import { parseAccessClaims } from "../tokens/access-token.ts";
import type { KeyRing } from "../tokens/key-ring.ts";
import { tokenError } from "../tokens/token-error.ts";
import type { VerifiedTokens } from "../tokens/verified-tokens.ts";
import type { VerifiedToken } from "../tokens/verify-token.ts";
import type { Principal } from "./principal.ts";

/** What a request brought along. Several values of one header are joined by commas, and so are no key and no token. */
export interface CallerCredentials {
  readonly apikey: string | undefined;
  readonly authorization: string | undefined;
}

export interface Caller {
  readonly principal: Principal;
  /** Tables and functions want one from everybody, also from those whom the key alone would name. */
  readonly hasAuthorization: boolean;
  /** The user wants no request of theirs to be answered that is not signed; known where the session was looked at. */
  readonly isSignatureDemanded?: boolean;
}

/**
 * The key says who may knock, the bearer who it is. A bearer that is a key itself has that key's role; one that only looks
 * like a key of the newer kind adds nothing to the key; anything else must be a token, and what it says wins over the key.
 */
export async function resolvePrincipal(
  ring: KeyRing,
  verifiedTokens: VerifiedTokens,
  clock: Clock,
  { apikey, authorization }: CallerCredentials,
): Promise<Caller> {
  const keyRole = await requireApiKey(ring, apikey);
  const hasAuthorization = authorization !== undefined;
  if (!hasAuthorization) return { principal: principalOf(keyRole), hasAuthorization };

  const bearer = parseBearer(authorization);
  const bearerRole = bearer === apikey ? keyRole : ring.findApiKeyRole(bearer);
  if (bearerRole !== null) return { principal: principalOf(bearerRole), hasAuthorization };
  if (bearer.startsWith("sb_")) return { principal: principalOf(keyRole), hasAuthorization };
  const verified = await verifiedTokens.verify(ring, bearer, clock);
  return { principal: readPrincipal(verified), hasAuthorization };
}

/** The role of the key, whatever the bearer is. */
export async function resolveKeyPrincipal(
  ring: KeyRing,
  { apikey, authorization }: CallerCredentials,
): Promise<Caller> {
  const keyRole = await requireApiKey(ring, apikey);
  return { principal: principalOf(keyRole), hasAuthorization: authorization !== undefined };
}

async function requireApiKey(ring: KeyRing, apikey: string | undefined): Promise<KeyRole> {
  if (apikey === undefined || apikey === "") {
    throw new AppError("UNAUTHORIZED", "No API key found in request", {
      hint: "No `apikey` request header or url param was found.",
    });
  }
  const role = await ring.findNewApiKeyRole(apikey);
  if (role === null) {
    throw new AppError("UNAUTHORIZED", "Invalid API key", {
      hint: "Double check your `anon` or `service_role` API key.",
    });
  }
  return role;
}

function parseBearer(authorization: string): string {
  const bearer = /^bearer +(\S+)$/i.exec(authorization.trim())?.[1];
  if (bearer === undefined) throw tokenError("malformed");
  return bearer;
}

/** Read once for each token that is remembered. */
const principals = new WeakMap<VerifiedToken, Principal>();

function readPrincipal(verified: VerifiedToken): Principal {
  const known = principals.get(verified);
  if (known !== undefined) return known;
  const principal = parsePrincipal(verified);
  principals.set(verified, principal);
  return principal;
}

/** A token without a user can only be one of an imported key, made by whoever keeps it. A user stays a user whatever the role. */
function parsePrincipal({ claims }: VerifiedToken): Principal {
  const { sub, role } = claims;
  if (sub === undefined && (role === "anon" || role === "service_role")) return principalOf(role);
  const parsed = parseAccessClaims(claims);
  return {
    kind: "user",
    userId: parsed.sub,
    sessionId: parsed.session_id === "" ? null : parsed.session_id,
    role: parsed.role,
    aal: parsed.aal,
    claims: parsed,
  };
}

function principalOf(role: KeyRole): Principal {
  return { kind: role === "service_role" ? "service" : "anon" };
}
