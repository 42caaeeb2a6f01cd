import type pg from "pg";

/** Milliseconds until a lane is due that is not among those passed by; null when none ever will be. */
export async function selectNextDueMs(pool: pg.Pool, passedByIds: readonly string[]): Promise<number | null> {
  const { rows } = await pool.query<{ wait_ms: number | null }>(
    `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as wait_ms
     from private.webhook_lanes
     where due_at < 'infinity' and webhook_id <> all ($1::uuid[])`,
    [passedByIds],
  );
  return rows[0]?.wait_ms ?? null;
}
