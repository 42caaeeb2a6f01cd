import type { Queryable } from "../../db/index.ts";
import type { AccountAction } from "../mail/mail.ts";

type AuditAction =
  | AccountAction
  | "refresh_token_reused"
  | "authorization_code_reused"
  | "recovery_code_used"
  | "recovery_code_rejected"
  | "passkey_counter_rejected";

interface AuditEntry {
  readonly action: AuditAction;
  readonly userId: string;
  /** The session that acted, or the API key that the entry is about. */
  readonly sessionId: string | null;
  readonly address: string;
  /** The program that the entry is about, or whose session it is. */
  readonly clientId?: string | undefined;
}

/** Writes nothing while the account is being deleted, which ends its entries: waiting for that deletion could deadlock. */
export async function insertAuditEntry(client: Queryable, entry: AuditEntry): Promise<void> {
  await client.query(
    `insert into auth.audit_log_entries (action, user_id, session_id, ip, client_id)
     select $1, u.id, $3, $4, $5 from auth.users u where u.id = $2 for key share skip locked`,
    [entry.action, entry.userId, entry.sessionId, entry.address, entry.clientId ?? null],
  );
}

/** In the transaction that deletes the account, which this entry outlives. */
export async function insertDeletionEntry(client: Queryable, entry: Omit<AuditEntry, "action">): Promise<void> {
  await client.query(
    `insert into auth.audit_log_entries (action, deleted_user_id, session_id, ip)
     values ('account_deleted', $1, $2, $3)`,
    [entry.userId, entry.sessionId, entry.address],
  );
}

export async function deleteAuditEntriesOf(client: Queryable, userId: string): Promise<void> {
  await client.query("delete from auth.audit_log_entries where user_id = $1", [userId]);
}
