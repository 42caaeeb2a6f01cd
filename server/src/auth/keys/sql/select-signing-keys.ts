import type { ClientBase } from "pg";
import type { SigningKeyRow, SigningPurpose } from "../stored-keys.ts";

export async function selectSigningKeys(client: ClientBase, purpose: SigningPurpose): Promise<SigningKeyRow[]> {
  const { rows } = await client.query<SigningKeyRow>(
    `select kid, purpose, algorithm, public_jwk, private_key_wrapped, status
       from private.signing_keys
      where purpose = $1
        and status <> 'revoked'
      order by created_at desc, kid`,
    [purpose],
  );
  return rows;
}
