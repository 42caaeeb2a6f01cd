import type { ClientBase } from "pg";
import { HISTORY_SCHEMA } from "../../db/sql/history.ts";
import type { Item } from "../item.ts";
import { selectGrants } from "./select-grants.ts";
import { inAppSchema, isGuardedTable, isLoose, relationKey } from "./own-objects.ts";

const TYPES = `
  select 'enum' as kind, 'type ' || t.oid::regtype as key, null as parent,
    format('create type %s as enum (%s)', t.oid::regtype, string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder)) as text,
    format('drop type %s', t.oid::regtype) as undo, jsonb_build_object('labels', jsonb_agg(e.enumlabel order by e.enumsortorder)) as extra
  from pg_type t join pg_enum e on e.enumtypid = t.oid
  where ${inAppSchema("t.typnamespace")} and ${isLoose("t.oid", "pg_type")} group by t.oid
  union all
  select 'type', 'domain ' || t.oid::regtype, null, format('create domain %s as %s%s%s%s%s', t.oid::regtype, format_type(t.typbasetype, t.typtypmod),
      case when t.typcollation <> b.typcollation then ' collate ' || t.typcollation::regcollation else '' end,
      coalesce(' default ' || t.typdefault, ''), case when t.typnotnull then ' not null' else '' end,
      coalesce((select string_agg(format(' constraint %I %s', conname, pg_get_constraintdef(oid)), '' order by conname)
                from pg_constraint where contypid = t.oid and contype = 'c'), '')),
    format('drop domain %s', t.oid::regtype), null
  from pg_type t join pg_type b on b.oid = t.typbasetype
  where t.typtype = 'd' and ${inAppSchema("t.typnamespace")} and ${isLoose("t.oid", "pg_type")}
  union all
  select 'type', 'type ' || c.oid::regclass, null, format('create type %s as (%s)', c.oid::regclass,
      (select string_agg(format('%I %s%s', attname, format_type(atttypid, atttypmod),
         case when a.attcollation <> t.typcollation then ' collate ' || a.attcollation::regcollation else '' end), ', ' order by attnum)
       from pg_attribute a join pg_type t on t.oid = a.atttypid where attrelid = c.oid and attnum > 0 and not attisdropped)),
    format('drop type %s', c.oid::regclass), null
  from pg_class c where c.relkind = 'c' and ${inAppSchema("c.relnamespace")} and ${isLoose("c.oid", "pg_class")}
  union all
  select 'type', 'type ' || r.rngtypid::regtype, null, format('create type %s as range (subtype = %s, multirange_type_name = %s)',
      r.rngtypid::regtype, r.rngsubtype::regtype, r.rngmultitypid::regtype), format('drop type %s', r.rngtypid::regtype), null
  from pg_range r join pg_type t on t.oid = r.rngtypid where ${inAppSchema("t.typnamespace")} and ${isLoose("t.oid", "pg_type")}`;

const SCHEMAS = `
  select 'schema' as kind, 'schema ' || quote_ident(nspname) as key, null as parent, format('create schema %I', nspname) as text,
    format('drop schema %I', nspname) as undo, null::jsonb as extra
  from pg_namespace n where ${inAppSchema("n.oid")} and nspname <> 'public' and ${isLoose("n.oid", "pg_namespace")}
  union all
  select 'extension', 'extension ' || extname, null, format('create extension if not exists %I with schema %I', extname, extnamespace::regnamespace::text),
    format('drop extension %I', extname), jsonb_build_object('isForeign', extowner <> current_user::regrole)
  from pg_extension where oid >= 16384`;

const IDENTITY =
  "exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'i')";

