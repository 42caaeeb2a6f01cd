import type { ClientBase } from "pg";

/** Also of one that was revoked: an id never comes to mean another key. */
export async function hasSigningKey(client: ClientBase, kid: string): Promise<boolean> {
  const { rowCount } = await client.query("select from private.signing_keys where kid = $1", [kid]);
  return rowCount === 1;
}
