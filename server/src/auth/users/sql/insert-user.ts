import type { Queryable } from "../../auth-context.ts";
import type { UserRow } from "../user-row.ts";

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

/** The profile and settings rows come with it, by trigger. Fails with 23505 when the address or id is taken. */
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
  return getOnly(rows);
}

export function getOnly<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error("the statement returned no row");
  return row;
}
