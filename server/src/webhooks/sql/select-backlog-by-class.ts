import type pg from "pg";

interface BacklogRow {
  /** An event that is not fanned out yet, or the state of the endpoint. */
  readonly class: "fan_out" | "healthy" | "failing" | "paused";
  /** Due events, or endpoints with due deliveries. */
  readonly count: number;
  readonly oldestSeconds: number;
}

/** Reads one row per endpoint and not the deliveries, whose number can be large. */
export async function selectBacklogByClass(pool: pg.Pool): Promise<readonly BacklogRow[]> {
  const { rows } = await pool.query<BacklogRow>(
    `select classes.name as class, count(due.since)::float8 as count,
       coalesce(extract(epoch from now() - min(due.since)), 0)::float8 as "oldestSeconds"
     from unnest(array['fan_out', 'healthy', 'failing', 'paused']) as classes (name)
     left join (
       select case when paused_until > now() then 'paused' when failed_in_a_row > 0 then 'failing' else 'healthy' end as class,
         next_due_at as since
       from private.webhook_endpoint_queues
       where next_due_at <= now()
       union all
       select 'fan_out', created_at from (select created_at from private.events order by seq limit 10000) as waiting
     ) as due on due.class = classes.name
     group by classes.name`,
  );
  return rows;
}

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