const SEQUENCES = `
  select 'sequence' as kind, 'sequence ' || c.oid::regclass as key, null as parent,
    format('create sequence %s as %s increment by %s minvalue %s maxvalue %s start with %s cache %s%s', c.oid::regclass,
      format_type(s.seqtypid, null), s.seqincrement, s.seqmin, s.seqmax, s.seqstart, s.seqcache, case when s.seqcycle then ' cycle' else '' end) as text,
    format('drop sequence %s', c.oid::regclass) as undo, null::jsonb as extra
  from pg_class c join pg_sequence s on s.seqrelid = c.oid where ${inAppSchema("c.relnamespace")} and ${isLoose("c.oid", "pg_class")} and not ${IDENTITY}
  union all
  select 'sequence owner', 'owner of sequence ' || c.oid::regclass, 'sequence ' || c.oid::regclass,
    format('alter sequence %s owned by %s.%I', c.oid::regclass, d.refobjid::regclass, a.attname),
    format('alter sequence %s owned by none', c.oid::regclass), null
  from pg_class c join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_class'::regclass and d.deptype = 'a'
  join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
  where c.relkind = 'S' and ${inAppSchema("c.relnamespace")}`;

const APP_TABLE = `c.relkind in ('r', 'p') and c.relpersistence <> 't' and ${inAppSchema("c.relnamespace")} and ${isLoose("c.oid", "pg_class")}`;

const TABLES = `
  select 'table' as kind, 'table ' || c.oid::regclass as key, null as parent,
    case when c.relispartition then format('partition of %s %s', (select inhparent::regclass from pg_inherits where inhrelid = c.oid), pg_get_expr(c.relpartbound, c.oid))
      else concat_ws(' ', c.relpersistence, pg_get_partkeydef(c.oid), array_to_string(c.reloptions, ', ')) end as text,
    format('drop table %s', c.oid::regclass) as undo,
    jsonb_build_object(
      'head', format('create %stable %s', case c.relpersistence when 'u' then 'unlogged ' else '' end, c.oid::regclass),
      'tail', concat_ws('', case when c.relispartition then format(' partition of %s %s', (select inhparent::regclass from pg_inherits where inhrelid = c.oid), pg_get_expr(c.relpartbound, c.oid)) end,
        ' partition by ' || pg_get_partkeydef(c.oid), ' with (' || array_to_string(c.reloptions, ', ') || ')'),
      'dependents', (select coalesce(jsonb_agg(statement order by statement), '[]') from (
        select distinct format('drop %s if exists %s cascade', case v.relkind when 'm' then 'materialized view' else 'view' end, v.oid::regclass) as statement
        from pg_depend d join pg_rewrite r on r.oid = d.objid join pg_class v on v.oid = r.ev_class
        where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid and v.oid <> c.oid
        union
        select format('drop policy if exists %I on %s', p.polname, p.polrelid::regclass)
        from pg_depend d join pg_policy p on p.oid = d.objid
        where d.classid = 'pg_policy'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid and d.refobjsubid > 0) as found)) as extra
  from pg_class c where ${APP_TABLE}`;

const COLUMNS = `
  select 'column' as kind, format('column %s.%I', c.oid::regclass, a.attname) as key, 'table ' || c.oid::regclass as parent,
    concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod), 'collate ' || collated.name,
      case a.attidentity when 'a' then 'generated always as identity' when 'd' then 'generated by default as identity' end,
      case when a.attgenerated = '' then 'default ' || pg_get_expr(d.adbin, d.adrelid)
        else 'generated always as (' || pg_get_expr(d.adbin, d.adrelid) || case a.attgenerated when 's' then ') stored' else ') virtual' end end,
      case when a.attnotnull then 'not null' end) as text,
    format('alter table %s drop column %I', c.oid::regclass, a.attname) as undo,
    jsonb_build_object('table', c.oid::regclass::text, 'name', quote_ident(a.attname),
      'type', concat_ws(' ', format_type(a.atttypid, a.atttypmod), 'collate ' || collated.name),
      'default', case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end,
      'generated', case when a.attgenerated <> '' then pg_get_expr(d.adbin, d.adrelid) || a.attgenerated::text end, 'isNotNull', a.attnotnull,
      'identity', case a.attidentity when 'a' then 'always' when 'd' then 'by default' end) as extra
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  left join lateral (select a.attcollation::regcollation::text as name where a.attcollation <> t.typcollation) as collated on true
  where ${APP_TABLE} and not c.relispartition order by c.oid, a.attnum`;

