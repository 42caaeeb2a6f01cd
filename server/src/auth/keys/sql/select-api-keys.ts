import type { ClientBase } from "pg";
import type { ApiKeyRow } from "../stored-keys.ts";

/** Newest first, without those whose time is over at `now`. */
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
