/** Names in the schema `$1` that the role has any privilege on: `r` relations, `f` functions. */
export const SELECT_VISIBLE = `
select 'r', c.relname
  from pg_catalog.pg_class c
  where c.relnamespace = (select n.oid from pg_catalog.pg_namespace n where n.nspname = $1)
    and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and (pg_catalog.has_any_column_privilege(c.oid, 'select, insert, update, references')
         or pg_catalog.has_table_privilege(c.oid, 'delete'))
union all
select 'f', p.proname
  from pg_catalog.pg_proc p
  where p.pronamespace = (select n.oid from pg_catalog.pg_namespace n where n.nspname = $1)
    and pg_catalog.has_function_privilege(p.oid, 'execute')`;
