import type { Ask } from "./ask.ts";

/** The publications, table by table. */
export async function renderPublications(ask: Ask): Promise<string[]> {
  const rows = await ask<{ statement: string }>(
    `select format(E'create publication %I%s\\nwith (%s);', p.pubname,
       (select E' for table\\n' || string_agg(format('  %s%s', r.prrelid::regclass, coalesce((
           select ' (' || string_agg(quote_ident(a.attname), ', ' order by a.attnum) || ')'
           from pg_attribute a where a.attrelid = r.prrelid and a.attnum = any (r.prattrs)), '')
           || coalesce(' where ' || pg_get_expr(r.prqual, r.prrelid), '')), E',\\n' order by r.prrelid::regclass::text)
        from pg_publication_rel r where r.prpubid = p.oid),
       concat_ws(', ', format('publish = %L', concat_ws(', ', case when p.pubinsert then 'insert' end,
           case when p.pubupdate then 'update' end, case when p.pubdelete then 'delete' end, case when p.pubtruncate then 'truncate' end)),
         'publish_via_partition_root = ' || p.pubviaroot,
         case when p.pubgencols = 's' then 'publish_generated_columns = stored' end)) as statement
     from pg_publication p order by p.pubname`,
  );
  return rows.map(({ statement }) => statement);
}
