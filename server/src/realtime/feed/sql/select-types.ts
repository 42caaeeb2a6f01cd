import type pg from "pg";
import type { PgTypeRow } from "../column-type.ts";

/** The types with these oids and all types that they consist of. */
export async function selectTypes(client: pg.ClientBase | pg.Pool, oids: readonly number[]): Promise<PgTypeRow[]> {
  const { rows } = await client.query<PgTypeRow>(
    `with recursive needed (oid) as (
       select pg_catalog.unnest($1::oid[])
       union
       select part.oid from needed n
       join pg_catalog.pg_type t on t.oid = n.oid
       cross join lateral (
         select t.typelem where t.typcategory = 'A'
         union all select t.typbasetype where t.typtype = 'd'
         union all select a.atttypid from pg_catalog.pg_attribute a
           where t.typtype = 'c' and a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
       ) as part (oid)
       where part.oid <> 0
     )
     select t.oid::int8::float8 as oid, t.typname::text as name, pg_catalog.format_type(t.oid, -1) as "sqlName",
       t.typtype::text as kind, t.typcategory = 'A' and t.typtype <> 'd' as "isArray",
       t.typelem::int8::float8 as "elementOid", t.typbasetype::int8::float8 as "baseOid",
       coalesce((select e.typdelim from pg_catalog.pg_type e where e.oid = t.typelem), ',')::text as delimiter,
       array(select e.enumlabel::text from pg_catalog.pg_enum e where e.enumtypid = t.oid order by e.enumsortorder) as labels,
       coalesce((select pg_catalog.json_agg(pg_catalog.json_build_object('name', a.attname, 'oid', a.atttypid::int8) order by a.attnum)
                 from pg_catalog.pg_attribute a
                 where t.typtype = 'c' and a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped), '[]') as fields
     from needed n join pg_catalog.pg_type t on t.oid = n.oid`,
    [oids],
  );
  return rows;
}
