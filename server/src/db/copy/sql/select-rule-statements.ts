import type { ClientBase } from "pg";
import { isOurs, type Statement, selectKinds } from "../statement.ts";

/** Everything with an owner, with the words of ALTER … OWNER. */
const OWNED = `
  select i.type, i.identity, pg_get_userbyid(o.owner) as owner from (
    select 'pg_namespace'::regclass as class, oid, nspowner as owner from pg_namespace n
      where (${isOurs("n.oid", "pg_namespace")} and nspname !~ '^pg_(toast_)?temp_') or nspname = 'public'
    union all select 'pg_class'::regclass, c.oid, c.relowner from pg_class c where c.relkind in ('r', 'p', 'v', 'm', 'S') and ${isOurs("c.oid", "pg_class")}
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i') and c.relkind = 'S')
    union all select 'pg_proc'::regclass, p.oid, p.proowner from pg_proc p where p.prokind in ('f', 'p', 'w') and ${isOurs("p.oid", "pg_proc")}
    union all select 'pg_type'::regclass, t.oid, t.typowner from pg_type t where ${isOurs("t.oid", "pg_type")}
      and (t.typtype in ('e', 'd') or exists (select from pg_class c where c.oid = t.typrelid and c.relkind = 'c'))
    union all select 'pg_publication'::regclass, oid, pubowner from pg_publication
    union all select 'pg_event_trigger'::regclass, e.oid, e.evtowner from pg_event_trigger e where ${isOurs("e.oid", "pg_event_trigger")}
  ) as o, pg_identify_object(o.class, o.oid, 0) as i`;

/** Everything with a list of rights of its own, with the words of GRANT … ON. */
const RIGHTS = `
  select 'schema' as kind, quote_ident(nspname) as name, nspowner as owner, nspacl as acl, null::text as part from pg_namespace n
    where (${isOurs("n.oid", "pg_namespace")} or nspname = 'public') and nspname !~ '^pg_(toast_)?temp_'
  union all select case relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass::text, relowner, relacl, null from pg_class c
    where relkind in ('r', 'p', 'v', 'm', 'S') and ${isOurs("c.oid", "pg_class")}
  union all select 'table', c.oid::regclass::text, c.relowner, a.attacl, quote_ident(a.attname) from pg_attribute a
    join pg_class c on c.oid = a.attrelid where a.attnum > 0 and not a.attisdropped and ${isOurs("c.oid", "pg_class")}
  union all select case prokind when 'p' then 'procedure' else 'function' end, p.oid::regprocedure::text, proowner, proacl, null from pg_proc p
    where prokind in ('f', 'p', 'w') and ${isOurs("p.oid", "pg_proc")}
  union all select 'type', t.oid::regtype::text, typowner, typacl, null from pg_type t where typtype in ('e', 'd', 'c') and ${isOurs("t.oid", "pg_type")}`;

const OBJECT_WORDS = `case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' when 'T' then 'types'
  when 'n' then 'schemas' else 'large objects' end`;

