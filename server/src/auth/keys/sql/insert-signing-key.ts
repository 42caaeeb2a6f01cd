import type { ClientBase } from "pg";
import type { SigningKeyRow } from "../stored-keys.ts";

export async function insertSigningKey(client: ClientBase, row: SigningKeyRow, now: Date): Promise<void> {
  await client.query(
    `insert into private.signing_keys
       (kid, purpose, algorithm, public_jwk, private_key_wrapped, status, created_at, current_since)
     values ($1, $2, $3, $4, $5, $6, $7, case when $6 = 'current' then $7::timestamptz end)`,
    [row.kid, row.purpose, row.algorithm, row.public_jwk, row.private_key_wrapped, row.status, now],
  );
}
