import type { ClientBase } from "pg";
import { type CopiedTable, isOurs, type Statement, selectKinds } from "../statement.ts";

const KINDS = [
  `select 'extension ' || extname, format('create extension if not exists %I with schema %I', extname, extnamespace::regnamespace::text)
   from pg_extension where oid >= 16384`,
  `select 'schema ' || nspname, format('create schema %I', nspname) from pg_namespace n where ${isOurs("n.oid", "pg_namespace")}
     and nspname !~ '^pg_(toast_)?temp_'`,
  `select 'type ' || t.oid::regtype, format('create type %s as enum (%s)', t.oid::regtype,
       (select string_agg(quote_literal(enumlabel), ', ' order by enumsortorder) from pg_enum where enumtypid = t.oid))
   from pg_type t where t.typtype = 'e' and ${isOurs("t.oid", "pg_type")}`,
  `select 'domain ' || t.oid::regtype, format('create domain %s as %s%s%s%s%s', t.oid::regtype, format_type(t.typbasetype, t.typtypmod),
       case when t.typcollation <> b.typcollation then ' collate ' || t.typcollation::regcollation else '' end,
       coalesce(' default ' || t.typdefault, ''), case when t.typnotnull then ' not null' else '' end,
       coalesce((select string_agg(format(' constraint %I %s', conname, pg_get_constraintdef(oid)), '' order by conname)
                 from pg_constraint where contypid = t.oid and contype = 'c'), ''))
   from pg_type t join pg_type b on b.oid = t.typbasetype where t.typtype = 'd' and ${isOurs("t.oid", "pg_type")}`,
  `select 'type ' || c.oid::regclass, format('create type %s as (%s)', c.oid::regclass,
       (select string_agg(format('%I %s%s', attname, format_type(atttypid, atttypmod),
          case when a.attcollation <> t.typcollation then ' collate ' || a.attcollation::regcollation else '' end), ', ' order by attnum)
        from pg_attribute a join pg_type t on t.oid = a.atttypid where attrelid = c.oid and attnum > 0 and not attisdropped))
   from pg_class c where c.relkind = 'c' and ${isOurs("c.oid", "pg_class")}`,
  // Those of identity columns are made with their column.
  `select 'sequence ' || c.oid::regclass, format('create %ssequence %s as %s increment by %s minvalue %s maxvalue %s start with %s cache %s%s',
       case c.relpersistence when 'u' then 'unlogged ' else '' end, c.oid::regclass, format_type(s.seqtypid, null), s.seqincrement,
       s.seqmin, s.seqmax, s.seqstart, s.seqcache, case when s.seqcycle then ' cycle' else '' end)
   from pg_class c join pg_sequence s on s.seqrelid = c.oid where ${isOurs("c.oid", "pg_class")}
     and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'i')`,
  `select 'function ' || p.oid::regprocedure, pg_get_functiondef(p.oid) from pg_proc p
   where p.prokind in ('f', 'p', 'w') and ${isOurs("p.oid", "pg_proc")}`,
  `select 'table ' || c.oid::regclass, format('create %stable %s (%s)%s', case c.relpersistence when 'u' then 'unlogged ' else '' end,
       c.oid::regclass, (select string_agg(concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
           case when a.attcollation <> t.typcollation then 'collate ' || a.attcollation::regcollation end,
           case a.attcompression when 'p' then 'compression pglz' when 'l' then 'compression lz4' end,
           case when a.attgenerated <> '' then 'generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') '
             || case a.attgenerated when 's' then 'stored' else 'virtual' end end,
           case when a.attidentity <> '' then format('generated %s as identity (%s)',
             case a.attidentity when 'a' then 'always' else 'by default' end,
             (select format('sequence name %s increment by %s minvalue %s maxvalue %s start with %s cache %s%s', s.seqrelid::regclass,
                s.seqincrement, s.seqmin, s.seqmax, s.seqstart, s.seqcache, case when s.seqcycle then ' cycle' else '' end)
              from pg_sequence s where s.seqrelid = pg_get_serial_sequence(c.oid::regclass::text, a.attname)::regclass)) end,
           case when a.attnotnull then 'not null' end), ', ' order by a.attnum)
         from pg_attribute a join pg_type t on t.oid = a.atttypid
         left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
       coalesce(' partition by ' || pg_get_partkeydef(c.oid), ' with (' || array_to_string(c.reloptions, ', ') || ')', ''))
   from pg_class c where c.relkind in ('r', 'p') and c.relpersistence <> 't' and ${isOurs("c.oid", "pg_class")}`,
  `select 'partition ' || c.oid::regclass, format('alter table only %s attach partition %s %s', i.inhparent::regclass, c.oid::regclass,
       pg_get_expr(c.relpartbound, c.oid))
   from pg_class c join pg_inherits i on i.inhrelid = c.oid where c.relispartition and c.relkind = 'r' and ${isOurs("c.oid", "pg_class")}`,
  `select 'storage of ' || c.oid::regclass || '.' || a.attname, format('alter table %s alter column %I set storage %s', c.oid::regclass,
       a.attname, case a.attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end)
   from pg_attribute a join pg_type t on t.oid = a.atttypid join pg_class c on c.oid = a.attrelid
   where a.attnum > 0 and not a.attisdropped and a.attstorage <> t.typstorage and c.relkind in ('r', 'p') and ${isOurs("c.oid", "pg_class")}`,
  `select 'view ' || c.oid::regclass, format('create view %s%s as %s', c.oid::regclass,
       coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', ''), pg_get_viewdef(c.oid))
   from pg_class c where c.relkind = 'v' and ${isOurs("c.oid", "pg_class")}`,
];

