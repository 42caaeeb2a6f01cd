import type { Ask } from "./ask.ts";
import type { Schema } from "./schema.ts";

/** Standalone sequences and those of serial columns; those of identity columns are part of the column. */
export async function renderSequences(ask: Ask, schema: Schema): Promise<string[]> {
  const rows = await ask<{ oid: string; statement: string }>(
    `select c.oid::text, format('create sequence %s as %s increment %s start %s%s%s;', c.oid::regclass, s.seqtypid::regtype,
         s.seqincrement, s.seqstart, case when s.seqcycle then ' cycle' else '' end,
         coalesce(' owned by ' || d.refobjid::regclass || '.' || quote_ident(a.attname), '')) as statement
     from pg_class c
     join pg_sequence s on s.seqrelid = c.oid
     left join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_class'::regclass
       and d.deptype in ('a', 'i')
     left join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
     where c.relnamespace = $1 and d.deptype is distinct from 'i'
     order by c.relname`,
    [schema.oid],
  );
  return rows.map(({ oid, statement }) => [statement, ...(schema.grants.get(oid) ?? [])].join("\n"));
}
