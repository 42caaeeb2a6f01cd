import type pg from "pg";

/** Milliseconds until the next endpoint is due, without the excluded webhooks; null when none will be. */
export async function selectNextDueMs(pool: pg.Pool, excludedIds: readonly string[]): Promise<number | null> {
  const { rows } = await pool.query<{ wait_ms: number | null }>(
    `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as wait_ms
     from private.webhook_endpoint_queues
     where due_at < 'infinity' and webhook_id <> all ($1::uuid[])`,
    [excludedIds],
  );
  return rows[0]?.wait_ms ?? null;
}