const CONSTRAINTS = `
  select case contype when 'f' then 'foreign key' else 'constraint' end as kind, format('constraint %I on %s', conname, c.oid::regclass) as key,
    'table ' || c.oid::regclass as parent, format('constraint %I %s', conname, pg_get_constraintdef(k.oid)) as text,
    format('alter table %s drop constraint %I', c.oid::regclass, conname) as undo,
    jsonb_build_object('table', c.oid::regclass::text, 'isInline', contype <> 'f' and k.convalidated and not c.relispartition) as extra
  from pg_constraint k join pg_class c on c.oid = k.conrelid
  where contype in ('p', 'u', 'x', 'c', 'f') and k.conparentid = 0 and k.conislocal and ${APP_TABLE}
  order by c.oid, case contype when 'p' then 1 when 'u' then 2 when 'x' then 3 when 'c' then 4 else 5 end, conname`;

const INDEXES = `
  select 'index' as kind, 'index ' || x.oid::regclass as key, ${relationKey("c")} as parent, case x.relkind when 'I' then regexp_replace(pg_get_indexdef(x.oid), ' ON ONLY ', ' ON ') else pg_get_indexdef(x.oid) end as text,
    format('drop index %s', x.oid::regclass) as undo, null::jsonb as extra
  from pg_index i join pg_class x on x.oid = i.indexrelid join pg_class c on c.oid = i.indrelid
  where ${inAppSchema("c.relnamespace")} and ${isLoose("c.oid", "pg_class")} and not x.relispartition
    and not exists (select from pg_constraint k where k.conindid = x.oid and k.contype in ('p', 'u', 'x'))`;

const ROUTINES = `
  select 'function' as kind, 'function ' || p.oid::regprocedure as key, null as parent, rtrim(pg_get_functiondef(p.oid), E'\\n') as text,
    format('drop %s %s', case p.prokind when 'p' then 'procedure' else 'function' end, p.oid::regprocedure) as undo, null::jsonb as extra
  from pg_proc p where p.prokind in ('f', 'p', 'w') and ${inAppSchema("p.pronamespace")} and ${isLoose("p.oid", "pg_proc")}`;

const VIEWS = `
  select 'view' as kind, ${relationKey("c")} as key, null as parent, format(E'create %s %s%s as\\n%s', case c.relkind when 'm' then 'materialized view' else 'view' end,
      c.oid::regclass, coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', ''), rtrim(pg_get_viewdef(c.oid), ';')) as text,
    format('drop %s %s', case c.relkind when 'm' then 'materialized view' else 'view' end, c.oid::regclass) as undo, null::jsonb as extra
  from pg_class c where c.relkind in ('v', 'm') and ${inAppSchema("c.relnamespace")} and ${isLoose("c.oid", "pg_class")}`;

const GUARDED = isGuardedTable("c");

