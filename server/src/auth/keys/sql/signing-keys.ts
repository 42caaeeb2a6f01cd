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

export async function findCurrentSigningKey(
  client: ClientBase,
  purpose: SigningPurpose,
): Promise<SigningKeyRow | null> {
  return (await selectSigningKeys(client, purpose)).find(({ status }) => status === "current") ?? null;
}

/** Also for revoked keys: an id never identifies another key. */
export async function hasSigningKey(client: ClientBase, kid: string): Promise<boolean> {
  const { rowCount } = await client.query("select from private.signing_keys where kid = $1", [kid]);
  return rowCount === 1;
}

export async function hasSigningKeysTable(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select exists (select from pg_catalog.pg_tables
                     where schemaname = 'private'
                       and tablename = 'signing_keys') as exists`,
  );
  return rows[0]?.exists === true;
}

export async function lockSigningKeys(client: ClientBase): Promise<void> {
  await client.query("lock table private.signing_keys in share row exclusive mode");
}

export async function insertSigningKey(client: ClientBase, row: SigningKeyRow, now: Date): Promise<void> {
  await client.query(
    `insert into private.signing_keys
       (kid, purpose, algorithm, public_jwk, private_key_wrapped, status, created_at, current_since)
     values ($1, $2, $3, $4, $5, $6, $7, case when $6 = 'current' then $7::timestamptz end)`,
    [row.kid, row.purpose, row.algorithm, row.public_jwk, row.private_key_wrapped, row.status, now],
  );
}

interface RetireSigningKeys {
  readonly purpose: SigningPurpose;
  readonly status: "previous" | "revoked";
  readonly retiredAt: Date;
}

/** "previous" retires the current key only; "revoked" also revokes the keys that still verify. */
export async function retireSigningKeys(
  client: ClientBase,
  { purpose, status, retiredAt }: RetireSigningKeys,
): Promise<void> {
  await client.query(
    `update private.signing_keys
        set status = $2,
            retired_at = least(retired_at, $3)
      where purpose = $1
        and (status = 'current' or ($2 = 'revoked' and status = 'previous'))`,
    [purpose, status, retiredAt],
  );
}

/** Returns whether the key existed, was not current and was not revoked yet. */
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

export async function revokeRetiredSigningKeys(
  client: ClientBase,
  { purpose, retiredBefore }: { readonly purpose: SigningPurpose; readonly retiredBefore: Date },
): Promise<void> {
  await client.query(
    `update private.signing_keys
        set status = 'revoked'
      where purpose = $1
        and status = 'previous'
        and retired_at < $2`,
    [purpose, retiredBefore],
  );
}
