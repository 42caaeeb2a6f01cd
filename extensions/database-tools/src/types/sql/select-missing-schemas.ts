import type { ClientBase } from "pg";

export async function selectMissingSchemas(client: ClientBase, schemas: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select name from unnest($1::text[]) as name
     where not exists (select from pg_catalog.pg_namespace n where n.nspname = name)`,
    [schemas],
  );
  return rows.map(({ name }) => name);
}
