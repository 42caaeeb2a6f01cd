import type pg from "pg";

/** The bytes of WAL between its end and the confirmed position of the slot. */
export async function selectLagBytes(pool: pg.Pool, slotName: string): Promise<number> {
  const { rows } = await pool.query<{ lag: string | null }>(
    `select pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), confirmed_flush_lsn) as lag
     from pg_catalog.pg_replication_slots where slot_name = $1`,
    [slotName],
  );
  return Number(rows[0]?.lag ?? 0);
}
