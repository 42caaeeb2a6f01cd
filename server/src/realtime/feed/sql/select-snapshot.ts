import type pg from "pg";

/** Which transactions others see by now. */
export async function selectSnapshot(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ snapshot: string }>("select pg_catalog.pg_current_snapshot()::text as snapshot");
  return rows[0]?.snapshot ?? "";
}
