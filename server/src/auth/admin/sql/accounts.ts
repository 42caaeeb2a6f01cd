import type { Queryable } from "../../auth-context.ts";
import { getOnly } from "../../users/sql/insert-user.ts";
import type { FactorRow, IdentityRow, UserRow } from "../../users/user-row.ts";

/** Administrators see those who were deleted softly, too. */
export async function findAccount(client: Queryable, id: string): Promise<UserRow | null> {
  const { rows } = await client.query<UserRow>("select * from auth.users where id = $1", [id]);
  return rows[0] ?? null;
}

export async function lockAccount(client: Queryable, id: string): Promise<UserRow | null> {
  const { rows } = await client.query<UserRow>("select * from auth.users where id = $1 for update", [id]);
  return rows[0] ?? null;
}

/** Texts of `order by`; a request chooses among them and adds nothing of its own. */
export const ACCOUNT_ORDERS = {
  "created_at asc": "created_at asc, id asc",
  "created_at desc": "created_at desc, id desc",
  "updated_at asc": "updated_at asc, id asc",
  "updated_at desc": "updated_at desc, id desc",
  "last_sign_in_at asc": "last_sign_in_at asc nulls last, id asc",
  "last_sign_in_at desc": "last_sign_in_at desc nulls last, id desc",
  "email asc": "email asc nulls last, id asc",
  "email desc": "email desc nulls last, id desc",
} as const;

export interface AccountFilter {
  /** In its normal form. */
  readonly email: string | null;
  /** Part of an address or of a name, with the signs of a pattern already escaped. */
  readonly part: string | null;
}

const MATCHES = `($1::text is null or email = $1)
       and ($2::text is null or email ilike '%' || $2 || '%' or user_metadata ->> 'full_name' ilike '%' || $2 || '%'
            or user_metadata ->> 'name' ilike '%' || $2 || '%')`;

export interface AccountPage {
  readonly order: keyof typeof ACCOUNT_ORDERS;
  readonly limit: number;
  readonly offset: number;
}

export async function selectAccounts(
  client: Queryable,
  { email, part }: AccountFilter,
  page: AccountPage,
): Promise<UserRow[]> {
  const { rows } = await client.query<UserRow>(
    `select * from auth.users where ${MATCHES} order by ${ACCOUNT_ORDERS[page.order]} limit $3 offset $4`,
    [email, part, page.limit, page.offset],
  );
  return rows;
}

export async function countAccounts(client: Queryable, { email, part }: AccountFilter): Promise<number> {
  const { rows } = await client.query<{ count: string }>(`select count(*) as count from auth.users where ${MATCHES}`, [
    email,
    part,
  ]);
  return Number(getOnly(rows).count);
}

export async function selectIdentitiesOf(client: Queryable, userIds: readonly string[]): Promise<IdentityRow[]> {
  const { rows } = await client.query<IdentityRow>(
    "select * from auth.identities where user_id = any ($1::uuid[]) order by created_at, id",
    [userIds],
  );
  return rows;
}

export async function selectFactorsOf(client: Queryable, userIds: readonly string[]): Promise<FactorRow[]> {
  const { rows } = await client.query<FactorRow>(
    "select * from auth.mfa_factors where user_id = any ($1::uuid[]) order by created_at, id",
    [userIds],
  );
  return rows;
}

/** What the account owns goes with it and what it said stays, by the rules of the schema. */
export async function deleteAccount(client: Queryable, id: string): Promise<void> {
  await client.query("delete from auth.users where id = $1", [id]);
}

export async function deleteIdentities(client: Queryable, userId: string): Promise<void> {
  await client.query("delete from auth.identities where user_id = $1", [userId]);
}

export async function deleteFactorsOf(client: Queryable, userId: string): Promise<void> {
  await client.query("delete from auth.mfa_factors where user_id = $1", [userId]);
}

export async function deleteSigningSecret(client: Queryable, userId: string): Promise<void> {
  await client.query("delete from private.request_signing_secrets where user_id = $1", [userId]);
}

export async function clearProfile(client: Queryable, userId: string): Promise<void> {
  await client.query(
    "update public.profiles set full_name = null, avatar_url = null, updated_at = now() where id = $1",
    [userId],
  );
}

export async function switchOffWebhooks(client: Queryable, userId: string, now: Date): Promise<void> {
  await client.query(
    `update public.webhooks set is_active = false, disabled_reason = 'account_deleted', disabled_at = $2, updated_at = $2
      where user_id = $1 and is_active`,
    [userId, now],
  );
}
