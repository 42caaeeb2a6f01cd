import { describedRelations, exposedFunctions } from "./exposed.ts";

export interface TypeRow {
  readonly oid: number;
  readonly name: string;
  readonly label: string;
  readonly plainName: string;
  readonly kind: string;
  readonly letter: string;
  readonly isBuiltIn: boolean;
  /** 0 unless it is a domain. */
  readonly beneath: number;
  readonly modifier: number;
  readonly isNotNull: boolean;
  readonly default: string | null;
  /** 0 unless it is an array. */
  readonly element: number;
  readonly relation: number;
  readonly rowSchema: string | null;
  readonly rowName: string | null;
  readonly values: readonly string[] | null;
}

/** With -1 for a modifier the name never means a length of one, as plain "character" and "bit" would in a cast. */
export function selectTypes(schemas: string): string {
  return `with recursive functions as (${exposedFunctions(schemas)}),
  used (oid) as (
    select unnest(array(
      select a.atttypid from pg_attribute a
      where a.attnum > 0 and not a.attisdropped and a.attrelid = any (array(${describedRelations(schemas)}))
      union select unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) from functions p
      union select p.prorettype from functions p))
    union
    select part.oid from used join pg_type t on t.oid = used.oid
    cross join lateral (values (t.typbasetype), (case when t.typcategory = 'A' then t.typelem end)) as part (oid)
    where part.oid <> 0
  )
  select coalesce(json_agg(json_build_object(
      'oid', t.oid::int8, 'name', format_type(t.oid, -1), 'label', format_type(t.oid, null), 'plainName', t.typname,
      'kind', t.typtype, 'letter', t.typcategory, 'isBuiltIn', t.typnamespace = 'pg_catalog'::regnamespace,
      'beneath', t.typbasetype::int8, 'modifier', t.typtypmod, 'isNotNull', t.typnotnull,
      'default', pg_get_expr(t.typdefaultbin, 0),
      'element', case when t.typcategory = 'A' then t.typelem::int8 else 0 end, 'relation', t.typrelid::int8,
      'rowSchema', n.nspname, 'rowName', c.relname,
      'values', (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid))), '[]') as found
  from used
  join pg_type t on t.oid = used.oid
  left join pg_class c on c.oid = t.typrelid
  left join pg_namespace n on n.oid = c.relnamespace`;
}
