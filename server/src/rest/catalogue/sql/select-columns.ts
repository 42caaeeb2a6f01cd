import { describedRelations } from "./exposed.ts";

export interface ColumnRow {
  readonly relation: number;
  readonly position: number;
  readonly name: string;
  readonly type: number;
  readonly modifier: number;
  readonly declared: string;
  readonly isNotNull: boolean;
  readonly hasDefault: boolean;
  readonly identity: "" | "a" | "d";
  readonly generated: string;
  readonly comment: string | null;
}

export function selectColumns(schemas: string): string {
  return `select coalesce(json_agg(json_build_object(
      'relation', a.attrelid::int8, 'position', a.attnum, 'name', a.attname, 'type', a.atttypid::int8,
      'modifier', a.atttypmod, 'declared', format_type(a.atttypid, a.atttypmod), 'isNotNull', a.attnotnull,
      'hasDefault', a.atthasdef, 'identity', a.attidentity, 'generated', a.attgenerated, 'comment', d.description)
    order by a.attrelid, a.attnum), '[]') as found
  from pg_attribute a
  left join pg_description d on d.objoid = a.attrelid and d.classoid = 'pg_class'::regclass and d.objsubid = a.attnum
  where a.attnum > 0 and not a.attisdropped and a.attrelid = any (array(${describedRelations(schemas)}))`;
}