const KINDS = [
  `select format('default of %s.%I', d.adrelid::regclass, a.attname), format('alter table only %s alter column %I set default %s',
       d.adrelid::regclass, a.attname, pg_get_expr(d.adbin, d.adrelid))
   from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum join pg_class c on c.oid = d.adrelid
   where a.attgenerated = '' and c.relkind in ('r', 'p', 'v') and ${isOurs("d.adrelid", "pg_class")}`,
  `select format('constraint %s of %s', c.conname, c.conrelid::regclass),
       format('alter table %s%s add constraint %I %s', case when t.relkind = 'p' then '' else 'only ' end, c.conrelid::regclass, c.conname,
         pg_get_constraintdef(c.oid))
   from pg_constraint c join pg_class t on t.oid = c.conrelid
   where c.contype in ('p', 'u', 'x', 'c') and ${isOurs("c.conrelid", "pg_class")}`,
  // A partitioned table takes over the indexes and constraints of its partitions, whose names come first.
  `select 'index ' || i.indexrelid::regclass, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') from pg_index i
   where ${isOurs("i.indrelid", "pg_class")} and i.indisvalid and not exists (select from pg_class t where t.oid = i.indrelid and t.relkind = 't')
     and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))`,
  `select format('constraint %s of %s', c.conname, c.conrelid::regclass),
       format('alter table only %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
   from pg_constraint c where c.contype = 'f' and ${isOurs("c.conrelid", "pg_class")}`,
  `select 'replica identity of ' || c.oid::regclass, format('alter table only %s replica identity %s', c.oid::regclass,
       case c.relreplident when 'n' then 'nothing' when 'f' then 'full' else 'using index ' ||
         (select quote_ident(x.relname) from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = c.oid and i.indisreplident) end)
   from pg_class c where c.relkind in ('r', 'p') and c.relreplident <> 'd' and ${isOurs("c.oid", "pg_class")}`,
  `select 'view ' || c.oid::regclass, format('create materialized view %s as %s', c.oid::regclass, pg_get_viewdef(c.oid))
   from pg_class c where c.relkind = 'm' and ${isOurs("c.oid", "pg_class")}`,
  `select 'statistics ' || s.stxname, pg_get_statisticsobjdef(s.oid) from pg_statistic_ext s`,
  `select format('rule %s on %s', r.rulename, r.ev_class::regclass), pg_get_ruledef(r.oid) from pg_rewrite r
   where r.rulename <> '_RETURN' and ${isOurs("r.ev_class", "pg_class")}`,
  `select 'owner of ' || o.type || ' ' || o.identity, format('alter %s %s owner to %I', o.type, o.identity, o.owner) from (${OWNED}) as o
   where o.type not in ('publication', 'event trigger')`,
  `select 'owner of sequence ' || c.oid::regclass, format('alter sequence %s owner to %I; alter sequence %s owned by %s.%I', c.oid::regclass,
       pg_get_userbyid(c.relowner), c.oid::regclass, d.refobjid::regclass, a.attname)
   from pg_class c join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'a' and d.refclassid = 'pg_class'::regclass
   join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid where c.relkind = 'S' and ${isOurs("c.oid", "pg_class")}`,
  `select format('trigger %s on %s', t.tgname, t.tgrelid::regclass), pg_get_triggerdef(t.oid) || case t.tgenabled when 'O' then '' else
       format('; alter table %s %s trigger %I', t.tgrelid::regclass, case t.tgenabled when 'D' then 'disable' when 'A' then 'enable always'
         else 'enable replica' end, t.tgname) end
   from pg_trigger t where not t.tgisinternal and t.tgparentid = 0 and ${isOurs("t.tgrelid", "pg_class")}`,
  `select format('policy %s on %s', p.polname, p.polrelid::regclass), format('create policy %I on %s as %s for %s to %s%s%s', p.polname,
       p.polrelid::regclass, case when p.polpermissive then 'permissive' else 'restrictive' end,
       case p.polcmd when '*' then 'all' when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' else 'delete' end,
       (select string_agg(case role when 0 then 'public' else quote_ident(pg_get_userbyid(role)) end, ', ' order by pg_get_userbyid(role)) from unnest(p.polroles) as role),
       ' using (' || pg_get_expr(p.polqual, p.polrelid) || ')', ' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')
   from pg_policy p where ${isOurs("p.polrelid", "pg_class")}`,
  `select 'row rules of ' || c.oid::regclass, concat_ws('; ', case when c.relrowsecurity then format('alter table %s enable row level security', c.oid::regclass) end,
       case when c.relforcerowsecurity then format('alter table %s force row level security', c.oid::regclass) end)
   from pg_class c where (c.relrowsecurity or c.relforcerowsecurity) and ${isOurs("c.oid", "pg_class")}`,
  // Where a list of rights was never touched, that of a new object is the same.
  `select format('rights on %s %s%s', r.kind, r.name, '.' || r.part),
       case when r.part is null then format('revoke all on %s %s from public, %I', r.kind, r.name, pg_get_userbyid(r.owner)) else '' end
       || coalesce((select string_agg(format('; grant %s%s on %s %s to %s%s', lower(a.privilege_type), ' (' || r.part || ')', r.kind, r.name,
            case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end,
            case when a.is_grantable then ' with grant option' else '' end), '' order by pg_get_userbyid(a.grantee), a.privilege_type)
          from aclexplode(r.acl) a), '')
   from (${RIGHTS}) as r where r.acl is not null`,
  `select format('default rights of %s on %s in %s', pg_get_userbyid(d.defaclrole), ${OBJECT_WORDS}, coalesce(n.nspname, 'every schema')),
       format('alter default privileges for role %I%s revoke all on %s from public, %I', pg_get_userbyid(d.defaclrole),
         ' in schema ' || quote_ident(n.nspname), ${OBJECT_WORDS}, pg_get_userbyid(d.defaclrole))
       || coalesce((select string_agg(format('; alter default privileges for role %I%s grant %s on %s to %s%s', pg_get_userbyid(d.defaclrole),
            ' in schema ' || quote_ident(n.nspname), lower(a.privilege_type), ${OBJECT_WORDS},
            case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end,
            case when a.is_grantable then ' with grant option' else '' end), '' order by pg_get_userbyid(a.grantee), a.privilege_type)
          from aclexplode(d.defaclacl) a), '')
   from pg_default_acl d left join pg_namespace n on n.oid = d.defaclnamespace`,
  `select 'publication ' || p.pubname, format('create publication %I%s%s with (publish = %L, publish_via_partition_root = %s%s)', p.pubname,
       case when p.puballtables then ' for all tables' end,
       ' for ' || nullif(concat_ws(', ', (select string_agg('table ' || r.prrelid::regclass || coalesce((select ' (' || string_agg(quote_ident(a.attname), ', ' order by a.attnum) || ')'
           from pg_attribute a where a.attrelid = r.prrelid and a.attnum = any (r.prattrs)), '')
           || coalesce(' where ' || pg_get_expr(r.prqual, r.prrelid), ''), ', ' order by r.prrelid::regclass::text) from pg_publication_rel r where r.prpubid = p.oid),
         (select string_agg('tables in schema ' || s.pnnspid::regnamespace, ', ' order by s.pnnspid::regnamespace::text)
          from pg_publication_namespace s where s.pnpubid = p.oid)), ''),
       concat_ws(', ', case when p.pubinsert then 'insert' end, case when p.pubupdate then 'update' end,
         case when p.pubdelete then 'delete' end, case when p.pubtruncate then 'truncate' end), p.pubviaroot::text,
       case when to_jsonb(p) ->> 'pubgencols' = 's' then ', publish_generated_columns = stored' end)
       || format('; alter publication %I owner to %I', p.pubname, pg_get_userbyid(p.pubowner))
   from pg_publication p`,
  `select 'comment on ' || i.type || ' ' || i.identity, format('comment on %s %s is %L',
       case when i.type like '% column' then 'column' when i.type = 'table constraint' then 'constraint' when i.type = 'statistics object' then 'statistics' else i.type end,
       i.identity, d.description)
   from pg_description d, pg_identify_object(d.classoid, d.objoid, d.objsubid) as i
   where d.objoid >= 16384 and i.type <> 'domain constraint' and not exists (select from pg_depend x
     where x.classid = d.classoid and x.objid = d.objoid and x.deptype = 'e') and d.classoid <> 'pg_extension'::regclass`,
  `select 'event trigger ' || e.evtname, format('create event trigger %I on %s%s execute function %s()%s; alter event trigger %I owner to %I', e.evtname, e.evtevent,
       ' when tag in (' || (select string_agg(quote_literal(tag), ', ' order by tag) from unnest(e.evttags) as tag) || ')', e.evtfoid::regproc,
       case e.evtenabled when 'D' then format('; alter event trigger %I disable', e.evtname) else '' end, e.evtname, pg_get_userbyid(e.evtowner))
   from pg_event_trigger e where ${isOurs("e.oid", "pg_event_trigger")}`,
];

/** What follows the rows: constraints, indexes, and who may do what. */
export async function selectRuleStatements(client: ClientBase): Promise<Statement[]> {
  const statements = await selectKinds(client, KINDS);
  return statements.map(({ key, text }) => ({ key, text: text.replace(/^; /, "") }));
}

/** Where sequences stand, those behind identity columns included. */
export async function selectSequenceStatements(client: ClientBase): Promise<Statement[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c where c.relkind = 'S' and ${isOurs("c.oid", "pg_class")} order by 1`,
  );
  const statements: Statement[] = [];
  for (const { name } of rows) {
    const { rows: states } = await client.query<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${name}`,
    );
    const state = states[0];
    if (state === undefined) continue;
    const text = `select pg_catalog.setval('${name.replaceAll("'", "''")}'::regclass, ${state.value}, ${String(state.called)})`;
    statements.push({ key: `state of sequence ${name}`, text });
  }
  return statements;
}
