import type { Queryable } from "../../db/index.ts";

/** Returns false when the user has used the nonce before, or no longer exists. */
export async function insertNonce(
  client: Queryable,
  { userId, nonce, expiresAt }: { readonly userId: string; readonly nonce: string; readonly expiresAt: Date },
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: "insert-nonce",
    // The lock waits for a deletion of the account, which would otherwise violate the foreign key.
    text: `insert into private.request_nonces (user_id, nonce, expires_at)
           select u.id, $2, $3 from auth.users u where u.id = $1 for key share
           on conflict (user_id, nonce) do nothing`,
    values: [userId, nonce, expiresAt],
  });
  return rowCount === 1;
}
