import type pg from "pg";

const PRUNED = {
  deliveries: "public.webhook_deliveries",
  attempts: "public.webhook_delivery_attempts",
  recoveries: "public.webhook_recoveries",
  feedEntries: "private.event_feed_entries",
} as const;

export type PrunedTable = keyof typeof PRUNED;

/**
 * Deletes the next rows after `afterId` that are older than the given days and finished, except those of a partition that will be
 * dropped as a whole. Returns the last id when more may follow.
 */
export async function pruneBatch(
  pool: pg.Pool,
  name: PrunedTable,
  days: number,
  afterId: string,
  maxRows: number,
): Promise<string | null> {
  const { rows } = await pool.query<{ last_id: string | null }>(
    "select private.prune_webhook_rows($1, $2 * interval '1 day', $3, $4) as last_id",
    [PRUNED[name], days, afterId, maxRows],
  );
  return rows[0]?.last_id ?? null;
}
