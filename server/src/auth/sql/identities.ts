import type { IdentityRow } from "./user-row.ts";
import { type Queryable, selectRows } from "./query.ts";

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
