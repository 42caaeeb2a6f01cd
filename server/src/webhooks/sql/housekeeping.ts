import type pg from "pg";

/** Fails deliveries that have waited too long for a disabled webhook. */
export async function failHeldDeliveries(pool: pg.Pool, heldDays: number, maxRows: number): Promise<number> {
  const { rowCount } = await pool.query(
    `with overdue as materialized (
       select due.delivery_id
       from private.webhook_endpoint_queues l
       join public.webhooks w on w.id = l.webhook_id and not w.is_active
       cross join lateral (
         select q.delivery_id from private.webhook_queue q
         where q.webhook_id = l.webhook_id and q.run_at < now() - $1 * interval '1 day'
         order by q.run_at limit $2 for update skip locked) as due
       where l.paused_until = 'infinity'
       limit $2
       for key share of w
     ), failed as (
       update public.webhook_deliveries d set status = 'failed', next_retry_at = null, scheduled_for = null
       from overdue where d.id = overdue.delivery_id and d.status in ('pending', 'retrying')
     )
     delete from private.webhook_queue q using overdue where q.delivery_id = overdue.delivery_id`,
    [heldDays, maxRows],
  );
  return rowCount ?? 0;
}

/** Makes the queues of deleted webhooks due, so that the next claim deletes them. */
export async function wakeOrphanedQueues(pool: pg.Pool): Promise<void> {
  await pool.query(
    `update private.webhook_endpoint_queues l set next_due_at = now(), paused_until = null
     where l.webhook_id in (
       select webhook_id from private.webhook_endpoint_queues o
       where o.due_at > now() and not exists (select 1 from public.webhooks w where w.id = o.webhook_id)
       order by webhook_id for update skip locked)`,
  );
}

/** Makes queues due whose next delivery is due earlier than the queue. None should exist; one would be stuck forever. */
export async function wakeOverdueQueues(pool: pg.Pool): Promise<void> {
  await pool.query(
    `update private.webhook_endpoint_queues l set next_due_at = now()
     where l.webhook_id in (
       select o.webhook_id from private.webhook_endpoint_queues o
       where o.next_due_at > now() + interval '1 minute'
         and (select min(q.run_at) from private.webhook_queue q where q.webhook_id = o.webhook_id) < o.next_due_at
       order by o.webhook_id for update skip locked)`,
  );
}

/** Deletes windows an hour after they opened, including those of deleted users. Skips locked rows, so that no claim waits. */
export async function deleteOldSendWindows(pool: pg.Pool): Promise<void> {
  await pool.query(
    `delete from private.webhook_send_windows
     where user_id in (
       select user_id from private.webhook_send_windows where opened_at < now() - interval '1 hour' for update skip locked)`,
  );
}

export async function deleteExpiredSecrets(pool: pg.Pool): Promise<void> {
  await pool.query("delete from private.webhook_previous_secrets where expires_at <= now()");
}
