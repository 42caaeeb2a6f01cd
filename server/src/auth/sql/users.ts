import type { UserRow, WholeUser } from "./user-row.ts";
import { selectIdentities } from "./identities.ts";
import { selectFactors } from "./mfa-factors.ts";
import type { Queryable } from "../../db/index.ts";
import { type Columns, findRow, getRow, insertRow, selectRows, updateRow } from "./query.ts";

export async function hasUsers(client: Queryable): Promise<boolean> {
  return (await findRow(client, "select from auth.users limit 1")) !== null;
}

/** Does not return users who were deleted softly. */
export function findUserById(client: Queryable, id: string): Promise<UserRow | null> {
  return findRow(client, "select * from auth.users where id = $1 and deleted_at is null", [id]);
}

/** The user of a row that cannot exist without one, also one who was deleted softly. */
export function getUserById(client: Queryable, id: string): Promise<UserRow> {
  return getRow(client, "select * from auth.users where id = $1", [id]);
}

/** `email` is normalized. */
export function findUserByEmail(client: Queryable, email: string): Promise<UserRow | null> {
  return findRow(client, "select * from auth.users where email = $1 and deleted_at is null", [email]);
}

/** Locks the user until the transaction ends. */
export function lockUser(client: Queryable, id: string): Promise<UserRow | null> {
  return findRow(client, "select * from auth.users where id = $1 and deleted_at is null for no key update", [id]);
}

/** The same by the address, which is normalized. Null also when the account is deleted meanwhile. */
export function lockUserByEmail(client: Queryable, email: string): Promise<UserRow | null> {
  return findRow(client, "select * from auth.users where email = $1 and deleted_at is null for no key update", [email]);
}

/** Administrators also see users who were deleted softly. */
export function findAccount(client: Queryable, id: string): Promise<UserRow | null> {
  return findRow(client, "select * from auth.users where id = $1", [id]);
}

export function lockAccount(client: Queryable, id: string): Promise<UserRow | null> {
  return findRow(client, "select * from auth.users where id = $1 for no key update", [id]);
}

/** Two statements, however many users there are. */
export async function selectWholeUsers(client: Queryable, rows: readonly UserRow[]): Promise<WholeUser[]> {
  const ids = rows.map(({ id }) => id);
  const identities = Map.groupBy(await selectIdentities(client, ids), ({ user_id }) => user_id);
  const factors = Map.groupBy(await selectFactors(client, ids), ({ user_id }) => user_id);
  return rows.map((row) => ({
    row,
    identities: identities.get(row.id) ?? [],
    factors: factors.get(row.id) ?? [],
  }));
}

export async function selectWholeUser(client: Queryable, row: UserRow): Promise<WholeUser> {
  const [identities, factors] = [await selectIdentities(client, [row.id]), await selectFactors(client, [row.id])];
  return { row, identities, factors };
}

type NewUser = Columns<UserRow> & Pick<UserRow, "app_metadata" | "user_metadata">;

/** A trigger inserts the profile and the settings. Fails with 23505 when the address or the id is taken. */
export function insertUser(client: Queryable, user: NewUser): Promise<UserRow> {
  return insertRow<UserRow>(client, "auth.users", user);
}

export type UserChanges = Partial<Omit<UserRow, "id" | "created_at" | "updated_at">>;

export function updateUser(client: Queryable, id: string, changes: UserChanges): Promise<UserRow> {
  return updateRow<UserRow>(client, "auth.users", id, changes);
}

/** Removes the password of an unconfirmed account if it is this one; null removes none. */
export async function clearPendingPassword(client: Queryable, email: string, hash: string | null): Promise<void> {
  await client.query(
    `update auth.users set password_hash = null, updated_at = now()
      where email = $1 and deleted_at is null and email_confirmed_at is null and password_hash = $2`,
    [email, hash],
  );
}

/** The `order by` clauses that a request can choose from. */
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

interface AccountFilter {
  /** Normalized. */
  readonly email: string | null;
  /** Part of an address or a name, with the wildcards of `like` escaped. */
  readonly search: string | null;
}

const MATCHES = `($1::text is null or email = $1)
       and ($2::text is null or email ilike '%' || $2 || '%' or user_metadata ->> 'full_name' ilike '%' || $2 || '%'
            or user_metadata ->> 'name' ilike '%' || $2 || '%')`;

interface AccountPage {
  readonly order: keyof typeof ACCOUNT_ORDERS;
  readonly limit: number;
  readonly offset: number;
}

export function selectAccounts(client: Queryable, filter: AccountFilter, page: AccountPage): Promise<UserRow[]> {
  return selectRows(
    client,
    `select * from auth.users where ${MATCHES} order by ${ACCOUNT_ORDERS[page.order]} limit $3 offset $4`,
    [filter.email, filter.search, page.limit, page.offset],
  );
}

export async function countAccounts(client: Queryable, { email, search }: AccountFilter): Promise<number> {
  const statement = `select count(*) as count from auth.users where ${MATCHES}`;
  return Number((await getRow<{ count: string }>(client, statement, [email, search])).count);
}

/**
 * Deletes what the account owns and keeps its messages, by the foreign keys of the schema. These lock the user and the agents first,
 * but runs lock them last (decision 0005), so what runs lock first is locked before.
 */
export async function deleteAccount(client: Queryable, id: string): Promise<void> {
  await client.query("select from public.swarms where owner_id = $1 order by id for update", [id]);
  await client.query(
    `select from public.runs where user_id = $1 and status in ('queued', 'running', 'requires_action', 'waiting')
      order by id for no key update`,
    [id],
  );
  await client.query("delete from auth.users where id = $1", [id]);
}

export async function clearProfile(client: Queryable, userId: string): Promise<void> {
  await client.query(
    "update public.profiles set full_name = null, avatar_url = null, updated_at = now() where id = $1",
    [userId],
  );
}
