import { emailClaims, EMAIL_APP_METADATA, isEmailTaken, translateTaken } from "../accounts/create-user.ts";
import type { AuthContext, Queryable } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import { upsertEmailIdentity } from "../sql/identities.ts";
import { deleteOneTimesOfUser } from "../sql/one-time-tokens.ts";
import { updateUser, findUserByEmail } from "../sql/users.ts";
import type { UserRow } from "../users/user-row.ts";
import { refuseOneTime } from "./find-one-time.ts";
import { needsBothConfirmations } from "./send-mail-flow.ts";

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

/** Whose token it was; or, of the two that an e-mail change needs, that it was the first. */
export type UsedOneTime = { readonly user: UserRow } | "half";

/** Bits of `email_change_confirmations`: an address that agrees twice counts once. */
const AGREED = { email_change_current: 1, email_change_new: 2 } as const;

export type EmailChangeKind = keyof typeof AGREED;

/** Notes that one address agrees; when all have whose word is needed, the address changes. */
export async function confirmEmailChange(
  context: AuthContext,
  client: Queryable,
  { user, kind }: { readonly user: UserRow; readonly kind: EmailChangeKind },
): Promise<UsedOneTime> {
  if (user.new_email === null) throw refuseOneTime();
  const agreed = user.email_change_confirmations | AGREED[kind];
  const needed = needsBothConfirmations(context, user)
    ? AGREED.email_change_current | AGREED.email_change_new
    : AGREED.email_change_new;
  if ((agreed & needed) !== needed) {
    await updateUser(client, user.id, { email_change_confirmations: agreed });
    return "half";
  }
  try {
    return { user: await applyEmailChange(context, client, { user, newEmail: user.new_email }) };
  } catch (error) {
    // Taken since the mail went out: refused like any token that is no good.
    if (isEmailTaken(error)) throw refuseOneTime();
    throw error;
  }
}

/** The address that an account has from now on. What was mailed to the one before is worth nothing any more. */
export async function applyEmailChange(
  context: Pick<AuthContext, "clock">,
  client: Queryable,
  { user, newEmail }: { readonly user: UserRow; readonly newEmail: string },
): Promise<UserRow> {
  const owner = await findUserByEmail(client, newEmail);
  if (owner !== null && owner.id !== user.id) throw authError("email_exists");
  await deleteOneTimesOfUser(client, user.id);
  const changed = await updateUser(client, user.id, {
    email: newEmail,
    email_confirmed_at: context.clock.now(),
    new_email: null,
    email_change_confirmations: 0,
    is_anonymous: false,
    app_metadata: { ...EMAIL_APP_METADATA, ...user.app_metadata },
    user_metadata: { ...user.user_metadata, ...emailClaims(user.id, newEmail, true) },
  }).catch((error: unknown) => {
    throw translateTaken(error);
  });
  await upsertEmailIdentity(client, user.id, newEmail, true);
  return changed;
}
