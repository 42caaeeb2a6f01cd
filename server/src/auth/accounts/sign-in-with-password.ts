import * as z from "zod";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall } from "../call.ts";
import { parseAuthBody } from "../parse-call.ts";
import { findPasswordFaults, type PasswordFaults } from "../passwords/rules.ts";
import { checkPasswordAttempt } from "../sessions/check-attempt.ts";
import { issueSession, openSession } from "../sessions/issue-session.ts";
import type { SessionBody } from "../sessions/render-session.ts";
import { findUserByEmail, lockUser, updateUser } from "../sql/users.ts";
import type { UserRow } from "../sql/user-row.ts";
import { requireSignInAllowed } from "../users/account-rules.ts";
import { findEmail } from "../users/email-address.ts";

export const PASSWORD_BODY = z.object({
  email: z.string().default(""),
  phone: z.string().default(""),
  password: z.string().default(""),
});

export type PasswordSession = SessionBody & { readonly weak_password?: PasswordFaults };

/** Until the password is verified, every error is the same and takes the same time. */
export async function signInWithPassword(context: AuthContext, call: AuthCall): Promise<PasswordSession> {
  const { email, phone, password } = parseAuthBody(PASSWORD_BODY, call);
  if (phone !== "") throw authError("phone_provider_disabled");
  if (email === "") throw authError("validation_failed", "missing email or phone");

  const user = await findAccount(context, email);
  const { isMatch, shouldRehash } = await context.hasher.verify(user?.password_hash ?? null, password);
  await checkPasswordAttempt(context, { userId: user?.id ?? null, isValid: isMatch, address: call.address });
  if (user === null || !isMatch) throw authError("invalid_credentials");
  requireSignInAllowed(context, user);

  const newHash = shouldRehash ? await context.hasher.hash(password) : undefined;
  const session = await openSession(context, async (client) => {
    const locked = await lockUser(client, user.id);
    // The password was compared without a lock. If it changed since, the comparison no longer holds.
    if (locked?.password_hash !== user.password_hash) throw authError("invalid_credentials");
    requireSignInAllowed(context, locked);
    const current = newHash === undefined ? locked : await updateUser(client, user.id, { password_hash: newHash });
    return issueSession(context, client, { user: current, method: "password", call });
  });
  const faults = findPasswordFaults(password, context.settings);
  return faults === null ? session : { ...session, weak_password: faults };
}

async function findAccount(context: AuthContext, text: string): Promise<UserRow | null> {
  const email = findEmail(text);
  return email === null ? null : findUserByEmail(context.pool, email);
}
