import type { ClientBase } from "pg";
import { hasTable } from "./has-table.ts";

/** The mark of a database that was copied from another one, which may still be in use. */
export interface RestoredCopy {
  readonly restoredAt: string;
  /** When the backup was made; null when that is unknown. */
  readonly backupOf: string | null;
}

/** As the owner of the schema, or a superuser. A mark that is there stays as it is unless `isReplacing`. An empty database needs none. */
export async function markRestoredCopy(
  client: ClientBase,
  copy: RestoredCopy,
  { isReplacing }: { readonly isReplacing: boolean },
): Promise<void> {
  if (!(await hasTable(client, "private.settings"))) return;
  await client.query(
    `insert into private.settings as stored (name, value) values ('restored_copy', $1)
     on conflict (name) do update set value = excluded.value where $2`,
    [JSON.stringify(copy), isReplacing],
  );
}

/** False when there was none. */
export async function clearRestoredCopy(client: ClientBase): Promise<boolean> {
  const { rowCount } = await client.query("delete from private.settings where name = 'restored_copy'");
  return rowCount === 1;
}

/** Null also where the schema is not there yet. */
export async function findRestoredCopy(client: ClientBase): Promise<RestoredCopy | null> {
  if (!(await hasTable(client, "private.settings"))) return null;
  const { rows } = await client.query<{ value: RestoredCopy }>(
    "select value from private.settings where name = 'restored_copy'",
  );
  return rows[0]?.value ?? null;
}
