import type { AuthContext } from "../auth-context.ts";
import type { Queryable } from "../../db/index.ts";
import { authError } from "../auth-error.ts";
import type { LockedPrincipal } from "../mfa/lock-principal.ts";
import { consumeReauthentication, findReauthentication } from "../one-time/find-one-time.ts";
import type { OneTimeRow } from "../sql/one-time-tokens.ts";
import { updateSession } from "../sql/sessions.ts";
import type { UserRow } from "../sql/user-row.ts";

export interface GivenProofs {
  readonly current_password?: string | undefined;
  /** Empty: none. */
  readonly nonce: string;
}

export interface CheckedProofs {
  /** The hash that the given password matched; null when none was given. */
  readonly matchedHash: string | null;
  readonly isNonceGiven: boolean;
  readonly reauthentication: OneTimeRow | null;
}

/** Does the slow work before a transaction begins. */
export async function checkProofs(
  context: AuthContext,
  user: UserRow,
  { current_password: password, nonce }: GivenProofs,
): Promise<CheckedProofs> {
  if (password !== undefined && !(await context.hasher.verify(user.password_hash, password)).isMatch) {
    throw authError("current_password_invalid");
  }
  const isNonceGiven = context.settings.authReauthenticate && nonce !== "";
  return {
    matchedHash: password === undefined ? null : user.password_hash,
    isNonceGiven,
    reauthentication: isNonceGiven ? await findReauthentication(context, { user, nonce }) : null,
  };
}

/** Uses the nonce up, and records on the session that its holder is the owner of the account. */
export async function recordProofs(
  { clock }: Pick<AuthContext, "clock">,
  client: Queryable,
  { user, session }: LockedPrincipal,
  { matchedHash, isNonceGiven, reauthentication }: CheckedProofs,
): Promise<LockedPrincipal> {
  // The password was compared without a lock. If it changed since, the comparison no longer holds.
  if (matchedHash !== null && matchedHash !== user.password_hash) throw authError("current_password_invalid");
  if (isNonceGiven) await consumeReauthentication(client, { user, found: reauthentication });
  if (matchedHash === null && !isNonceGiven) return { user, session };
  return { user, session: await updateSession(client, session.id, { proven_at: clock.now() }) };
}
