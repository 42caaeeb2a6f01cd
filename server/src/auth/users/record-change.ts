import { inTransaction, type Queryable } from "../../db/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall } from "../call.ts";
import type { AccountAction } from "../mail/mail.ts";
import { insertAuditEntry, insertDeletionEntry } from "../sql/audit-log.ts";
import { insertChangeMail } from "../sql/mail-outbox.ts";
import { findUserById } from "../sql/users.ts";
import type { UserRow } from "../sql/user-row.ts";

export interface AccountChange {
  readonly action: AccountAction;
  /** As before the change. */
  readonly user: Pick<UserRow, "id" | "email" | "email_confirmed_at">;
  /** The session that acted, or the API key that the change is about. */
  readonly sessionId: string | null;
  /** The client's. */
  readonly address: string;
  /** The program that the change is about. */
  readonly clientId?: string;
  /** With a change of address: the new one gets the mail too. */
  readonly newEmail?: string;
}

/** Writes the audit entry, and the mail by which the owner notices a change by somebody else, in the caller's transaction. */
export async function recordChange(
  { clock, settings }: Pick<AuthContext, "clock" | "settings">,
  client: Queryable,
  { action, user, sessionId, address, clientId, newEmail }: AccountChange,
): Promise<void> {
  const entry = { userId: user.id, sessionId, address };
  if (action === "account_deleted") await insertDeletionEntry(client, entry);
  else await insertAuditEntry(client, { action, clientId, ...entry });
  // The first address of an account comes with no earlier owner to warn.
  if (user.email === null || user.email_confirmed_at === null) return;
  const change = { action, at: clock.now() };
  const intervalSeconds = settings.authMailIntervalSeconds;
  // In one order, so that two changes cannot wait for each other.
  for (const email of [user.email, ...(newEmail === undefined ? [] : [newEmail])].sort()) {
    await insertChangeMail(client, { email, change, intervalSeconds });
  }
}

export async function recordExport(
  context: Pick<AuthContext, "pool" | "clock" | "settings">,
  { principal, address }: Pick<AuthCall, "principal" | "address">,
): Promise<void> {
  await inTransaction(context.pool, async (client) => {
    const user = principal.userId === null ? null : await findUserById(client, principal.userId);
    if (user === null) throw authError("user_not_found", undefined, { status: 401 });
    const sessionId = principal.session?.sessionId ?? null;
    await recordChange(context, client, { action: "account_exported", user, sessionId, address });
  });
}
