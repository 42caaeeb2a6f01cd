import type { ClientBase } from "pg";

/** Relations and functions of every other schema, without those of PostgreSQL itself. */
export async function listObjectsOutside(client: ClientBase, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select object.name from (
       select c.relnamespace as schema, c.oid::regclass::text as name from pg_catalog.pg_class c
       union all
       select p.pronamespace, p.oid::regprocedure::text from pg_catalog.pg_proc p
     ) as object join pg_catalog.pg_namespace n on n.oid = object.schema
     where n.nspname not in ($1, 'pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%' order by 1`,
    [schema],
  );
  return rows.map(({ name }) => name);
}

/** Tables of the schema that have no row-level security. */
export async function findOpenTables(client: ClientBase, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind in ('r', 'p') and not c.relrowsecurity order by 1`,
    [schema],
  );
  return rows.map(({ name }) => name);
}
