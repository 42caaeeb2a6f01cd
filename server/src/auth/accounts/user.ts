import * as z from "zod";
import { inTransaction, type Queryable } from "../../db/index.ts";
import { isRecord } from "../../json/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthResponse, AuthCall } from "../call.ts";
import { lockPrincipal } from "../mfa/lock-principal.ts";
import { readLinkOptions } from "../one-time/mail-jobs.ts";
import { parseAuthBody } from "../parse-call.ts";
import { findUserById, selectWholeUser, updateUser } from "../sql/users.ts";
import { renderUser } from "../users/render-user.ts";
import type { UserRow, WholeUser } from "../sql/user-row.ts";
import { isAutoconfirmed } from "../users/account-rules.ts";
import { changeEmail } from "./change-email.ts";
import { changePassword, hashNewPassword } from "./change-password.ts";
import { withoutClaims } from "../users/create-user.ts";
import { parseEmail } from "../users/email-address.ts";
import { mergeMetadata } from "../users/metadata.ts";
import { rejectPhoneNumber } from "../users/phone-number.ts";
import { retryAfterDeadlock } from "../users/retry-after-deadlock.ts";
import { checkProofs, recordProofs } from "./prove-owner.ts";

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

export function hasCurrentPassword(body: unknown): boolean {
  return isRecord(body) && typeof body["current_password"] === "string";
}

/** PUT /user. Applies all changes or none. A password or nonce alone proves that the session belongs to the owner. */
export async function updateAccount(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const body = parseAuthBody(UPDATE_BODY, call);
  if (isRecord(call.body) && "app_metadata" in call.body) {
    throw authError("not_admin", "Updating app_metadata requires admin privileges");
  }
  if (body.phone !== "") rejectPhoneNumber(body.phone);
  const email = body.email === "" ? null : parseEmail(body.email);
  const current = await getCaller(context, call);
  const proofs = await checkProofs(context, current, body);
  const given = { password: body.password, isEmailGiven: email !== null };
  const hash = body.password === "" ? null : await hashNewPassword(context, current, given);
  const { address } = call;

  const change = email === null ? null : { email, options: readLinkOptions(context, call) };
  if (change !== null && !isAutoconfirmed(context.settings)) await context.mailer.checkReady();
  const update = async (client: Queryable): Promise<WholeUser> => {
    const locked = await recordProofs(context, client, await lockPrincipal(client, call), proofs);
    let row = locked.user;
    if (hash !== null) row = await changePassword(context, client, locked, { hash, address });
    if (body.data !== undefined) {
      const userMetadata = mergeMetadata(row.user_metadata, withoutClaims(body.data));
      row = await updateUser(client, row.id, { user_metadata: userMetadata });
    }
    if (change !== null && email !== row.email) {
      row = await changeEmail(context, client, { ...locked, user: row }, { ...change, address });
    }
    return selectWholeUser(client, row);
  };
  // With a new password, programs end, and with them the runs that they have started.
  const user = await retryAfterDeadlock(() => inTransaction(context.pool, update));
  context.mailWakeUp.trigger();
  return { status: 200, body: renderUser(user) };
}

async function getCaller({ pool }: Pick<AuthContext, "pool">, { principal }: AuthCall): Promise<UserRow> {
  if (principal.role !== "authenticated") throw authError("no_authorization");
  const user = await findUserById(pool, principal.userId);
  if (user === null) throw authError("user_not_found", undefined, { status: 401 });
  return user;
}
