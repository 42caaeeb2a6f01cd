import { reachedRelations } from "./exposed.ts";

export interface ViewRow {
  readonly oid: number;
  /** The rewrite rule as PostgreSQL stores it. */
  readonly tree: string;
}

/** Exposed views, and the views in any schema that they depend on. */
export function selectViews(schemas: string): string {
  return `with recursive ${reachedRelations(schemas)}
  select coalesce(json_agg(json_build_object('oid', c.oid::int8, 'tree', r.ev_action::text)), '[]') as found
  from pg_class c join pg_rewrite r on r.ev_class = c.oid and r.ev_type = '1'
  where c.relkind in ('v', 'm') and c.oid = any (array(select reached.oid from reached))`;
}
