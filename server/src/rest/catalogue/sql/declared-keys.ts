interface DeclaredKey {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
  readonly target: string;
  readonly targetColumns: readonly string[];
}

/**
 * Foreign keys of partitioned tables that are triggers instead of constraints, because a constraint would lock the table that it
 * refers to whenever a partition is attached or dropped (docs/decisions/0023-partitions.md). Requests embed over them.
 */
const DECLARED: readonly DeclaredKey[] = [
  {
    name: "webhook_deliveries_webhook_id_fkey",
    table: "public.webhook_deliveries",
    columns: ["webhook_id", "user_id"],
    target: "public.webhooks",
    targetColumns: ["id", "user_id"],
  },
  {
    name: "webhook_delivery_attempts_webhook_id_fkey",
    table: "public.webhook_delivery_attempts",
    columns: ["webhook_id", "user_id"],
    target: "public.webhooks",
    targetColumns: ["id", "user_id"],
  },
  {
    name: "run_events_run_id_fkey",
    table: "public.run_events",
    columns: ["swarm_id", "run_id"],
    target: "public.runs",
    targetColumns: ["swarm_id", "id"],
  },
];

/** A query `keys`: the primary, unique and foreign keys of the relations of a query `reached`, as in pg_constraint, and declared ones. */
export const DECLARED_KEYS = `keys (oid, contype, conname, conrelid, conkey, confrelid, confkey) as (
    select k.oid, k.contype, k.conname, k.conrelid, k.conkey, k.confrelid, k.confkey from pg_constraint k
    where k.conrelid = any (array(select reached.oid from reached)) and k.contype in ('p', 'u', 'f') and k.conparentid = 0
    union all
    select 0::oid, 'f'::"char", key.name::name, t.oid, ${numbersOf("t.oid", "key.columns")}, f.oid,
      ${numbersOf("f.oid", "key.target_columns")}
    from (values ${DECLARED.map(
      ({ name, table, columns, target, targetColumns }) =>
        `('${name}', '${table}', ${listOf(columns)}, '${target}', ${listOf(targetColumns)})`,
    ).join(", ")}) as key (name, table_name, columns, target_name, target_columns)
    join pg_class t on t.oid = to_regclass(key.table_name) and t.relkind = 'p'
    join pg_class f on f.oid = to_regclass(key.target_name))`;

function listOf(names: readonly string[]): string {
  return `array[${names.map((name) => `'${name}'`).join(", ")}]`;
}

function numbersOf(relation: string, names: string): string {
  return `array(select a.attnum from unnest(${names}) with ordinality as part (name, place)
        join pg_attribute a on a.attrelid = ${relation} and a.attname = part.name order by part.place)`;
}
