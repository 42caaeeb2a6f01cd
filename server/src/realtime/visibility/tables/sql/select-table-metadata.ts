import type pg from "pg";

export interface TableMetadataRow {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** The kinds of changes that are published; null when the table is not published. */
  readonly published: PublishedChanges | null;
  readonly hasRowRules: boolean;
  /** A nondeterministic collation: different texts may be equal. */
  readonly hasLooseCollation: boolean;
  readonly primaryKey: readonly string[];
  readonly columns: readonly { readonly name: string; readonly typeOid: number }[];
  readonly roles: Readonly<Record<string, { readonly isExempt: boolean; readonly columns: readonly string[] }>>;
  readonly policies: readonly PolicyRow[];
}

export interface PublishedChanges {
  readonly INSERT: boolean;
  readonly UPDATE: boolean;
  readonly DELETE: boolean;
}

interface PolicyRow {
  readonly isPermissive: boolean;
  readonly condition: string;
  readonly columns: readonly string[];
  readonly roles: readonly string[];
}

const ROLES = "('anon', 'authenticated', 'api_key', 'service_role')";

/** Requires an empty search path, so that conditions are printed with qualified names. */
export async function selectTableMetadata(
  client: pg.ClientBase,
  table: { readonly oid: number } | { readonly schema: string; readonly name: string },
): Promise<TableMetadataRow | null> {
  const values = "oid" in table ? [table.oid, null, null] : [null, table.schema, table.name];
  const { rows } = await client.query<TableMetadataRow>(
    `select c.oid::int8::float8 as oid, n.nspname::text as schema, c.relname::text as name,
       (select pg_catalog.json_build_object('INSERT', p.inserts, 'UPDATE', p.updates, 'DELETE', p.deletes)
        from private.get_published_tables() p
        where p.relid = c.oid and exists (
          select 1 from pg_catalog.pg_publication_tables f
          where f.pubname = 'swarmbase_feed' and f.schemaname = n.nspname and f.tablename = c.relname)) as published,
       c.relrowsecurity as "hasRowRules",
       exists (select 1 from pg_catalog.pg_attribute a join pg_catalog.pg_collation l on l.oid = a.attcollation
               where a.attrelid = c.oid and a.attnum > 0 and not l.collisdeterministic) as "hasLooseCollation",
       array(select a.attname::text from pg_catalog.pg_index i
             join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
             where i.indrelid = c.oid and i.indisprimary) as "primaryKey",
       (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('name', a.attname, 'typeOid', a.atttypid::int8)), '[]')
        from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
       (select coalesce(pg_catalog.json_object_agg(r.rolname, pg_catalog.json_build_object(
          'isExempt', r.rolsuper or r.rolbypassrls
            or (pg_catalog.pg_has_role(r.oid, c.relowner, 'USAGE') and not c.relforcerowsecurity),
          'columns', array(select a.attname::text from pg_catalog.pg_attribute a
                           where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                             and pg_catalog.has_schema_privilege(r.oid, n.oid, 'USAGE')
                             and pg_catalog.has_column_privilege(r.oid, c.oid, a.attnum, 'SELECT')))), '{}')
        from pg_catalog.pg_roles r where r.rolname in ${ROLES}) as roles,
       (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
          'isPermissive', p.polpermissive,
          'condition', coalesce(pg_catalog.pg_get_expr(p.polqual, p.polrelid), 'true'),
          'columns', array(select a.attname::text from pg_catalog.pg_depend d
                           join pg_catalog.pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
                           where d.classid = 'pg_catalog.pg_policy'::pg_catalog.regclass and d.objid = p.oid
                             and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refobjid = c.oid and d.refobjsubid > 0),
          'roles', array(select r.rolname::text from pg_catalog.pg_roles r
                         where r.rolname in ${ROLES} and (0 = any (p.polroles) or exists (
                           select 1 from pg_catalog.unnest(p.polroles) as named (oid)
                           where pg_catalog.pg_has_role(r.oid, named.oid, 'USAGE')))))), '[]')
        from pg_catalog.pg_policy p where p.polrelid = c.oid and p.polcmd in ('*', 'r')) as policies
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and (c.oid = $1::int8::oid or (n.nspname = $2 and c.relname = $3))`,
    values,
  );
  return rows[0] ?? null;
}
