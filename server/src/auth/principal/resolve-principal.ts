import { ANON_PRINCIPAL, type Principal, SERVICE_PRINCIPAL } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import { authError } from "../auth-error.ts";
import type { AuthContext } from "../auth-context.ts";
import type { KeyRole } from "../keys/stored-keys.ts";
import { isPortalToken } from "../portal/portal-tokens.ts";
import { parseAccessClaims } from "../tokens/access-token.ts";
import type { KeyRing } from "../tokens/key-ring.ts";
import { tokenError } from "../tokens/token-error.ts";
import type { VerifiedToken } from "../tokens/verify-signed-token.ts";
import { isUserKey } from "../user-keys/key-format.ts";
import type { WholeUser } from "../sql/user-row.ts";

/** What a request presents. Several values of one header are joined by commas, which makes them no valid key or token. */
export interface RequestCredentials {
  readonly apikey: string | undefined;
  readonly authorization: string | undefined;
}

export interface Authentication {
  readonly principal: Principal;
  /** Tables and functions require the header even where the key alone decides the role. */
  readonly hasAuthorization: boolean;
  /** The signatures that the user requires; set where the session was checked before the transaction. */
  readonly requiredSignatures?: RequiredSignatures;
  /** Set where the rule of the route requires it. */
  readonly user?: WholeUser;
  /** The user has a second factor and the session has not passed it; set where the session was checked. */
  readonly lacksSecondFactor?: boolean;
}

export interface RequiredSignatures {
  /** `X-Request-Signature`. */
  readonly isBodySignatureRequired: boolean;
  /** An HTTP message signature (RFC 9421). */
  readonly isMessageSignatureRequired: boolean;
}

export interface PrincipalContext
  extends Pick<AuthContext, "keyRing" | "verifiedTokens" | "userKeys" | "portalTokens" | "clock"> {
  readonly settings: Pick<AuthContext["settings"], "authSessionIdleTtlSeconds" | "authMfaEnforce">;
}

/**
 * The key admits the request; the bearer decides the principal. A bearer that is a key has that key's role. A bearer that
 * only starts like a key (`sb_`) is ignored. Any other bearer must be a token, that of a portal (`portal_`) or the API key of a
 * user (`sk_`), and it takes precedence over the key.
 */
export async function resolvePrincipal(
  context: PrincipalContext,
  { apikey, authorization }: RequestCredentials,
): Promise<Authentication> {
  const { keyRing } = context;
  const keyRole = await requireApiKey(keyRing, apikey);
  const hasAuthorization = authorization !== undefined;
  if (!hasAuthorization) return { principal: keyPrincipal(keyRole), hasAuthorization };

  const bearer = parseBearer(authorization);
  const bearerRole = bearer === apikey ? keyRole : keyRing.findApiKeyRole(bearer);
  if (bearerRole !== null) return { principal: keyPrincipal(bearerRole), hasAuthorization };
  if (bearer.startsWith("sb_")) return { principal: keyPrincipal(keyRole), hasAuthorization };
  return { principal: await resolveBearer(context, bearer), hasAuthorization };
}

/** The bearer alone: no key is required, and a bearer that is a key is not accepted. */
export async function resolveBearerPrincipal(
  context: PrincipalContext,
  { authorization }: RequestCredentials,
): Promise<Authentication> {
  if (authorization === undefined) throw authError("no_authorization");
  return { principal: await resolveBearer(context, parseBearer(authorization)), hasAuthorization: true };
}

async function resolveBearer(
  { keyRing, verifiedTokens, userKeys, portalTokens, clock, settings }: PrincipalContext,
  bearer: string,
): Promise<Principal> {
  if (isUserKey(bearer)) return userKeys.verify(bearer);
  if (isPortalToken(bearer)) return portalTokens.verify(bearer);
  return tokenPrincipal(await verifiedTokens.verify(keyRing, bearer, clock), settings);
}

/** Ignores the bearer: the key decides the role. */
export async function resolveKeyPrincipal(
  { keyRing }: Pick<PrincipalContext, "keyRing">,
  { apikey, authorization }: RequestCredentials,
): Promise<Authentication> {
  const keyRole = await requireApiKey(keyRing, apikey);
  return { principal: keyPrincipal(keyRole), hasAuthorization: authorization !== undefined };
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

/** One principal per remembered token, so that its claims stay the same object and are serialised once. */
const principals = new WeakMap<VerifiedToken, Principal>();

function tokenPrincipal(verified: VerifiedToken, settings: PrincipalContext["settings"]): Principal {
  const known = principals.get(verified);
  if (known !== undefined) return known;
  const principal = parsePrincipal(verified, settings);
  principals.set(verified, principal);
  return principal;
}

/**
 * Only an imported key can have signed a token without a user. A token of a user acts as `authenticated` whatever role it
 * names, so that no token can name a role with more rights.
 */
function parsePrincipal({ claims }: VerifiedToken, settings: PrincipalContext["settings"]): Principal {
  if (claims.sub === undefined && (claims.role === "anon" || claims.role === "service_role"))
    return keyPrincipal(claims.role);
  const parsed = parseAccessClaims(claims);
  const { sub: userId, session_id, aal } = parsed;
  const sessionId = session_id === "" ? null : session_id;
  return {
    role: "authenticated",
    userId,
    claims: { ...parsed, role: "authenticated" },
    session: {
      userId,
      sessionId,
      inactivitySeconds: settings.authSessionIdleTtlSeconds,
      // Where there is a session, its row decides: the token can be older than the verification.
      isAal2Required: settings.authMfaEnforce && (sessionId !== null || aal !== "aal2"),
    },
  };
}

function keyPrincipal(role: KeyRole): Principal {
  return role === "service_role" ? SERVICE_PRINCIPAL : ANON_PRINCIPAL;
}
