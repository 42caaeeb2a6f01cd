import * as z from "zod";
import { inTransaction } from "../../db/index.ts";
import { approveUnlessKnown, createEmailUser } from "../users/create-user.ts";
import { parseEmail } from "../users/email-address.ts";
import { copyMetadata } from "../users/metadata.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { inMailTransaction } from "../one-time/in-mail-transaction.ts";
import { chooseRedirect } from "../one-time/links.ts";
import { readPkce } from "../one-time/pkce.ts";
import { sendInvitation } from "../one-time/send-mail-flow.ts";
import { parseAuthBody } from "../parse-call.ts";
import { selectWholeUser, lockUserByEmail, updateUser } from "../sql/users.ts";
import { renderUser } from "../users/render-user.ts";
import { ACCOUNT_BODY, hashGivenPassword, parseAccountInput } from "./account-body.ts";

export async function createAccount(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const body = parseAuthBody(ACCOUNT_BODY, call);
  const { email, role, bannedUntil } = parseAccountInput(context, body);
  if (email === undefined) {
    throw authError("validation_failed", "Cannot create a user without either an email or phone");
  }
  // An empty password counts as none: the account is then accessible by mail only.
  const passwordHash = (await hashGivenPassword(context, { ...body, password: body.password || undefined })) ?? null;
  const isConfirmed = body.email_confirm ?? false;
  const user = await inTransaction(context.pool, async (client) => {
    const row = await createEmailUser(context, client, {
      // GoTrue does not ask the hook here either.
      approval: { id: body.id?.toLowerCase() || undefined },
      email,
      isConfirmed,
      isProven: isConfirmed,
      passwordHash,
      wholeUserMetadata: copyMetadata(body.user_metadata ?? {}),
      appMetadata: body.app_metadata,
      role,
      bannedUntil,
    });
    return selectWholeUser(client, row);
  });
  return { status: 200, body: renderUser(user) };
}

export const INVITE_BODY = z.object({
  email: z.string().default(""),
  data: z.record(z.string(), z.unknown()).optional(),
  redirect_to: z.string().optional(),
});

/** Can be repeated. Removes the password of an unconfirmed account, because anybody can have set it. */
export async function inviteAccount(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const body = parseAuthBody(INVITE_BODY, call);
  const email = parseEmail(body.email);
  const redirectTo = chooseRedirect(context, call.query["redirect_to"] ?? body.redirect_to);
  const approval = await approveUnlessKnown(context, { email, data: body.data, address: call.address });
  const user = await inMailTransaction(context, async (client) => {
    const known = await lockUserByEmail(client, email);
    if (known !== null && known.email_confirmed_at !== null) throw authError("email_exists");
    const row =
      known ??
      (await createEmailUser(context, client, {
        approval,
        email,
        isConfirmed: false,
        passwordHash: null,
        userMetadata: body.data,
      }));
    const invited = await updateUser(client, row.id, { invited_at: context.clock.now(), password_hash: null });
    return selectWholeUser(
      client,
      await sendInvitation(context, client, { user: invited, pkce: readPkce(call), redirectTo }),
    );
  });
  return { status: 200, body: renderUser(user) };
}
