import type pg from "pg";

/** How much WAL lies between the present and what the node has taken in. */
export async function selectLagBytes(pool: pg.Pool, slotName: string): Promise<number> {
  const { rows } = await pool.query<{ lag: string | null }>(
    `select pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), confirmed_flush_lsn) as lag
     from pg_catalog.pg_replication_slots where slot_name = $1`,
    [slotName],
  );
  return Number(rows[0]?.lag ?? 0);
}
