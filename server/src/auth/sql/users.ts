import type { Queryable } from "../auth-context.ts";
import type { FactorRow, IdentityRow, UserRow, WholeUser } from "../users/user-row.ts";
import { getOnlyRow } from "./query.ts";

/** Does not return users who were deleted softly. */
export async function findUserById(client: Queryable, id: string): Promise<UserRow | null> {
  const { rows } = await client.query<UserRow>("select * from auth.users where id = $1 and deleted_at is null", [id]);
  return rows[0] ?? null;
}

/** `email` is normalized. */
export async function findUserByEmail(client: Queryable, email: string): Promise<UserRow | null> {
  const { rows } = await client.query<UserRow>("select * from auth.users where email = $1 and deleted_at is null", [
    email,
  ]);
  return rows[0] ?? null;
}

/** Locks the user until the transaction ends. */
export async function lockUser(client: Queryable, id: string): Promise<UserRow | null> {
  const { rows } = await client.query<UserRow>(
    "select * from auth.users where id = $1 and deleted_at is null for no key update",
    [id],
  );
  return rows[0] ?? null;
}

export async function selectWholeUser(client: Queryable, row: UserRow): Promise<WholeUser> {
  const identities = await client.query<IdentityRow>(
    "select * from auth.identities where user_id = $1 order by created_at, id",
    [row.id],
  );
  const factors = await client.query<FactorRow>(
    "select * from auth.mfa_factors where user_id = $1 order by created_at, id",
    [row.id],
  );
  return { row, identities: identities.rows, factors: factors.rows };
}

interface Answer extends UserRow {
  readonly identities: readonly Record<string, unknown>[];
  readonly factors: readonly Record<string, unknown>[];
}

/** One round trip: clients read their user with every page they render. */
export async function findWholeUser(client: Queryable, id: string): Promise<WholeUser | null> {
  const { rows } = await client.query<Answer>({
    name: "find-whole-user",
    text: `select u.*,
                  coalesce((select json_agg(i order by i.created_at, i.id)
                              from auth.identities i where i.user_id = u.id), '[]') as identities,
                  coalesce((select json_agg(f order by f.created_at, f.id)
                              from auth.mfa_factors f where f.user_id = u.id), '[]') as factors
             from auth.users u
            where u.id = $1
              and u.deleted_at is null`,
    values: [id],
  });
  const [answer] = rows;
  if (answer === undefined) return null;
  const { identities, factors, ...row } = answer;
  return { row, identities: identities.map(reviveRow<IdentityRow>), factors: factors.map(reviveRow<FactorRow>) };
}

/** Converts JSON values to what the driver returns for the same columns. */
function reviveRow<Row>(columns: Record<string, unknown>): Row {
  const revived = Object.entries(columns).map(([name, value]) => {
    // A bigint, which the driver returns as text.
    if (name === "last_used_step" && typeof value === "number") return [name, String(value)];
    if (typeof value !== "string") return [name, value];
    if (name.endsWith("_at")) return [name, new Date(value)];
    return [name, name.endsWith("_wrapped") ? Buffer.from(value.slice(2), "hex") : value];
  });
  return Object.fromEntries(revived) as Row;
}

export interface NewUser {
  readonly id?: string;
  readonly email: string | null;
  readonly emailConfirmedAt: Date | null;
  readonly passwordHash: string | null;
  readonly role?: string;
  readonly appMetadata: Readonly<Record<string, unknown>>;
  readonly userMetadata: Readonly<Record<string, unknown>>;
  readonly isAnonymous?: boolean;
  readonly invitedAt?: Date | null;
  readonly bannedUntil?: Date | null;
}

/** A trigger inserts the profile and the settings. Fails with 23505 when the address or the id is taken. */
export async function insertUser(client: Queryable, user: NewUser): Promise<UserRow> {
  const { rows } = await client.query<UserRow>(
    `insert into auth.users (id, email, email_confirmed_at, password_hash, role, app_metadata, user_metadata, is_anonymous,
                             invited_at, banned_until)
     values (coalesce($1::uuid, private.new_id()), $2, $3, $4, $5, $6, $7, $8, $9, $10)
     returning *`,
    [
      user.id ?? null,
      user.email,
      user.emailConfirmedAt,
      user.passwordHash,
      user.role ?? "authenticated",
      user.appMetadata,
      user.userMetadata,
      user.isAnonymous ?? false,
      user.invitedAt ?? null,
      user.bannedUntil ?? null,
    ],
  );
  return getOnlyRow(rows);
}

const COLUMNS = [
  "role",
  "email",
  "email_confirmed_at",
  "password_hash",
  "new_email",
  "email_change_confirmations",
  "invited_at",
  "confirmation_sent_at",
  "recovery_sent_at",
  "email_change_sent_at",
  "reauthentication_sent_at",
  "last_sign_in_at",
  "app_metadata",
  "user_metadata",
  "is_anonymous",
  "banned_until",
  "deleted_at",
] as const satisfies readonly (keyof UserRow)[];

export type UserChanges = Partial<Pick<UserRow, (typeof COLUMNS)[number]>>;

/** Writes the given columns only. Column names come from the list above, never from a request. */
export async function updateUser(client: Queryable, id: string, changes: UserChanges): Promise<UserRow> {
  const columns = COLUMNS.filter((column) => changes[column] !== undefined);
  const assignments = columns.map((column, place) => `${column} = $${place + 2}, `).join("");
  const { rows } = await client.query<UserRow>(
    `update auth.users set ${assignments}updated_at = now() where id = $1 returning *`,
    [id, ...columns.map((column) => changes[column])],
  );
  return getOnlyRow(rows);
}

/** Administrators also see users who were deleted softly. */
export async function findAccount(client: Queryable, id: string): Promise<UserRow | null> {
  const { rows } = await client.query<UserRow>("select * from auth.users where id = $1", [id]);
  return rows[0] ?? null;
}

export async function lockAccount(client: Queryable, id: string): Promise<UserRow | null> {
  const { rows } = await client.query<UserRow>("select * from auth.users where id = $1 for update", [id]);
  return rows[0] ?? null;
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

export interface AccountFilter {
  /** Normalized. */
  readonly email: string | null;
  /** Part of an address or a name, with the wildcards of `like` escaped. */
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
  return Number(getOnlyRow(rows).count);
}

/** Deletes what the account owns and keeps its messages, by the foreign keys of the schema. */
export async function deleteAccount(client: Queryable, id: string): Promise<void> {
  await client.query("delete from auth.users where id = $1", [id]);
}
