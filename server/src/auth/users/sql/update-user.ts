import type { Queryable } from "../../auth-context.ts";
import type { UserRow } from "../user-row.ts";
import { getOnly } from "./insert-user.ts";

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

/** Writes the columns that are named, and no others; column names come from the list above, never from a request. */
export async function updateUser(client: Queryable, id: string, changes: UserChanges): Promise<UserRow> {
  const columns = COLUMNS.filter((column) => changes[column] !== undefined);
  const assignments = columns.map((column, place) => `${column} = $${place + 2}, `).join("");
  const { rows } = await client.query<UserRow>(
    `update auth.users set ${assignments}updated_at = now() where id = $1 returning *`,
    [id, ...columns.map((column) => changes[column])],
  );
  return getOnly(rows);
}