const RULES = `
  select 'policy' as kind, format('policy %I on %s', p.polname, c.oid::regclass) as key, 'table ' || c.oid::regclass as parent,
    format('create policy %I on %s%s%s to %s%s%s', p.polname, c.oid::regclass, case when p.polpermissive then '' else ' as restrictive' end,
      case p.polcmd when '*' then '' when 'r' then ' for select' when 'a' then ' for insert' when 'w' then ' for update' else ' for delete' end,
      (select string_agg(case role when 0 then 'public' else quote_ident(pg_get_userbyid(role)) end, ', ' order by role = 0, pg_get_userbyid(role)) from unnest(p.polroles) as role),
      E'\\n  using (' || pg_get_expr(p.polqual, p.polrelid) || ')', E'\\n  with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')') as text,
    format('drop policy %I on %s', p.polname, c.oid::regclass) as undo, null::jsonb as extra
  from pg_policy p join pg_class c on c.oid = p.polrelid where ${GUARDED}
  union all
  select 'trigger', format('trigger %I on %s', t.tgname, c.oid::regclass), ${relationKey("c")}, pg_get_triggerdef(t.oid) || case t.tgenabled when 'O' then ''
      else format(E';\\nalter table %s %s trigger %I', c.oid::regclass, case t.tgenabled when 'D' then 'disable' when 'A' then 'enable always' else 'enable replica' end, t.tgname) end,
    format('drop trigger %I on %s', t.tgname, c.oid::regclass), null
  from pg_trigger t join pg_class c on c.oid = t.tgrelid where not t.tgisinternal and t.tgparentid = 0 and ${GUARDED}
  union all
  select 'row security', format('row security of %s', c.oid::regclass), 'table ' || c.oid::regclass, format('alter table %s enable row level security', c.oid::regclass),
    format('alter table %s disable row level security', c.oid::regclass), null
  from pg_class c where c.relrowsecurity and ${APP_TABLE}
  union all
  select 'row security', format('forced row security of %s', c.oid::regclass), 'table ' || c.oid::regclass, format('alter table %s force row level security', c.oid::regclass),
    format('alter table %s no force row level security', c.oid::regclass), null
  from pg_class c where c.relforcerowsecurity and ${APP_TABLE}
  union all
  select 'replica identity', format('replica identity of %s', c.oid::regclass), 'table ' || c.oid::regclass, format('alter table %s replica identity %s', c.oid::regclass,
      case c.relreplident when 'f' then 'full' when 'n' then 'nothing' else 'using index ' || (select quote_ident(x.relname) from pg_index i join pg_class x on x.oid = i.indexrelid
        where i.indrelid = c.oid and i.indisreplident) end),
    format('alter table %s replica identity default', c.oid::regclass), null
  from pg_class c where c.relreplident <> 'd' and ${APP_TABLE}
  union all
  select 'publication', format('table %s of publication %I', c.oid::regclass, p.pubname), 'table ' || c.oid::regclass,
    format('alter publication %I add table %s%s%s', p.pubname, c.oid::regclass, (select ' (' || string_agg(quote_ident(a.attname), ', ' order by a.attnum) || ')'
      from pg_attribute a where a.attrelid = c.oid and a.attnum = any (r.prattrs)), ' where (' || pg_get_expr(r.prqual, r.prrelid) || ')'),
    format('alter publication %I drop table %s', p.pubname, c.oid::regclass), null
  from pg_publication_rel r join pg_publication p on p.oid = r.prpubid join pg_class c on c.oid = r.prrelid
  where p.pubname <> 'swarmbase_feed' and ${APP_TABLE}`;

const COMMENTS = `
  select 'comment' as kind, 'comment on ' || on_what as key, parent, format('comment on %s is %L', on_what, description) as text,
    format('comment on %s is null', on_what) as undo, null::jsonb as extra from (
    select case when d.objsubid > 0 then format('column %s.%I', c.oid::regclass, a.attname)
        else case c.relkind when 'v' then 'view ' when 'm' then 'materialized view ' when 'S' then 'sequence ' when 'i' then 'index ' when 'I' then 'index ' else 'table ' end || c.oid::regclass end as on_what,
      case when d.objsubid > 0 then format('column %s.%I', c.oid::regclass, a.attname) when c.relkind in ('i', 'I') then 'index ' || c.oid::regclass else ${relationKey("c")} end as parent, d.description
    from pg_description d join pg_class c on c.oid = d.objoid left join pg_attribute a on a.attrelid = c.oid and a.attnum = d.objsubid
    where d.classoid = 'pg_class'::regclass and c.relkind <> 'c' and ${inAppSchema("c.relnamespace")} and ${isLoose("c.oid", "pg_class")}
    union all select case p.prokind when 'p' then 'procedure ' else 'function ' end || p.oid::regprocedure, 'function ' || p.oid::regprocedure, d.description
    from pg_description d join pg_proc p on p.oid = d.objoid where d.classoid = 'pg_proc'::regclass and p.prokind in ('f', 'p', 'w') and ${inAppSchema("p.pronamespace")} and ${isLoose("p.oid", "pg_proc")}
    union all select case t.typtype when 'd' then 'domain ' else 'type ' end || t.oid::regtype, case t.typtype when 'd' then 'domain ' else 'type ' end || t.oid::regtype, d.description
    from pg_description d join pg_type t on t.oid = d.objoid where d.classoid = 'pg_type'::regclass and ${inAppSchema("t.typnamespace")} and ${isLoose("t.oid", "pg_type")}
    union all select 'schema ' || quote_ident(n.nspname), 'schema ' || quote_ident(n.nspname), d.description
    from pg_description d join pg_namespace n on n.oid = d.objoid where d.classoid = 'pg_namespace'::regclass and ${inAppSchema("n.oid")} and n.nspname <> 'public'
    union all select format('constraint %I on %s', k.conname, k.conrelid::regclass), format('constraint %I on %s', k.conname, k.conrelid::regclass), d.description
    from pg_description d join pg_constraint k on k.oid = d.objoid join pg_class c on c.oid = k.conrelid where d.classoid = 'pg_constraint'::regclass and ${APP_TABLE}
    union all select format('policy %I on %s', p.polname, c.oid::regclass), format('policy %I on %s', p.polname, c.oid::regclass), d.description
    from pg_description d join pg_policy p on p.oid = d.objoid join pg_class c on c.oid = p.polrelid where d.classoid = 'pg_policy'::regclass and ${GUARDED}
    union all select format('trigger %I on %s', t.tgname, c.oid::regclass), format('trigger %I on %s', t.tgname, c.oid::regclass), d.description
    from pg_description d join pg_trigger t on t.oid = d.objoid join pg_class c on c.oid = t.tgrelid where d.classoid = 'pg_trigger'::regclass and ${GUARDED}
  ) as described`;

