import type { AuthContext } from "../auth-context.ts";
import { insertAuditEntry } from "../sql/audit-log.ts";
import type { Queryable } from "../sql/query.ts";
import { type CredentialRow, type CredentialUse, useCredential } from "../sql/webauthn-credentials.ts";

export interface RecordedUse {
  readonly credential: CredentialRow;
  readonly use: CredentialUse;
  /** Of a second factor. */
  readonly sessionId: string | null;
  readonly address: string;
}

/** False when the counter went back. The caller must commit, so that the entry of the audit log stays. */
export async function recordUse(
  { observer }: Pick<AuthContext, "observer">,
  client: Queryable,
  { credential, use, sessionId, address }: RecordedUse,
): Promise<boolean> {
  const { id: credentialId, user_id: userId } = credential;
  if (await useCredential(client, credentialId, use)) return true;
  await insertAuditEntry(client, { action: "passkey_counter_rejected", userId, sessionId, address });
  observer.note("passkey.counter_rejected", { userId, credentialId, address });
  return false;
}
