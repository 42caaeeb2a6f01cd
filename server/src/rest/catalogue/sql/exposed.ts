// Ids of what is not part of the system itself begin here, so a range of an index is read instead of whole catalogues.
const FIRST_OWN_ID = 16_384;

/** Ids of the relations that are served. Partitions are reached through their parent. `schemas` is of type text[]. */
export function exposedRelations(schemas: string): string {
  return `select c.oid from pg_class c
    where c.oid >= ${FIRST_OWN_ID} and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
      and c.relnamespace = any (${namespaces(schemas)})`;
}

/**
 * A recursive query `reached (oid)`: what is served, and the views and tables in any schema that served views stand on,
 * whose keys they may show.
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

/** Rows of pg_proc that may be called, or that compute something from a row. */
export function exposedFunctions(schemas: string): string {
  return `select p.* from pg_proc p
    where p.oid >= ${FIRST_OWN_ID} and p.pronamespace = any (${namespaces(schemas)}) and p.prokind = 'f'
      and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype, 'language_handler'::regtype)`;
}

/** Ids of everything whose columns are needed: what is served, and the row types that functions give. */
export function describedRelations(schemas: string): string {
  return `${exposedRelations(schemas)}
    union select coalesce(nullif(t.typrelid, 0), beneath.typrelid)
    from (${exposedFunctions(schemas)}) p join pg_type t on t.oid = p.prorettype left join pg_type beneath on beneath.oid = t.typbasetype
    where coalesce(nullif(t.typrelid, 0), beneath.typrelid, 0) <> 0`;
}

/** As an array, a set of ids is taken for a small one, and looked up instead of joined. */
function namespaces(schemas: string): string {
  return `array(select n.oid from pg_namespace n where n.nspname = any (${schemas}))`;
}
