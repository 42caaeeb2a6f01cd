import type { ClientBase } from "pg";
import type { ApiKeyRow } from "../stored-keys.ts";

/** Newest first, without those that are revoked at `now`. */
export async function selectApiKeys(client: ClientBase, now: Date): Promise<ApiKeyRow[]> {
  const { rows } = await client.query<ApiKeyRow>(
    `select id, role, token_wrapped, token_hash, kid, revoked_at
       from private.api_keys
      where revoked_at is null
         or revoked_at > $1
      order by created_at desc, id`,
    [now],
  );
  return rows;
}

export async function insertApiKey(client: ClientBase, row: Omit<ApiKeyRow, "revoked_at">, now: Date): Promise<void> {
  await client.query(
    `insert into private.api_keys (id, role, token_wrapped, token_hash, kid, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [row.id, row.role, row.token_wrapped, row.token_hash, row.kid, now],
  );
}

/** Revokes all current keys at `endsAt`, or earlier if they were to end before. */
export async function revokeApiKeys(client: ClientBase, endsAt: Date): Promise<void> {
  await client.query(
    `update private.api_keys
        set revoked_at = $1
      where revoked_at is null
         or revoked_at > $1`,
    [endsAt],
  );
}
