import { exposedRelations } from "./exposed.ts";

export interface RelationRow {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly kind: "r" | "p" | "v" | "m" | "f";
  readonly comment: string | null;
}

export function selectRelations(schemas: string): string {
  return `select coalesce(json_agg(json_build_object(
      'oid', c.oid::int8, 'schema', n.nspname, 'name', c.relname, 'kind', c.relkind, 'comment', d.description)
    order by c.relname), '[]') as found
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  left join pg_description d on d.objoid = c.oid and d.classoid = 'pg_class'::regclass and d.objsubid = 0
  where c.oid = any (array(${exposedRelations(schemas)}))`;
}
