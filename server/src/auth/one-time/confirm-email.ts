import { emailClaims } from "../accounts/create-user.ts";
import type { AuthContext, Queryable } from "../auth-context.ts";
import { upsertEmailIdentity } from "../users/sql/insert-identity.ts";
import { updateUser } from "../users/sql/update-user.ts";
import type { UserRow } from "../users/user-row.ts";

export interface ConfirmEmail {
  readonly user: UserRow;
  /**
   * Whether the mail was about the account that the password was set for. Somebody who signs in by a link they asked for
   * proves the address, not that a password which waited there unconfirmed is theirs.
   */
  readonly isPasswordTrusted: boolean;
}

/** Whoever has the mail has the address. */
export async function confirmEmail(
  context: Pick<AuthContext, "clock">,
  client: Queryable,
  { user, isPasswordTrusted }: ConfirmEmail,
): Promise<UserRow> {
  if (user.email === null || user.email_confirmed_at !== null) return user;
  await upsertEmailIdentity(client, user.id, user.email, true);
  return updateUser(client, user.id, {
    email_confirmed_at: context.clock.now(),
    user_metadata: { ...user.user_metadata, ...emailClaims(user.id, user.email, true) },
    ...(!isPasswordTrusted && { password_hash: null }),
  });
}
