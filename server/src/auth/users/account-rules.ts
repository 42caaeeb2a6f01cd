import type { Settings } from "../../config/index.ts";
import type { AuthContext } from "../auth-context.ts";
import type { UserRow } from "../sql/user-row.ts";

/** Whether an address counts as confirmed as soon as it is given. Without a mail server, nobody could confirm one. */
export function isAutoconfirmed({ authAutoconfirm, smtpUrl }: Settings): boolean {
  return authAutoconfirm ?? smtpUrl === null;
}

export function isBanned({ clock }: Pick<AuthContext, "clock">, user: Pick<UserRow, "banned_until">): boolean {
  return user.banned_until !== null && user.banned_until > clock.now();
}
