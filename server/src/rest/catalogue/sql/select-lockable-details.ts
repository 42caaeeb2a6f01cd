import { exposedRelations } from "./exposed.ts";

export interface LockableDetails {
  /** Relation, and a mask of what it accepts: 4 update, 8 insert, 16 delete. */
  readonly accepted: readonly (readonly [relation: number, mask: number])[];
  readonly defaults: readonly (readonly [relation: number, position: number, text: string])[];
}

/** These functions lock the relations, so they wait for concurrent schema changes. */
export function selectLockableDetails(schemas: string): string {
  return `select json_build_object(
    'accepted', coalesce((select json_agg(json_build_array(c.oid::int8, pg_relation_is_updatable(c.oid, true)))
      from pg_class c where c.relkind in ('v', 'f') and c.oid = any (array(${exposedRelations(schemas)}))), '[]'),
    'defaults', coalesce((select json_agg(json_build_array(d.adrelid::int8, d.adnum, pg_get_expr(d.adbin, d.adrelid)))
      from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum and a.attgenerated = ''
      where d.adrelid = any (array(${exposedRelations(schemas)}))), '[]')) as found`;
}