/** Objects that a comparison does not cover. */
const UNCOVERED = `
  select i.type || ' ' || i.identity as what from (
    select 'pg_class'::regclass as class, c.oid, c.relnamespace as namespace from pg_class c
      where c.relkind = 'f' or (not c.relispartition and c.relkind = 'r' and exists (select from pg_inherits h where h.inhrelid = c.oid))
    union all select 'pg_proc'::regclass, oid, pronamespace from pg_proc where prokind = 'a'
    union all select 'pg_type'::regclass, oid, typnamespace from pg_type where typtype = 'b' and typelem = 0 and oid >= 16384
    union all select 'pg_operator'::regclass, oid, oprnamespace from pg_operator where oid >= 16384
    union all select 'pg_opclass'::regclass, oid, opcnamespace from pg_opclass where oid >= 16384
    union all select 'pg_collation'::regclass, oid, collnamespace from pg_collation where oid >= 16384
    union all select 'pg_ts_config'::regclass, oid, cfgnamespace from pg_ts_config where oid >= 16384
    union all select 'pg_ts_dict'::regclass, oid, dictnamespace from pg_ts_dict where oid >= 16384
    union all select 'pg_statistic_ext'::regclass, oid, stxnamespace from pg_statistic_ext
    union all select 'pg_rewrite'::regclass, r.oid, c.relnamespace from pg_rewrite r join pg_class c on c.oid = r.ev_class where r.rulename <> '_RETURN'
    union all select 'pg_event_trigger'::regclass, oid, 'public'::regnamespace from pg_event_trigger
  ) as found, pg_identify_object(found.class, found.oid, 0) as i
  where ${inAppSchema("found.namespace")} and not exists (select from pg_depend x where x.classid = found.class and x.objid = found.oid and x.deptype = 'e')`;

const KINDS = [
  SCHEMAS,
  TYPES,
  SEQUENCES,
  TABLES,
  COLUMNS,
  ROUTINES,
  CONSTRAINTS,
  INDEXES,
  VIEWS,
  RULES,
  selectGrants(),
  COMMENTS,
];

interface SchemaItems {
  readonly items: readonly Item[];
  /** Objects of kinds that are not compared. */
  readonly uncovered: readonly string[];
}

/** Everything of the app's schemas that is compared, and what apps add to tables of `auth` and `realtime`. */
export async function selectItems(client: ClientBase): Promise<SchemaItems> {
  await client.query("set search_path = ''");
  const items: Item[] = [];
  for (const kind of KINDS) items.push(...(await client.query<Item>(kind)).rows);
  const { rows } = await client.query<{ what: string }>(`${UNCOVERED} order by 1`);
  await client.query("reset search_path");
  return {
    items: items.filter(({ key }) => key !== `schema ${HISTORY_SCHEMA}`),
    uncovered: rows.map(({ what }) => what),
  };
}
