import type { AuthContext, Queryable } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall } from "../call.ts";
import { consumeReauthentication, findReauthentication } from "../one-time/find-one-time.ts";
import { deletePendingFlows, NO_EMAIL_CHANGE } from "../one-time/issue-one-time.ts";
import { checkNewPassword } from "../passwords/rules.ts";
import type { OneTimeRow } from "../sql/one-time-tokens.ts";
import { deleteSessions, type SessionRow } from "../sql/sessions.ts";
import { findUserById, updateUser } from "../sql/users.ts";
import type { UserRow } from "../users/user-row.ts";

const RECENT_SIGN_IN_MS = 24 * 60 * 60 * 1000;

export interface NewPassword {
  readonly password: string;
  /** Verified when present. */
  readonly current_password?: string | undefined;
  readonly nonce: string;
  readonly isEmailGiven: boolean;
}

export interface PreparedPassword {
  readonly hash: string;
  readonly hasNonce: boolean;
  readonly reauthentication: OneTimeRow | null;
}

/** Does the slow work for a new password before a transaction begins. */
export async function preparePassword(
  context: AuthContext,
  call: AuthCall,
  given: NewPassword,
): Promise<PreparedPassword> {
  const { principal } = call;
  if (principal.role !== "authenticated") throw authError("no_authorization");
  checkNewPassword(given.password, context.settings);
  const user = await findUserById(context.pool, principal.userId);
  if (user?.is_anonymous && !given.isEmailGiven) {
    const message = "Updating password of an anonymous user without an email or phone is not allowed";
    throw authError("validation_failed", message, { status: 422 });
  }
  const formerHash = user?.password_hash ?? null;
  if (formerHash !== null) {
    const { current_password: current } = given;
    if (current !== undefined && !(await context.hasher.verify(formerHash, current)).isMatch) {
      throw authError("current_password_invalid");
    }
    if ((await context.hasher.verify(formerHash, given.password)).isMatch) throw authError("same_password");
  }
  const hash = await context.hasher.hash(given.password);
  const { nonce } = given;
  const isNonceWanted = context.settings.authReauthenticate && user !== null;
  const reauthentication = isNonceWanted ? await findReauthentication(context, { user, nonce }) : null;
  return { hash, hasNonce: nonce !== "", reauthentication };
}

export interface PasswordChange {
  readonly user: UserRow;
  readonly session: SessionRow;
  readonly prepared: PreparedPassword;
}

/** Ends all other sessions and pending flows, because somebody who knew the old password may own them. */
export async function changePassword(
  context: AuthContext,
  client: Queryable,
  { user, session, prepared }: PasswordChange,
): Promise<UserRow> {
  const isSignInOld = context.clock.now().getTime() - session.created_at.getTime() > RECENT_SIGN_IN_MS;
  if (context.settings.authReauthenticate && isSignInOld) {
    if (!prepared.hasNonce) throw authError("reauthentication_needed");
    await consumeReauthentication(client, { user, found: prepared.reauthentication });
  }
  await deleteSessions(client, { userId: user.id, except: session.id });
  await deletePendingFlows(client, user.id);
  return updateUser(client, user.id, { password_hash: prepared.hash, ...NO_EMAIL_CHANGE });
}
