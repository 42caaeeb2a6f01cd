import type pg from "pg";

/** Empties a table and leaves it one partition with the whole range, which can then be closed at times of the past. */
export async function joinPartitions(owner: pg.Client, table: string): Promise<void> {
  await owner.query(`delete from public.${table}`);
  const { rows } = await owner.query<{ partition: string }>(
    "select partition::text from private.list_partitions($1) order by upper_id nulls last",
    [`public.${table}`],
  );
  for (const { partition } of rows.slice(0, -1)) await owner.query(`drop table ${partition}`);
  const last = rows.at(-1)?.partition;
  await owner.query(
    `alter table public.${table} detach partition ${last};
     alter table ${last} rename to ${table}_first;
     alter table public.${table} attach partition partitions.${table}_first for values from (minvalue) to (maxvalue)`,
  );
}
