import type { ClientBase } from "pg";

/** Empty where the schema has not been made yet. */
export async function selectMigrations(client: ClientBase): Promise<string[]> {
  const { rows: tables } = await client.query<{ exists: boolean }>(
    "select pg_catalog.to_regclass('private.migrations') is not null as exists",
  );
  if (tables[0]?.exists !== true) return [];
  const { rows } = await client.query<{ name: string }>("select name from private.migrations order by name");
  return rows.map(({ name }) => name);
}
