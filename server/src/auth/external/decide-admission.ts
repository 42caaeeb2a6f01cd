export interface AdmissionFacts {
  /** The account that has the identity; null: none. */
  readonly ownerId: string | null;
  /** The account that links the identity; null: somebody signs in. */
  readonly linkingUserId: string | null;
  /** The account with the address that the provider calls verified; null: none, or the provider does not say so. */
  readonly account: { readonly id: string; readonly isAddressProven: boolean } | null;
  readonly isSignupEnabled: boolean;
}

export type Admission =
  | { readonly kind: "sign-in"; readonly userId: string }
  | { readonly kind: "create" }
  /** `take-over`: after everything that gave access to the account is removed, because nobody has ever proven its address. */
  | { readonly kind: "link" | "take-over"; readonly userId: string }
  | { readonly kind: "refuse"; readonly code: "identity_already_exists" | "signup_disabled" };

/**
 * The identity decides before the address does, which can change at the provider. An address that the provider does not call
 * verified decides nothing.
 */
export function decideAdmission({ ownerId, linkingUserId, account, isSignupEnabled }: AdmissionFacts): Admission {
  if (linkingUserId !== null)
    return ownerId === null
      ? { kind: "link", userId: linkingUserId }
      : { kind: "refuse", code: "identity_already_exists" };
  if (ownerId !== null) return { kind: "sign-in", userId: ownerId };
  if (account !== null) return { kind: account.isAddressProven ? "link" : "take-over", userId: account.id };
  return isSignupEnabled ? { kind: "create" } : { kind: "refuse", code: "signup_disabled" };
}
