import {
  ANON_PRINCIPAL,
  isPortal,
  type KeyScope,
  type Principal,
  rejectPortal,
  requireKeyScope,
} from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import { selectLiveness, selectLiveUser } from "../sql/liveness.ts";
import { tokenError } from "../tokens/token-error.ts";
import { type ProofContext, requireOwnProof } from "../sessions/recent-proof.ts";
import {
  isSecondFactorMissing,
  type LivenessContext,
  requireLiveSession,
  requireSecondFactor,
} from "./live-session.ts";
import {
  type Authentication,
  type RequestCredentials,
  type PrincipalContext,
  resolveBearerPrincipal,
  resolveKeyPrincipal,
  resolvePrincipal,
} from "./resolve-principal.ts";

type AuthenticationContext = LivenessContext & PrincipalContext & ProofContext & Pick<AuthContext, "baseUrl">;

/** What a route requires of its callers. */
export interface AccessRule {
  readonly access: "public" | "apikey" | "bearer" | "bearer-alone" | "optional-bearer" | "account" | "user" | "service";
  /** Token refresh ignores the bearer: clients still send the expired one along. */
  readonly isBearerIgnored: boolean;
  /**
   * Whether users with a second factor may call the route before they have verified it. Absent means that they may not, unless the operator
   * has switched the check off for tables and functions.
   */
  readonly aal1?: "accepted" | "rejected";
  /** The caller must have proved recently to be the owner of the account. API keys are rejected, because they cannot. */
  readonly needsProof?: boolean;
  /** What an API key needs. Absent means that API keys are rejected, so that no route accepts them by omission. */
  readonly keyScope?: KeyScope;
  /** Whether the portal may call the route. Absent means that it is rejected. */
  readonly isOfPortal?: boolean;
  /** The path of the resource that a token of a program must be for (RFC 8707), such as `/mcp`. Absent means the API. */
  readonly resource?: string;
  /** With access "user": the check of the session also reads the user, so that the route needs no statement of its own. */
  readonly needsUser?: boolean;
}

/** Authenticates a request by the access rule of its route; throws 401 or 403. */
export async function authenticate(
  context: AuthenticationContext,
  rule: AccessRule,
  credentials: RequestCredentials,
): Promise<Authentication> {
  const authentication = await resolve(context, rule, credentials);
  const { principal } = authentication;
  requireResource(context, principal, rule.resource);
  if (rule.isOfPortal === true && isPortal(principal)) return authentication;
  requireKeyScope(principal, rule.needsProof === true ? undefined : rule.keyScope);
  return authentication;
}

/** A server that gets the token of a program cannot use it elsewhere, nor can the program itself. */
function requireResource(
  context: Pick<AuthContext, "baseUrl">,
  { client }: Pick<Principal, "client">,
  resource = "",
): void {
  if (client !== undefined && client.resource !== context.baseUrl + resource) throw tokenError("wrong_resource");
}

async function resolve(
  context: AuthenticationContext,
  { access, isBearerIgnored, aal1, needsUser = false, needsProof = false }: AccessRule,
  credentials: RequestCredentials,
): Promise<Authentication> {
  switch (access) {
    case "public":
      return { principal: ANON_PRINCIPAL, hasAuthorization: credentials.authorization !== undefined };
    case "apikey": {
      if (isBearerIgnored) return resolveKeyPrincipal(context, credentials);
      const authentication = await resolvePrincipal(context, credentials);
      const { principal } = authentication;
      // A route of this kind may begin no transaction that would notice that the key was revoked.
      if (principal.role === "authenticated" && principal.scopes !== undefined)
        requireSecondFactor(principal, await requireLiveSession(context, principal));
      return authentication;
    }
    case "bearer": {
      // The transaction that the route begins checks the session.
      const authentication = await resolvePrincipal(context, credentials);
      if (!authentication.hasAuthorization) throw authError("no_authorization");
      return authentication;
    }
    case "optional-bearer":
      return credentials.authorization === undefined
        ? { principal: ANON_PRINCIPAL, hasAuthorization: false }
        : resolve(context, { access: "bearer-alone", isBearerIgnored }, credentials);
    case "bearer-alone":
    case "account":
    case "user": {
      const resolvePresented = access === "bearer-alone" ? resolveBearerPrincipal : resolvePrincipal;
      const presented = await resolvePresented(context, credentials);
      const { principal, hasAuthorization } = presented;
      if (!hasAuthorization) throw authError("no_authorization");
      if (access === "account" && principal.role === "service_role") return presented;
      if (principal.role !== "authenticated") throw tokenError("no_user");
      const liveness = await requireLiveSession(context, principal, needsUser ? selectLiveUser : selectLiveness);
      const { user } = liveness;
      const lacksSecondFactor = isSecondFactorMissing(principal, liveness);
      if (aal1 === "rejected" && lacksSecondFactor) throw authError("insufficient_aal");
      // A key cannot verify a factor, so it needs no call before that.
      if (aal1 === undefined || principal.scopes !== undefined) requireSecondFactor(principal, liveness);
      if (needsProof && principal.scopes === undefined) requireOwnProof(context, liveness);
      const authentication = { ...presented, ...(user !== undefined && { user }), lacksSecondFactor };
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

interface SocketAuthentication {
  readonly principal: Principal;
  /** Null for keys that do not expire. */
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
  rejectPortal(principal);
  requireResource(context, principal);
  requireSecondFactor(principal, await requireLiveSession(context, principal));
  const { exp } = principal.claims;
  return { principal, expiresAt: exp === undefined ? null : new Date(Number(exp) * 1000) };
}
