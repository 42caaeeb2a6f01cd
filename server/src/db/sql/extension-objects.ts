import type { ClientBase } from "pg";

/** Relations and functions of every other schema, without those of PostgreSQL itself and these tables of `public` with what belongs to them. */
export async function listObjectsOutside(
  client: ClientBase,
  schema: string,
  tables: readonly string[],
): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select object.name from (
       select c.relnamespace as schema, coalesce(i.indrelid, d.refobjid, c.oid) as owner, c.oid::regclass::text as name
       from pg_catalog.pg_class c
       left join pg_catalog.pg_index i on i.indexrelid = c.oid
       left join pg_catalog.pg_depend d on c.relkind = 'S' and d.objid = c.oid and d.deptype in ('a', 'i')
         and d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass
       union all
       select p.pronamespace, null, p.oid::regprocedure::text from pg_catalog.pg_proc p
     ) as object join pg_catalog.pg_namespace n on n.oid = object.schema
     where n.nspname not in ($1, 'pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'
       and not exists (
         select 1 from pg_catalog.pg_class t
         where t.oid = object.owner and t.relnamespace = 'public'::regnamespace and t.relname = any ($2))
     order by 1`,
    [schema, tables],
  );
  return rows.map(({ name }) => name);
}

/** Tables of the schema, and of these in `public`, that have no row-level security. */
export async function findOpenTables(client: ClientBase, schema: string, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where (n.nspname = $1 or (n.nspname = 'public' and c.relname = any ($2)))
       and c.relkind in ('r', 'p') and not c.relrowsecurity order by 1`,
    [schema, tables],
  );
  return rows.map(({ name }) => name);
}

/** Those of the tables in `public` with which users may do something that no policy restricts for API keys. */
export async function findKeylessTables(client: ClientBase, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct c.oid::regclass::text as name
     from pg_catalog.pg_class c
     cross join (values ('select', 'r'), ('insert', 'a'), ('update', 'w'), ('delete', 'd')) as operation (name, command)
     where c.relnamespace = 'public'::regnamespace and c.relname = any ($1)
       and has_table_privilege('authenticated', c.oid, operation.name)
       and not exists (
         select 1 from pg_catalog.pg_policy p
         where p.polrelid = c.oid and not p.polpermissive and p.polcmd in (operation.command::"char", '*')
           and 'api_key'::regrole = any (p.polroles))
     order by 1`,
    [tables],
  );
  return rows.map(({ name }) => name);
}
