import type { ClientBase } from "pg";
import type { ApiKeyRow } from "../stored-keys.ts";

export async function insertApiKey(client: ClientBase, row: Omit<ApiKeyRow, "revoked_at">, now: Date): Promise<void> {
  await client.query(
    `insert into private.api_keys (id, role, token_wrapped, token_hash, kid, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [row.id, row.role, row.token_wrapped, row.token_hash, row.kid, now],
  );
}
