import * as z from "zod";
import { inTransaction, type Queryable } from "../../db/index.ts";
import { isRecord } from "../../json/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall, AuthResponse } from "../call.ts";
import { type LockedPrincipal, lockPrincipal } from "../mfa/lock-principal.ts";
import { claimMailSlot } from "../one-time/claim-mail-slot.ts";
import { applyEmailChange } from "../one-time/confirm-email.ts";
import { consumeReauthentication, findReauthentication } from "../one-time/find-one-time.ts";
import { deletePendingFlows, NO_EMAIL_CHANGE } from "../one-time/issue-one-time.ts";
import { type LinkOptions, readLinkOptions, storeMailJob } from "../one-time/mail-jobs.ts";
import { beginEmailChange, needsBothConfirmations } from "../one-time/send-mail-flow.ts";
import { parseAuthBody } from "../parse-call.ts";
import { checkNewPassword } from "../passwords/rules.ts";
import { requireClientProof } from "../sessions/recent-proof.ts";
import { disconnectPrograms } from "../sql/oauth-consents.ts";
import type { OneTimeRow } from "../sql/one-time-tokens.ts";
import { deleteSessions, updateSession } from "../sql/sessions.ts";
import type { UserRow, WholeUser } from "../sql/user-row.ts";
import { findUserByEmail, findUserById, selectWholeUser, updateUser } from "../sql/users.ts";
import { isAutoconfirmed } from "../users/account-rules.ts";
import { translateUniqueViolation, withoutClaims } from "../users/create-user.ts";
import { parseEmail } from "../users/email-address.ts";
import { mergeMetadata } from "../users/metadata.ts";
import { rejectPhoneNumber } from "../users/phone-number.ts";
import { recordChange } from "../users/record-change.ts";
import { renderUser } from "../users/render-user.ts";
import { retryAfterDeadlock } from "../users/retry-after-deadlock.ts";

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

interface EmailChange {
  /** Normalized. */
  readonly email: string;
  readonly options: LinkOptions;
  /** The client's. */
  readonly address: string;
}

/** Also sets the first address of an anonymous user, which makes the account permanent. */
async function changeEmail(
  context: AuthContext,
  client: Queryable,
  { user, session }: LockedPrincipal,
  { email, options, address }: EmailChange,
): Promise<UserRow> {
  // Otherwise the owner agrees at the current address.
  if (isAutoconfirmed(context.settings) || !needsBothConfirmations(context, user)) {
    requireClientProof(context, { user, session }, "Email update");
  }
  if (!isAutoconfirmed(context.settings)) {
    // Whether the address is taken is looked up after the response, which must not reveal it.
    await claimMailSlot(context, client, { address: `user:${user.id}`, slot: "email_change" });
    await claimMailSlot(context, client, { address: email, slot: "email_change" });
    await storeMailJob(client, { address: email, flow: { flow: "email_change", userId: user.id }, options });
    return beginEmailChange(context, client, { user, newEmail: email });
  }
  if ((await findUserByEmail(client, email)) !== null) {
    await claimMailSlot(context, client, { address: email, slot: "confirmation" });
    await storeMailJob(client, { address: email, flow: { flow: "address_taken" }, options });
    return user;
  }
  const changed = { user, newEmail: email, isProven: false, sessionId: session.id, address };
  return applyEmailChange(context, client, changed).catch((error: unknown) => {
    throw translateUniqueViolation(error);
  });
}

/** Does the slow work for a new password before a transaction begins. Returns its hash. */
async function hashNewPassword(
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

interface PasswordChange {
  readonly hash: string;
  /** The client's. */
  readonly address: string;
}

/** Ends all other sessions, connected programs and pending flows, because somebody who knew the old password may own them. */
async function changePassword(
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

interface GivenProofs {
  readonly current_password?: string | undefined;
  /** Empty: none. */
  readonly nonce: string;
}

interface CheckedProofs {
  /** The hash that the given password matched; null when none was given. */
  readonly matchedHash: string | null;
  readonly isNonceGiven: boolean;
  readonly reauthentication: OneTimeRow | null;
}

/** Does the slow work before a transaction begins. */
async function checkProofs(
  context: AuthContext,
  user: UserRow,
  { current_password: password, nonce }: GivenProofs,
): Promise<CheckedProofs> {
  if (password !== undefined && !(await context.hasher.verify(user.password_hash, password)).isMatch) {
    throw authError("current_password_invalid");
  }
  const isNonceGiven = context.settings.authReauthenticate && nonce !== "";
  return {
    matchedHash: password === undefined ? null : user.password_hash,
    isNonceGiven,
    reauthentication: isNonceGiven ? await findReauthentication(context, { user, nonce }) : null,
  };
}

/** Uses the nonce up, and records on the session that its holder is the owner of the account. */
async function recordProofs(
  { clock }: Pick<AuthContext, "clock">,
  client: Queryable,
  { user, session }: LockedPrincipal,
  { matchedHash, isNonceGiven, reauthentication }: CheckedProofs,
): Promise<LockedPrincipal> {
  // The password was compared without a lock. If it changed since, the comparison no longer holds.
  if (matchedHash !== null && matchedHash !== user.password_hash) throw authError("current_password_invalid");
  if (isNonceGiven) await consumeReauthentication(client, { user, found: reauthentication });
  if (matchedHash === null && !isNonceGiven) return { user, session };
  return { user, session: await updateSession(client, session.id, { proven_at: clock.now() }) };
}
