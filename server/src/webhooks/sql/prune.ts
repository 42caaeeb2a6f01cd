import type pg from "pg";

/** The greatest id of the given age: ids start with their time, so old rows are found without a scan. */
const OLDEST_KEPT = `(lpad(to_hex(floor(extract(epoch from now() - $1 * interval '1 day') * 1000)::bigint), 12, '0')
       || repeat('f', 20))::uuid`;

const PRUNED = {
  deliveries: { table: "public.webhook_deliveries", condition: "status in ('delivered', 'failed')" },
  attempts: { table: "public.webhook_delivery_attempts", condition: "true" },
  recoveries: { table: "public.webhook_recoveries", condition: "status = 'completed'" },
} as const;

export type PrunedTable = keyof typeof PRUNED;

/** Deletes the next rows after `afterId` that are older than the given days. Returns the last id when more may follow. */
export async function pruneBatch(
  pool: pg.Pool,
  name: PrunedTable,
  days: number,
  afterId: string,
  maxRows: number,
): Promise<string | null> {
  const { table, condition } = PRUNED[name];
  const { rows } = await pool.query<{ last_id: string }>(
    `with old as materialized (
       select id from ${table}
       where id > $2 and id < ${OLDEST_KEPT} and created_at < now() - $1 * interval '1 day' and ${condition}
       order by id limit $3 for update skip locked
     ), gone as (
       delete from ${table} t using old where t.id = old.id
     )
     select (select id from old order by id desc limit 1) as last_id from old having count(*) = $3`,
    [days, afterId, maxRows],
  );
  return rows[0]?.last_id ?? null;
}
