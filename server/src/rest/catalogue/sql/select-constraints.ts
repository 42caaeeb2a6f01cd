import { reachedRelations } from "./exposed.ts";

export interface ConstraintRow {
  readonly kind: "p" | "u" | "f";
  readonly name: string;
  readonly relation: number;
  readonly columns: readonly number[];
  /** Of a foreign key: what it refers to. */
  readonly target: number;
  readonly targetSchema: string | null;
  readonly targetName: string | null;
  readonly targetColumns: readonly number[] | null;
  readonly targetColumnNames: readonly string[] | null;
}

/** Of exposed relations and of those beneath exposed views, without copies on partitions. */
export function selectConstraints(schemas: string): string {
  return `with recursive ${reachedRelations(schemas)}
  select coalesce(json_agg(json_build_object(
      'kind', k.contype, 'name', k.conname, 'relation', k.conrelid::int8, 'columns', k.conkey, 'target', k.confrelid::int8,
      'targetSchema', n.nspname, 'targetName', c.relname, 'targetColumns', k.confkey,
      'targetColumnNames', (select json_agg(a.attname order by key.place)
        from unnest(k.confkey) with ordinality as key (number, place)
        join pg_attribute a on a.attrelid = k.confrelid and a.attnum = key.number))
    order by k.contype, k.conname, k.oid), '[]') as found
  from pg_constraint k
  left join pg_class c on c.oid = k.confrelid
  left join pg_namespace n on n.oid = c.relnamespace
  where k.conrelid = any (array(select reached.oid from reached)) and k.contype in ('p', 'u', 'f') and k.conparentid = 0`;
}
