import { emailClaims, EMAIL_APP_METADATA, isEmailTaken, translateUniqueViolation } from "../users/create-user.ts";
import { type AccountChange, recordChange } from "../users/record-change.ts";
import type { AuthContext } from "../auth-context.ts";
import type { Queryable } from "../../db/index.ts";
import { authError } from "../auth-error.ts";
import { upsertEmailIdentity } from "../sql/identities.ts";
import { deleteOneTimesOfUser } from "../sql/one-time-tokens.ts";
import { updateUser, findUserByEmail } from "../sql/users.ts";
import type { UserRow } from "../sql/user-row.ts";
import { oneTimeError } from "./find-one-time.ts";
import { NO_EMAIL_CHANGE } from "./issue-one-time.ts";
import { needsBothConfirmations } from "./send-mail-flow.ts";

interface ConfirmEmail {
  readonly user: UserRow;
  /**
   * Whether the mail belongs to the account that the password was set for. A sign-in link proves the address, but not
   * that the password from before belongs to the same person.
   */
  readonly isPasswordTrusted: boolean;
  /** The client's. */
  readonly address: string;
}

/** Confirms the address of a user who has proved access to the mailbox. */
export async function confirmEmail(
  context: Pick<AuthContext, "clock" | "settings">,
  client: Queryable,
  { user, isPasswordTrusted, address }: ConfirmEmail,
): Promise<UserRow> {
  if (user.email === null || user.proven_email === user.email) return user;
  // An account that nobody could use has nothing to lose.
  if (!isPasswordTrusted && user.email_confirmed_at !== null)
    await recordChange(context, client, { action: "access_removed", user, sessionId: null, address });
  const proven = await updateUser(client, user.id, {
    email_confirmed_at: user.email_confirmed_at ?? context.clock.now(),
    proven_email: user.email,
    user_metadata: { ...user.user_metadata, ...emailClaims(user.id, user.email, true) },
    ...(!isPasswordTrusted && {
      // While addresses are confirmed without a mail, anybody can have signed up with this one. A trigger ends what they have.
      access_removed_at: context.clock.now(),
      password_hash: null,
      app_metadata: { ...user.app_metadata, ...EMAIL_APP_METADATA },
      ...NO_EMAIL_CHANGE,
    }),
  });
  await upsertEmailIdentity(client, user.id, user.email, true);
  return proven;
}

/** The user of the token, or "half" for the first of the two confirmations of an e-mail change. */
export type UsedOneTime = { readonly user: UserRow } | "half";

/** Bits of `email_change_confirmations`, so that two confirmations of one address count once. */
const AGREED = { email_change_current: 1, email_change_new: 2 } as const;

type EmailChangeKind = keyof typeof AGREED;

/** Records one confirmation. When all required addresses have confirmed, the address changes. */
export async function confirmEmailChange(
  context: AuthContext,
  client: Queryable,
  { user, kind, address }: { readonly user: UserRow; readonly kind: EmailChangeKind; readonly address: string },
): Promise<UsedOneTime> {
  if (user.new_email === null) throw oneTimeError();
  const agreed = user.email_change_confirmations | AGREED[kind];
  const needed = needsBothConfirmations(context, user)
    ? AGREED.email_change_current | AGREED.email_change_new
    : AGREED.email_change_new;
  if ((agreed & needed) !== needed) {
    await updateUser(client, user.id, { email_change_confirmations: agreed });
    return "half";
  }
  try {
    const change = { user, newEmail: user.new_email, isProven: true, sessionId: null, address };
    return { user: await applyEmailChange(context, client, change) };
  } catch (error) {
    // The address was taken after the mail was sent: same error as for any invalid token.
    if (isEmailTaken(error)) throw oneTimeError();
    throw error;
  }
}

interface AppliedEmailChange extends Pick<AccountChange, "sessionId" | "address"> {
  readonly user: UserRow;
  readonly newEmail: string;
  readonly isProven: boolean;
}

/** Sets the address of an account and deletes the tokens that were mailed to the previous one. */
export async function applyEmailChange(
  context: Pick<AuthContext, "clock" | "settings">,
  client: Queryable,
  { user, newEmail, isProven, sessionId, address }: AppliedEmailChange,
): Promise<UserRow> {
  const owner = await findUserByEmail(client, newEmail);
  if (owner !== null && owner.id !== user.id) throw authError("email_exists");
  await deleteOneTimesOfUser(client, user.id);
  const changed = await updateUser(client, user.id, {
    email: newEmail,
    email_confirmed_at: context.clock.now(),
    proven_email: isProven ? newEmail : null,
    ...NO_EMAIL_CHANGE,
    is_anonymous: false,
    app_metadata: { ...EMAIL_APP_METADATA, ...user.app_metadata },
    user_metadata: { ...user.user_metadata, ...emailClaims(user.id, newEmail, true) },
  }).catch((error: unknown) => {
    throw translateUniqueViolation(error);
  });
  await upsertEmailIdentity(client, user.id, newEmail, true);
  await recordChange(context, client, { action: "email_changed", user, newEmail, sessionId, address });
  return changed;
}
