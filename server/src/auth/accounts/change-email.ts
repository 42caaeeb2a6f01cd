import type { AuthCall } from "../call.ts";
import { applyEmailChange } from "../one-time/confirm-email.ts";
import type { MailingClient } from "../one-time/in-mail-transaction.ts";
import { sendAddressTaken, sendEmailChange } from "../one-time/send-mail-flow.ts";
import type { AuthContext } from "../auth-context.ts";
import { findUserByEmail } from "../sql/users.ts";
import type { UserRow } from "../users/user-row.ts";
import { isAutoconfirmed } from "./account-rules.ts";
import { translateUniqueViolation } from "./create-user.ts";

export interface EmailChange {
  readonly user: UserRow;
  /** Normalized. */
  readonly email: string;
  readonly call: AuthCall;
}

/** Also sets the first address of an anonymous user, which makes the account permanent. */
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
    throw translateUniqueViolation(error);
  });
}
