import type { ClientBase } from "pg";

/** The mark of a database that was copied from another one, which may still be in use. */
export interface RestoredCopy {
  readonly restoredAt: string;
  /** When the backup was made; null where nobody knows. */
  readonly backupOf: string | null;
}

/** As the owner of the schema, or a superuser. A mark that is there stays as it is unless `isReplacing`. An empty database needs none. */
export async function markRestoredCopy(
  client: ClientBase,
  copy: RestoredCopy,
  { isReplacing }: { readonly isReplacing: boolean },
): Promise<void> {
  if (!(await hasSettings(client))) return;
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
  if (!(await hasSettings(client))) return null;
  const { rows } = await client.query<{ value: RestoredCopy }>(
    "select value from private.settings where name = 'restored_copy'",
  );
  return rows[0]?.value ?? null;
}

async function hasSettings(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    "select pg_catalog.to_regclass('private.settings') is not null as exists",
  );
  return rows[0]?.exists === true;
}
