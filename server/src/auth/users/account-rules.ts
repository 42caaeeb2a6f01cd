import type { Settings } from "../../config/index.ts";
import type { AuthContext } from "../auth-context.ts";
import type { UserRow } from "../sql/user-row.ts";
import { authError } from "../auth-error.ts";

/** Whether an address counts as confirmed as soon as it is given. Without a mail server, nobody could confirm one. */
export function isAutoconfirmed(settings: MailSettings & Pick<Settings, "authAutoconfirm">): boolean {
  return settings.authAutoconfirm ?? !sendsMails(settings);
}

type MailSettings = Pick<Settings, "smtpUrl" | "authHookSendEmailUri">;

/** Whether mails leave this machine, and are not only written to files. */
export function sendsMails({ smtpUrl, authHookSendEmailUri }: MailSettings): boolean {
  return smtpUrl !== null || authHookSendEmailUri !== null;
}

export function isBanned({ clock }: Pick<AuthContext, "clock">, user: Pick<UserRow, "banned_until">): boolean {
  return user.banned_until !== null && user.banned_until > clock.now();
}

/** Throws when the account may not be signed in to. Called after the caller has proved to be its owner. */
export function requireSignInAllowed(context: Pick<AuthContext, "clock">, user: UserRow): void {
  if (isBanned(context, user)) throw authError("user_banned", undefined, { status: 400 });
  if (user.email !== null && user.email_confirmed_at === null) throw authError("email_not_confirmed");
}
