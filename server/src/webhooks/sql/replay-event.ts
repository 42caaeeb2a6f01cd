import type pg from "pg";

export interface ReplayedDelivery {
  readonly delivery_id: string;
  readonly webhook_id: string;
}

/** Inserts deliveries for the active webhooks of a user that received the event, or for the given webhook in any case. */
export async function replayEvent(
  pool: pg.Pool,
  eventId: string,
  userId: string,
  webhookId: string | null,
  traceparent: string | null,
): Promise<ReplayedDelivery[]> {
  const { rows } = await pool.query<ReplayedDelivery>(
    `with sources as (
       select distinct on (d.webhook_id) d.id, d.webhook_id, d.event_id, d.event_type, d.payload, d.created_at
       from public.webhook_deliveries d
       where d.event_id = $1 and d.user_id = $2
       order by d.webhook_id, d.created_at
     ), targets as materialized (
       select w.id, w.user_id from public.webhooks w
       where w.user_id = $2 and w.is_active
         and case when $3::uuid is null then w.id in (select webhook_id from sources) else w.id = $3 end
       order by w.id
       for key share
     ), made as (
       insert into public.webhook_deliveries (webhook_id, user_id, event_id, event_type, payload)
       select t.id, t.user_id, s.event_id, s.event_type, s.payload
       from targets t
       cross join lateral (select * from sources order by (sources.webhook_id = t.id) desc, created_at limit 1) as s
       returning id, webhook_id
     ), queued as (
       insert into private.webhook_queue (delivery_id, webhook_id, event_seq, cause, traceparent)
       select id, webhook_id, 0, (select private.keep_test_cause(sources.id, 'replay') from sources order by created_at limit 1), $4
       from made
     ), due_queue as (
       insert into private.webhook_endpoint_queues as queue (webhook_id)
       select webhook_id from made order by webhook_id
       on conflict (webhook_id) do update set next_due_at = least(queue.next_due_at, excluded.next_due_at)
     )
     select id as delivery_id, webhook_id from made`,
    [eventId, userId, webhookId, traceparent],
  );
  return rows;
}

/** The users who own deliveries of this event. */
export async function selectEventOwners(pool: pg.Pool, eventId: string): Promise<string[]> {
  const { rows } = await pool.query<{ user_id: string }>(
    "select distinct user_id from public.webhook_deliveries where event_id = $1",
    [eventId],
  );
  return rows.map((row) => row.user_id);
}
