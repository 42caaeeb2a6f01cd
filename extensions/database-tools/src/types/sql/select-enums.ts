import type { ClientBase } from "pg";

export interface Enumeration {
  readonly schema: string;
  readonly name: string;
  /** Qualified and quoted as needed, as the catalogue names the type. */
  readonly typeName: string;
  readonly values: readonly string[];
}

/** The enumerations of the schemas, without those of extensions of PostgreSQL. */
export async function selectEnums(client: ClientBase, schemas: readonly string[]): Promise<readonly Enumeration[]> {
  const { rows } = await client.query<Enumeration>(
    `select n.nspname::text as schema, t.typname::text as name, format('%I.%I', n.nspname, t.typname) as "typeName",
            array_agg(e.enumlabel::text order by e.enumsortorder) as values
     from pg_catalog.pg_type t join pg_catalog.pg_enum e on e.enumtypid = t.oid
     join pg_catalog.pg_namespace n on n.oid = t.typnamespace
     where n.nspname = any ($1) and not exists (select from pg_catalog.pg_depend d
       where d.classid = 'pg_catalog.pg_type'::regclass and d.objid = t.oid and d.deptype = 'e')
     group by 1, 2, 3 order by 1, 2`,
    [schemas],
  );
  return rows;
}
