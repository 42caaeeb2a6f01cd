import type { AdmittanceContext } from "./admit-caller.ts";
import type { Principal } from "./principal.ts";
import { requireLiveSession } from "./require-live-session.ts";
import { resolvePrincipal } from "./resolve-principal.ts";

export interface AdmittedToken {
  readonly principal: Principal;
  /** Null for keys, which do not end by themselves. */
  readonly expiresAt: Date | null;
}

/** Who speaks over a connection that stays open. Without a token the key says who it is. */
export async function admitToken(
  context: AdmittanceContext,
  { apikey, token }: { readonly apikey: string; readonly token: string | null },
): Promise<AdmittedToken> {
  const { keyRing, verifiedTokens, clock } = context;
  const credentials = { apikey, authorization: token === null ? undefined : `Bearer ${token}` };
  const { principal } = await resolvePrincipal(keyRing, verifiedTokens, clock, credentials);
  if (principal.kind !== "user") return { principal, expiresAt: null };
  await requireLiveSession(context, principal);
  return { principal, expiresAt: new Date(principal.claims.exp * 1000) };
}
