import * as z from "zod";
import { createEmailUser } from "../accounts/create-user.ts";
import { parseEmail } from "../accounts/email-address.ts";
import { parseBody } from "../accounts/parse-body.ts";
import { authError } from "../auth-error.ts";
import type { AuthAnswer, AuthCall } from "../call.ts";
import { inMailTransaction } from "../one-time/in-mail-transaction.ts";
import { sendInvite } from "../one-time/send-mail-flow.ts";
import type { AuthContext } from "../auth-context.ts";
import { renderUser } from "../users/render-user.ts";
import { findUserByEmail, selectWholeUser } from "../users/sql/select-user.ts";
import { updateUser } from "../users/sql/update-user.ts";

export const INVITE_BODY = z.object({
  email: z.string().default(""),
  data: z.record(z.string(), z.unknown()).optional(),
  redirect_to: z.string().optional(),
});

/**
 * Somebody who was invited and has not come yet may be invited again. A password that waits there unconfirmed may be of
 * anybody who knew the address, so it does not become that of the guest.
 */
export async function inviteAccount(context: AuthContext, call: AuthCall): Promise<AuthAnswer> {
  const body = parseBody(INVITE_BODY, call);
  const email = parseEmail(body.email);
  const redirectTo = call.query["redirect_to"] ?? body.redirect_to;
  const user = await inMailTransaction(context, async (client) => {
    const known = await findUserByEmail(client, email);
    if (known !== null && known.email_confirmed_at !== null) throw authError("email_exists");
    const row =
      known ??
      (await createEmailUser(context, client, {
        email,
        isConfirmed: false,
        passwordHash: null,
        userMetadata: body.data,
      }));
    const invited = await updateUser(client, row.id, { invited_at: context.clock.now(), password_hash: null });
    return selectWholeUser(client, await sendInvite(context, client, { user: invited, call, redirectTo }));
  });
  return { status: 200, body: renderUser(user) };
}
