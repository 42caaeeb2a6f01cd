import type { AuthSettings } from "../auth-context.ts";

/** Whether an address counts as confirmed as soon as it is given. Without a mail server nobody could confirm it. */
export function isAutoconfirmed({
  authAutoconfirm,
  smtpUrl,
}: Pick<AuthSettings, "authAutoconfirm" | "smtpUrl">): boolean {
  return authAutoconfirm ?? smtpUrl === null;
}
