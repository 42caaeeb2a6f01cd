import { ANON_PRINCIPAL, type Principal } from "../../db/index.ts";
import { authError } from "../auth-error.ts";
import { tokenError } from "../tokens/token-error.ts";
import { type LivenessContext, requireLiveSession, requireSecondFactor } from "./live-session.ts";
import {
  type Authentication,
  type Credentials,
  type PrincipalContext,
  resolveKeyPrincipal,
  resolvePrincipal,
} from "./resolve-principal.ts";

export type AuthenticationContext = LivenessContext & PrincipalContext;

/** What a route requires of its callers. */
export interface AccessRule {
  readonly access: "public" | "apikey" | "bearer" | "account" | "user" | "service";
  /** Token refresh ignores the bearer: clients still send the expired one along. */
  readonly isBearerIgnored: boolean;
  /** Users with a second factor may call the route before they have verified it. */
  readonly isAal1Accepted?: boolean;
}

/** Authenticates a request by the access rule of its route; throws 401 or 403. */
export async function authenticate(
  context: AuthenticationContext,
  { access, isBearerIgnored, isAal1Accepted = false }: AccessRule,
  credentials: Credentials,
): Promise<Authentication> {
  switch (access) {
    case "public":
      return { principal: ANON_PRINCIPAL, hasAuthorization: credentials.authorization !== undefined };
    case "apikey":
      return isBearerIgnored ? resolveKeyPrincipal(context, credentials) : resolvePrincipal(context, credentials);
    case "bearer": {
      // The transaction that the route begins checks the session.
      const authentication = await resolvePrincipal(context, credentials);
      if (!authentication.hasAuthorization) throw authError("no_authorization");
      return authentication;
    }
    case "account":
    case "user": {
      const authentication = await resolvePrincipal(context, credentials);
      const { principal, hasAuthorization } = authentication;
      if (!hasAuthorization) throw authError("no_authorization");
      if (access === "account" && principal.role === "service_role") return authentication;
      if (principal.role !== "authenticated") throw tokenError("no_user");
      const liveness = await requireLiveSession(context, principal);
      if (!isAal1Accepted) requireSecondFactor(principal, liveness);
      const {
        requires_body_signature: isBodySignatureRequired,
        requires_message_signature: isMessageSignatureRequired,
      } = liveness;
      if (!isBodySignatureRequired && !isMessageSignatureRequired) return authentication;
      return { ...authentication, requiredSignatures: { isBodySignatureRequired, isMessageSignatureRequired } };
    }
    case "service": {
      const authentication = await resolvePrincipal(context, credentials);
      if (authentication.principal.role === "service_role") return authentication;
      throw authError(authentication.hasAuthorization ? "not_admin" : "no_authorization");
    }
  }
}

export interface SocketAuthentication {
  readonly principal: Principal;
  /** Null for keys, which do not expire. */
  readonly expiresAt: Date | null;
}

/** Authenticates a connection that stays open. Without a token the key decides the role. */
export async function authenticateSocket(
  context: AuthenticationContext,
  { apikey, token }: { readonly apikey: string; readonly token: string | null },
): Promise<SocketAuthentication> {
  const authorization = token === null ? undefined : `Bearer ${token}`;
  const { principal } = await resolvePrincipal(context, { apikey, authorization });
  if (principal.role !== "authenticated") return { principal, expiresAt: null };
  requireSecondFactor(principal, await requireLiveSession(context, principal));
  return { principal, expiresAt: new Date(Number(principal.claims["exp"]) * 1000) };
}
