// The first id of a user object: restricts scans of catalogues to a range of an index.
const FIRST_OWN_ID = 16_384;

/** Ids of the exposed relations, without partitions. `schemas` is of type text[]. */
export function exposedRelations(schemas: string): string {
  return `select c.oid from pg_class c
    where c.oid >= ${FIRST_OWN_ID} and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
      and c.relnamespace = any (${namespaces(schemas)})`;
}

/**
 * A recursive query `reached (oid)`: exposed relations, and the views and tables in any schema that exposed views depend on, whose
 * keys they may contain.
 */
export function reachedRelations(schemas: string): string {
  return `reached (oid) as (
    select unnest(array(${exposedRelations(schemas)}))
    union
    select d.refobjid from reached
    join pg_rewrite r on r.ev_class = reached.oid
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
    where d.refobjid >= ${FIRST_OWN_ID}
  )`;
}

/** Rows of pg_proc that can be called or are computed fields. */
export function exposedFunctions(schemas: string): string {
  return `select p.* from pg_proc p
    where p.oid >= ${FIRST_OWN_ID} and p.pronamespace = any (${namespaces(schemas)}) and p.prokind = 'f'
      and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype, 'language_handler'::regtype)`;
}

export function exposedAggregates(schemas: string): string {
  return `select p.* from pg_proc p
    where p.oid >= ${FIRST_OWN_ID} and p.pronamespace = any (${namespaces(schemas)}) and p.prokind = 'a'`;
}

/** Ids of relations whose columns are needed: exposed ones, and the row types of function results. */
export function describedRelations(schemas: string): string {
  return `${exposedRelations(schemas)}
    union select coalesce(nullif(t.typrelid, 0), beneath.typrelid)
    from (${exposedFunctions(schemas)}) p join pg_type t on t.oid = p.prorettype left join pg_type beneath on beneath.oid = t.typbasetype
    where coalesce(nullif(t.typrelid, 0), beneath.typrelid, 0) <> 0`;
}

/** The planner assumes an array to be small, and uses an index instead of a join. */
function namespaces(schemas: string): string {
  return `array(select n.oid from pg_namespace n where n.nspname = any (${schemas}))`;
}

/** Ids of the roles that requests run as. */
export const CALLER_ROLES = `array(select r.oid from pg_roles r where r.rolname in ('anon', 'authenticated', 'service_role'))`;

/** What settings of roles apply to: all databases, or this one. */
export const SETTING_SCOPES = `array[0, (select d.oid from pg_database d where d.datname = current_database())]`;
