import { authError } from "../auth-error.ts";
import type { AuthContext } from "../auth-context.ts";
import { tokenError } from "../tokens/token-error.ts";
import { type LivenessContext, requireLiveSession } from "./require-live-session.ts";
import { type Caller, type CallerCredentials, resolveKeyPrincipal, resolvePrincipal } from "./resolve-principal.ts";

export interface AdmittanceContext extends LivenessContext, Pick<AuthContext, "keyRing" | "verifiedTokens"> {}

/** What a route asks of its callers. */
export interface Admittance {
  readonly access: "public" | "apikey" | "bearer" | "account" | "user" | "service";
  /** A client that refreshes its token must not be refused for the old one that it still sends along. */
  readonly isBearerIgnored: boolean;
}

/** Who is let in where, for every route there is. */
export async function admitCaller(
  context: AdmittanceContext,
  { access, isBearerIgnored }: Admittance,
  credentials: CallerCredentials,
): Promise<Caller> {
  const { keyRing, verifiedTokens, clock } = context;
  switch (access) {
    case "public":
      return { principal: { kind: "anon" }, hasAuthorization: credentials.authorization !== undefined };
    case "apikey":
      if (isBearerIgnored) return resolveKeyPrincipal(keyRing, credentials);
      return resolvePrincipal(keyRing, verifiedTokens, clock, credentials);
    case "bearer": {
      // Whether the session lives is asked in the transaction that the route begins.
      const caller = await resolvePrincipal(keyRing, verifiedTokens, clock, credentials);
      if (!caller.hasAuthorization) throw authError("no_authorization");
      return caller;
    }
    case "account":
    case "user": {
      const caller = await resolvePrincipal(keyRing, verifiedTokens, clock, credentials);
      if (!caller.hasAuthorization) throw authError("no_authorization");
      if (access === "account" && caller.principal.kind === "service") return caller;
      if (caller.principal.kind !== "user") throw tokenError("no_user");
      const { is_signature_demanded: isSignatureDemanded } = await requireLiveSession(context, caller.principal);
      return isSignatureDemanded ? { ...caller, isSignatureDemanded } : caller;
    }
    case "service": {
      const caller = await resolvePrincipal(keyRing, verifiedTokens, clock, credentials);
      if (caller.principal.kind === "service") return caller;
      throw authError(caller.hasAuthorization ? "not_admin" : "no_authorization");
    }
  }
}
