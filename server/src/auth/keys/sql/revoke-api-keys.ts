import type { ClientBase } from "pg";

/** All keys handed out so far end at `endsAt`; one that was to end earlier still does. */
export async function revokeApiKeys(client: ClientBase, endsAt: Date): Promise<void> {
  await client.query(
    `update private.api_keys
        set revoked_at = $1
      where revoked_at is null
         or revoked_at > $1`,
    [endsAt],
  );
}
