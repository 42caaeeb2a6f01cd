import type { AuthCall } from "../call.ts";
import { applyEmailChange } from "../one-time/confirm-email.ts";
import type { MailingClient } from "../one-time/in-mail-transaction.ts";
import { sendAddressTaken, sendEmailChange } from "../one-time/send-mail-flow.ts";
import type { AuthContext } from "../auth-context.ts";
import { findUserByEmail } from "../sql/users.ts";
import type { UserRow } from "../users/user-row.ts";
import { isAutoconfirmed } from "./account-rules.ts";
import { translateTaken } from "./create-user.ts";

export interface EmailChange {
  readonly user: UserRow;
  /** In its normal form. */
  readonly email: string;
  readonly call: AuthCall;
}

/** The first address of an anonymous user is a change too: with it, at the latest, the user stays. */
export async function changeEmail(
  context: AuthContext,
  client: MailingClient,
  { user, email, call }: EmailChange,
): Promise<UserRow> {
  if (!isAutoconfirmed(context.settings)) {
    return sendEmailChange(context, client, { user, newEmail: email, call, redirectTo: call.query["redirect_to"] });
  }
  if ((await findUserByEmail(client, email)) !== null) {
    await sendAddressTaken(context, client, email);
    return user;
  }
  return applyEmailChange(context, client, { user, newEmail: email }).catch((error: unknown) => {
    throw translateTaken(error);
  });
}
