import { createHmac } from "node:crypto";
import { deriveKey } from "../../crypto/index.ts";
import { authError } from "../auth-error.ts";
import type { AuthContext } from "../auth-context.ts";
import type { Queryable } from "../../db/index.ts";
import type { MailingClient } from "./in-mail-transaction.ts";
import { claimThrottle, findThrottle } from "../sql/mail-throttles.ts";

/** The throttle group of a mail. The kind of the mail can depend on whether the address has an account. */
export type MailSlot =
  | "confirmation"
  | "magiclink"
  | "recovery"
  | "invite"
  | "email_change"
  | "email_change_resend"
  | "reauthentication";

/** Claims the slot or throws 429. Called before the address is looked up: unknown ones are throttled alike. */
export async function claimMailSlot(
  context: Pick<AuthContext, "clock" | "masterKey" | "settings">,
  client: Queryable & Partial<Pick<MailingClient, "claimed">>,
  { address, slot }: { readonly address: string; readonly slot: MailSlot },
): Promise<void> {
  const intervalSeconds = context.settings.authMailIntervalSeconds;
  if (intervalSeconds === 0) return;
  const now = context.clock.now();
  const key = { addressHash: hashAddress(context.masterKey, address), slot };
  if (await claimThrottle(client, { ...key, now, intervalSeconds })) {
    client.claimed?.({ ...key, sentAt: now });
    return;
  }
  const sentAt = (await findThrottle(client, key)) ?? now;
  const waitMs = sentAt.getTime() + intervalSeconds * 1000 - now.getTime();
  // A node whose clock is behind would otherwise ask for more than the interval.
  const waitSeconds = Math.min(intervalSeconds, Math.max(1, Math.ceil(waitMs / 1000)));
  throw authError(
    "over_email_send_rate_limit",
    `For security purposes, you can only request this after ${waitSeconds} seconds.`,
    { retryAfterSeconds: waitSeconds },
  );
}

function hashAddress(masterKey: string, address: string): Buffer {
  return createHmac("sha256", deriveKey(masterKey, "mail-throttle")).update(address).digest();
}
