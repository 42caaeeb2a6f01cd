import type { Ask } from "./ask.ts";
import { readTableParts } from "./read-table-parts.ts";
import { OWNER, type Schema } from "./schema.ts";

interface TableRow {
  readonly oid: string;
  readonly name: string;
  readonly persistence: string;
  readonly options: string | null;
  readonly owner: string;
  readonly remark: string | null;
  readonly replicaIdentity: string | null;
  readonly isGuarded: boolean;
  readonly isForced: boolean;
  /** Null for a table that is not partitioned. Its partitions come and go, and are not shown. */
  readonly partitionKey: string | null;
}

export async function renderTables(ask: Ask, schema: Schema): Promise<string[]> {
  const tables = await ask<TableRow>(
    `select c.oid::text, c.oid::regclass::text as name,
            case c.relpersistence when 'u' then 'unlogged ' else '' end as persistence,
            array_to_string(c.reloptions, ', ') as options, pg_get_userbyid(c.relowner)::text as owner,
            quote_literal(obj_description(c.oid, 'pg_class')) as remark,
            case c.relreplident when 'd' then null when 'n' then 'nothing' when 'f' then 'full'
              else 'using index ' || (select quote_ident(x.relname) from pg_index i join pg_class x on x.oid = i.indexrelid
                                      where i.indrelid = c.oid and i.indisreplident) end as "replicaIdentity",
            c.relrowsecurity as "isGuarded", c.relforcerowsecurity as "isForced", pg_get_partkeydef(c.oid) as "partitionKey"
     from pg_class c where c.relnamespace = $1 and c.relkind in ('r', 'p') and not c.relispartition order by c.relname`,
    [schema.oid],
  );
  const parts = await readTableParts(
    ask,
    tables.map(({ oid }) => oid),
  );
  return tables.map((table) => {
    const { oid, name, options, partitionKey } = table;
    const { columns, constraints, indexes, policies, triggers, remarks } = parts.of(oid);
    return [
      `create ${table.persistence}table ${name} (`,
      [...columns, ...constraints].map((line) => `  ${line}`).join(",\n"),
      `)${partitionKey === null ? "" : ` partition by ${partitionKey.toLowerCase()}`}${options === null ? "" : ` with (${options})`};`,
      ...(table.owner === OWNER ? [] : [`alter table ${name} owner to ${table.owner};`]),
      ...(table.remark === null ? [] : [`comment on table ${name} is ${table.remark};`]),
      ...remarks,
      ...indexes,
      ...(table.replicaIdentity === null ? [] : [`alter table ${name} replica identity ${table.replicaIdentity};`]),
      ...(table.isGuarded ? [`alter table ${name} enable row level security;`] : []),
      ...(table.isForced ? [`alter table ${name} force row level security;`] : []),
      ...policies,
      ...triggers,
      ...(schema.grants.get(oid) ?? []),
    ].join("\n");
  });
}
