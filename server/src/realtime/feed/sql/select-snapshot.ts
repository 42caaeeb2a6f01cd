import type pg from "pg";

/** The current snapshot, which tells which transactions are visible. */
export async function selectSnapshot(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ snapshot: string }>("select pg_catalog.pg_current_snapshot()::text as snapshot");
  return rows[0]?.snapshot ?? "";
}
