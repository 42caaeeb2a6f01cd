import type { Queryable } from "../../auth-context.ts";
import type { FactorRow, IdentityRow, UserRow, WholeUser } from "../user-row.ts";

/** A user who was deleted softly is nobody to those who ask here. */
export async function findUserById(client: Queryable, id: string): Promise<UserRow | null> {
  const { rows } = await client.query<UserRow>("select * from auth.users where id = $1 and deleted_at is null", [id]);
  return rows[0] ?? null;
}

/** `email` in its normal form. */
export async function findUserByEmail(client: Queryable, email: string): Promise<UserRow | null> {
  const { rows } = await client.query<UserRow>("select * from auth.users where email = $1 and deleted_at is null", [
    email,
  ]);
  return rows[0] ?? null;
}

/** Until the transaction ends nobody else changes this user; what is decided on the row stays true. */
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
