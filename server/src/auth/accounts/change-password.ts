import type { AuthContext } from "../auth-context.ts";
import type { Queryable } from "../../db/index.ts";
import { authError } from "../auth-error.ts";
import type { LockedPrincipal } from "../mfa/lock-principal.ts";
import { deletePendingFlows, NO_EMAIL_CHANGE } from "../one-time/issue-one-time.ts";
import { checkNewPassword } from "../passwords/rules.ts";
import { requireClientProof } from "../sessions/recent-proof.ts";
import { disconnectPrograms } from "../sql/oauth-consents.ts";
import { deleteSessions } from "../sql/sessions.ts";
import { updateUser } from "../sql/users.ts";
import type { UserRow } from "../sql/user-row.ts";
import { recordChange } from "../users/record-change.ts";

/** Does the slow work for a new password before a transaction begins. Returns its hash. */
export async function hashNewPassword(
  context: AuthContext,
  user: UserRow,
  { password, isEmailGiven }: { readonly password: string; readonly isEmailGiven: boolean },
): Promise<string> {
  checkNewPassword(password, context.settings);
  if (user.is_anonymous && !isEmailGiven) {
    const message = "Updating password of an anonymous user without an email or phone is not allowed";
    throw authError("validation_failed", message, { status: 422 });
  }
  const { password_hash: formerHash } = user;
  if (formerHash !== null && (await context.hasher.verify(formerHash, password)).isMatch) {
    throw authError("same_password");
  }
  return context.hasher.hash(password);
}

export interface PasswordChange {
  readonly hash: string;
  /** The client's. */
  readonly address: string;
}

/** Ends all other sessions, connected programs and pending flows, because somebody who knew the old password may own them. */
export async function changePassword(
  context: AuthContext,
  client: Queryable,
  { user, session }: LockedPrincipal,
  { hash, address }: PasswordChange,
): Promise<UserRow> {
  requireClientProof(context, { user, session }, "Password update");
  await recordChange(context, client, { action: "password_changed", user, sessionId: session.id, address });
  await deleteSessions(client, { userId: user.id, except: session.id });
  await disconnectPrograms(client, user.id);
  await deletePendingFlows(client, user.id);
  return updateUser(client, user.id, { password_hash: hash, ...NO_EMAIL_CHANGE });
}