/** What must exist before the rows are copied, in an order that mostly works. */
export function selectShapeStatements(client: ClientBase): Promise<Statement[]> {
  return selectKinds(client, KINDS);
}

export async function selectTables(client: ClientBase): Promise<CopiedTable[]> {
  const { rows } = await client.query<CopiedTable>(
    `select c.oid::regclass::text as name,
            array(select quote_ident(attname) from pg_attribute
                  where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns
     from pg_class c where c.relkind = 'r' and c.relpersistence <> 't' and ${isOurs("c.oid", "pg_class")} order by 1`,
  );
  return rows;
}

/** The partitioned tables of the service, their partitions and the indexes of both. */
const OWN_PARTITIONS = `select leaf.relid from unnest(array['webhook_deliveries', 'webhook_delivery_attempts', 'run_events']) as name
    cross join lateral pg_partition_tree(to_regclass('public.' || name)) as leaf`;

/** What a copy would lose. */
export async function selectUnsupported(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ what: string }>(
    `select i.type || ' ' || i.identity as what from (
       select 'pg_class'::regclass as class, c.oid from pg_class c
         where (c.relkind in ('p', 'I', 'f') or c.reloftype <> 0 or c.relispartition
           or exists (select from pg_inherits h where h.inhrelid = c.oid or h.inhparent = c.oid)) and ${isOurs("c.oid", "pg_class")}
           and coalesce((select i.indrelid from pg_index i where i.indexrelid = c.oid), c.oid) not in (${OWN_PARTITIONS})
       union all select 'pg_proc'::regclass, p.oid from pg_proc p where p.prokind = 'a' and ${isOurs("p.oid", "pg_proc")}
       union all select 'pg_type'::regclass, t.oid from pg_type t
         where (t.typtype in ('r', 'm') or (t.typtype = 'b' and t.typelem = 0)) and ${isOurs("t.oid", "pg_type")}
       union all select 'pg_operator'::regclass, o.oid from pg_operator o where ${isOurs("o.oid", "pg_operator")}
       union all select 'pg_opclass'::regclass, o.oid from pg_opclass o where ${isOurs("o.oid", "pg_opclass")}
       union all select 'pg_cast'::regclass, o.oid from pg_cast o where ${isOurs("o.oid", "pg_cast")}
       union all select 'pg_collation'::regclass, o.oid from pg_collation o where ${isOurs("o.oid", "pg_collation")}
       union all select 'pg_conversion'::regclass, o.oid from pg_conversion o where ${isOurs("o.oid", "pg_conversion")}
       union all select 'pg_ts_config'::regclass, o.oid from pg_ts_config o where ${isOurs("o.oid", "pg_ts_config")}
       union all select 'pg_ts_dict'::regclass, o.oid from pg_ts_dict o where ${isOurs("o.oid", "pg_ts_dict")}
       union all select 'pg_foreign_server'::regclass, o.oid from pg_foreign_server o
       union all select 'pg_language'::regclass, o.oid from pg_language o where ${isOurs("o.oid", "pg_language")}
       union all select 'pg_am'::regclass, o.oid from pg_am o where ${isOurs("o.oid", "pg_am")}
       union all select 'pg_transform'::regclass, o.oid from pg_transform o where ${isOurs("o.oid", "pg_transform")}
     ) as found, pg_identify_object(found.class, found.oid, 0) as i
     union all select 'large object ' || oid from pg_largeobject_metadata
     union all select 'subscription ' || subname from pg_subscription s
       where s.subdbid = (select oid from pg_database where datname = current_database())
     order by 1`,
  );
  return rows.map(({ what }) => what);
}
