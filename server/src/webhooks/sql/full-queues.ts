import type pg from "pg";

const REASON = "queue_full";

/** Disables the webhook with the longest queue of every user over the limit. Returns the ids of these webhooks. */
export async function disableFullestWebhooks(pool: pg.Pool, maxPerUser: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `with waiting as (
       select w.user_id, w.id, w.is_active, q.deliveries
       from (select webhook_id, count(*) as deliveries from private.webhook_queue group by webhook_id) as q
       join public.webhooks w on w.id = q.webhook_id
     ), full_users as (
       select user_id from waiting group by user_id having sum(deliveries) > $1
     ), fullest as (
       select distinct on (user_id) id from waiting
       where is_active and user_id in (select user_id from full_users)
       order by user_id, deliveries desc
     )
     update public.webhooks w
     set is_active = false, disabled_reason = $2, disabled_at = now(), updated_at = now()
     from fullest where w.id = fullest.id and w.is_active
     returning w.id`,
    [maxPerUser, REASON],
  );
  return rows.map(({ id }) => id);
}

/** Fails the waiting deliveries of webhooks that were disabled for a full queue. The owner can recover them. */
export async function failFullQueues(pool: pg.Pool, maxRows: number): Promise<number> {
  const { rowCount } = await pool.query(
    `with dropped as materialized (
       select q.delivery_id
       from private.webhook_queue q
       join public.webhooks w on w.id = q.webhook_id and not w.is_active and w.disabled_reason = $2
       where q.claim is null or q.lease_until < now()
       order by q.delivery_id limit $1
       for update of q skip locked
     ), failed as (
       update public.webhook_deliveries d set status = 'failed', next_retry_at = null, scheduled_for = null
       from dropped where d.id = dropped.delivery_id and d.status in ('pending', 'retrying')
     )
     delete from private.webhook_queue q using dropped where q.delivery_id = dropped.delivery_id`,
    [maxRows, REASON],
  );
  return rowCount ?? 0;
}
