import type pg from "pg";

const QUEUE_FULL = "queue_full";

/** Fails the deliveries of the CTE `dropped` and deletes them from the queue. */
const FAIL_DROPPED = `failed as (
       update public.webhook_deliveries d set status = 'failed', next_retry_at = null, scheduled_for = null
       from dropped where d.id = dropped.delivery_id and d.status in ('pending', 'retrying')
     )
     delete from private.webhook_queue q using dropped where q.delivery_id = dropped.delivery_id`;

const STATEMENTS = [
  // Makes the queues of deleted webhooks due, so that the next claim deletes them.
  `update private.webhook_endpoint_queues queue set next_due_at = now(), paused_until = null
   where queue.webhook_id in (
     select webhook_id from private.webhook_endpoint_queues o
     where o.due_at > now() and not exists (select 1 from public.webhooks w where w.id = o.webhook_id)
     order by webhook_id for update skip locked)`,
  // Makes queues due whose next delivery is due earlier than the queue. None should exist; one would be stuck forever.
  `update private.webhook_endpoint_queues queue set next_due_at = now()
   where queue.webhook_id in (
     select o.webhook_id from private.webhook_endpoint_queues o
     where o.next_due_at > now() + interval '1 minute'
       and (select min(q.run_at) from private.webhook_queue q where q.webhook_id = o.webhook_id) < o.next_due_at
     order by o.webhook_id for update skip locked)`,
  // Webhooks of a run that has ended, when nothing waits for them any more.
  `delete from public.webhooks w using public.runs r
   where w.run_id = r.id and r.finished_at < now() - interval '1 hour'
     and not exists (select 1 from private.webhook_queue q where q.webhook_id = w.id)
     and not exists (select 1 from private.events e where e.type = 'run.updated' and e.data ->> 'run_id' = r.id::text)`,
  "delete from private.webhook_previous_secrets where expires_at <= now()",
  "delete from private.webhook_skips s where not exists (select 1 from public.webhooks w where w.id = s.webhook_id)",
  // Includes the windows of deleted users. Skips locked rows, so that no claim waits.
  `delete from private.webhook_send_windows
   where user_id in (
     select user_id from private.webhook_send_windows where opened_at < now() - interval '1 hour' for update skip locked)`,
];

/** Wakes stuck queues, and deletes webhooks of runs that have ended, expired secrets and old send windows. */
export async function runHousekeeping(pool: pg.Pool): Promise<void> {
  for (const statement of STATEMENTS) await pool.query(statement);
}

/** Fails deliveries that have waited too long for a disabled webhook. */
export async function failHeldDeliveries(pool: pg.Pool, heldDays: number, maxRows: number): Promise<number> {
  const { rowCount } = await pool.query(
    `with dropped as materialized (
       select due.delivery_id
       from private.webhook_endpoint_queues queue
       join public.webhooks w on w.id = queue.webhook_id and not w.is_active
       cross join lateral (
         select q.delivery_id from private.webhook_queue q
         where q.webhook_id = queue.webhook_id and q.run_at < now() - $1 * interval '1 day'
         order by q.run_at limit $2 for update skip locked) as due
       where queue.paused_until = 'infinity'
       limit $2
       for key share of w
     ), ${FAIL_DROPPED}`,
    [heldDays, maxRows],
  );
  return rowCount ?? 0;
}

/** Enables webhooks that were disabled by a ban of their owner that has ended, which releases their held deliveries. */
export async function resumeAfterBans(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `update public.webhooks w set is_active = true, updated_at = now()
     from auth.users u
     where w.disabled_reason = 'account_banned' and not w.is_active
       and u.id = w.user_id and u.deleted_at is null and coalesce(u.banned_until <= now(), true)`,
  );
  return rowCount ?? 0;
}

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
    [maxPerUser, QUEUE_FULL],
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
     ), ${FAIL_DROPPED}`,
    [maxRows, QUEUE_FULL],
  );
  return rowCount ?? 0;
}
