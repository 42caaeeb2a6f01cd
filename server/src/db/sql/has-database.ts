import type { ClientBase } from "pg";

export async function hasDatabase(client: ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    "select exists (select from pg_catalog.pg_database where datname = $1) as exists",
    [name],
  );
  return rows[0]?.exists === true;
}
