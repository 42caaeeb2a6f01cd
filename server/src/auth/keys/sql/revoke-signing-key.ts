import type { ClientBase } from "pg";

/** Whether there was such a key that did not sign and was not revoked yet. */
export async function revokeSigningKeyRow(client: ClientBase, kid: string, now: Date): Promise<boolean> {
  const { rowCount } = await client.query(
    `update private.signing_keys
        set status = 'revoked',
            retired_at = least(retired_at, $2)
      where kid = $1
        and purpose = 'access_token'
        and status in ('standby', 'previous')`,
    [kid, now],
  );
  return rowCount === 1;
}
