import type { AccessClaims } from "../tokens/access-claims.ts";

/** Who is calling, as far as tokens tell. */
export type Principal = AnonPrincipal | ServicePrincipal | UserPrincipal;

export interface AnonPrincipal {
  readonly kind: "anon";
}

export interface ServicePrincipal {
  readonly kind: "service";
}

export interface UserPrincipal {
  readonly kind: "user";
  readonly userId: string;
  /** Null for tokens that were not issued by us and have no session to end. */
  readonly sessionId: string | null;
  readonly role: string;
  readonly aal: "aal1" | "aal2";
  readonly claims: AccessClaims;
}
