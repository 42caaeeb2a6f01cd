import type { IdentityRow } from "./user-row.ts";
import type { Queryable } from "../../db/index.ts";
import { findRow, insertRow, selectRows } from "./query.ts";

/** The identity of an e-mail account; its id at the provider is the user's id. */
export async function upsertEmailIdentity(
  client: Queryable,
  userId: string,
  email: string,
  isVerified: boolean,
): Promise<void> {
  await client.query(
    `insert into auth.identities (user_id, provider, provider_id, identity_data, last_sign_in_at)
     values ($1::uuid, 'email', $1::uuid::text, $2, now())
     on conflict (provider, provider_id) do update
       set identity_data = auth.identities.identity_data || excluded.identity_data, updated_at = now()`,
    [userId, { sub: userId, email, email_verified: isVerified, phone_verified: false }],
  );
}

export function selectIdentities(client: Queryable, userIds: readonly string[]): Promise<IdentityRow[]> {
  const statement = "select * from auth.identities where user_id = any ($1::uuid[]) order by created_at, id";
  return selectRows(client, statement, [userIds]);
}

export async function deleteIdentities(client: Queryable, userId: string): Promise<void> {
  await client.query("delete from auth.identities where user_id = $1", [userId]);
}

export function selectIdentity(client: Queryable, provider: string, providerId: string): Promise<IdentityRow | null> {
  const statement = "select * from auth.identities where provider = $1 and provider_id = $2";
  return findRow(client, statement, [provider, providerId]);
}

type NewIdentity = Pick<
  IdentityRow,
  "user_id" | "provider" | "provider_id" | "issuer" | "identity_data" | "last_sign_in_at"
>;

export async function insertIdentity(client: Queryable, identity: NewIdentity): Promise<void> {
  await insertRow<IdentityRow>(client, "auth.identities", identity);
}

type IdentityChanges = Pick<IdentityRow, "issuer" | "identity_data" | "last_sign_in_at">;

/** False when the identity is gone. */
export async function updateIdentity(client: Queryable, id: string, changes: IdentityChanges): Promise<boolean> {
  const { rowCount } = await client.query(
    `update auth.identities set issuer = $2, identity_data = $3, last_sign_in_at = $4, updated_at = now() where id = $1`,
    [id, changes.issuer, changes.identity_data, changes.last_sign_in_at],
  );
  return rowCount === 1;
}

export async function deleteIdentity(client: Queryable, id: string): Promise<void> {
  await client.query("delete from auth.identities where id = $1", [id]);
}

/** Until the transaction ends, others with the same name wait. */
export async function lockIdentityName(client: Queryable, name: string): Promise<void> {
  await client.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`identity ${name}`]);
}
