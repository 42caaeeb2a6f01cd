import * as z from "zod";
import { inTransaction } from "../../db/index.ts";
import { isRecord } from "../../json/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { lockPrincipal, requireSufficientAal } from "../mfa/lock-principal.ts";
import { readLinkOptions } from "../one-time/mail-jobs.ts";
import { parseBody } from "../parse-call.ts";
import { selectWholeUser, updateUser } from "../sql/users.ts";
import { renderUser } from "../users/render-user.ts";
import { isAutoconfirmed } from "./account-rules.ts";
import { changeEmail } from "./change-email.ts";
import { changePassword, preparePassword } from "./change-password.ts";
import { withoutClaims } from "./create-user.ts";
import { parseEmail } from "./email-address.ts";
import { mergeMetadata } from "./metadata.ts";
import { rejectPhoneNumber } from "./phone-number.ts";

export async function getUser(_context: AuthContext, { user }: AuthCall): Promise<AuthResponse> {
  if (user === undefined) throw authError("no_authorization");
  return { status: 200, body: renderUser(user) };
}

export const UPDATE_BODY = z.object({
  email: z.string().default(""),
  phone: z.string().default(""),
  password: z.string().default(""),
  current_password: z.string().optional(),
  nonce: z.string().default(""),
  data: z.record(z.string(), z.unknown()).optional(),
});

/** PUT /user. Applies all changes or none. */
export async function updateAccount(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const body = parseBody(UPDATE_BODY, call);
  if (isRecord(call.body) && "app_metadata" in call.body) {
    throw authError("not_admin", "Updating app_metadata requires admin privileges");
  }
  if (body.phone !== "") rejectPhoneNumber(body.phone);
  const email = body.email === "" ? null : parseEmail(body.email);
  const prepared =
    body.password === "" ? null : await preparePassword(context, call, { ...body, isEmailGiven: email !== null });

  const change = email === null ? null : { email, options: readLinkOptions(context, call) };
  if (change !== null && !isAutoconfirmed(context.settings)) await context.mailer.checkReady();
  const user = await inTransaction(context.pool, async (client) => {
    const locked = await lockPrincipal(client, call);
    const { session } = locked;
    let row = locked.user;
    if (prepared !== null || (email !== null && email !== row.email)) {
      await requireSufficientAal(client, locked);
    }
    if (prepared !== null) row = await changePassword(context, client, { user: row, session, prepared });
    if (body.data !== undefined) {
      const userMetadata = mergeMetadata(row.user_metadata, withoutClaims(body.data));
      row = await updateUser(client, row.id, { user_metadata: userMetadata });
    }
    if (change !== null && email !== row.email) row = await changeEmail(context, client, { user: row, ...change });
    return selectWholeUser(client, row);
  });
  context.mailWakeUp.trigger();
  return { status: 200, body: renderUser(user) };
}
