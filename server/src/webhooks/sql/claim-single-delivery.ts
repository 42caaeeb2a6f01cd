import type pg from "pg";
import type { Delivery } from "../delivery.ts";

/** Makes the queue of the endpoint due when the lease expires, so that a dispatcher then finds the delivery. */
const UPSERT_QUEUE = `insert into private.webhook_endpoint_queues as queue (webhook_id, next_due_at)
       select webhook_id, lease_until from queued
       on conflict (webhook_id) do update set next_due_at = least(queue.next_due_at, excluded.next_due_at)`;

interface TestDelivery {
  readonly webhookId: string;
  readonly eventType: string;
  readonly sample: string;
  readonly claim: string;
}

/** Inserts a delivery that is already claimed. Returns null when the webhook does not exist or is disabled. */
export async function insertTestDelivery(pool: pg.Pool, test: TestDelivery): Promise<string | null> {
  const { rows } = await pool.query<{ delivery_id: string }>(
    `with target as materialized (
       select id, user_id, api_version, timeout_ms, private.new_id() as event_id
       from public.webhooks where id = $1 and is_active for key share
     ), made as (
       insert into public.webhook_deliveries (webhook_id, user_id, event_id, event_type, payload)
       select id, user_id, event_id, $2, private.render_envelope(event_id, $2, now(), api_version, $3)
       from target
       returning id, webhook_id
     ), queued as (
       insert into private.webhook_queue (delivery_id, webhook_id, event_seq, cause, claim, run_at, lease_until)
       select made.id, made.webhook_id, 0, 'test', $4, lease.until, lease.until
       from made, target, lateral (select now() + (target.timeout_ms + 15000) * interval '1 millisecond') as lease (until)
       returning delivery_id, webhook_id, lease_until
     ), due_queue as (${UPSERT_QUEUE})
     select delivery_id from queued`,
    [test.webhookId, test.eventType, test.sample, test.claim],
  );
  return rows[0]?.delivery_id ?? null;
}

/** Reopens and claims a failed delivery. Returns false when it has not failed or a concurrent call was first. */
export async function claimFailedDelivery(pool: pg.Pool, deliveryId: string, claim: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `with reopened as (
       update public.webhook_deliveries d set status = 'pending'
       from public.webhooks w
       where d.id = $1 and d.status = 'failed' and w.id = d.webhook_id and w.is_active
       returning d.id, d.webhook_id, d.attempts, w.timeout_ms
     ), queued as (
       insert into private.webhook_queue
         (delivery_id, webhook_id, event_seq, cause, attempts_before, claim, run_at, lease_until)
       select id, webhook_id, 0, private.keep_test_cause(id, 'manual'), attempts, $2, lease.until, lease.until
       from reopened, lateral (select now() + (timeout_ms + 15000) * interval '1 millisecond') as lease (until)
       returning delivery_id, webhook_id, lease_until
     ), due_queue as (${UPSERT_QUEUE})
     select delivery_id from queued`,
    [deliveryId, claim],
  );
  return (rowCount ?? 0) > 0;
}

/**
 * Claims a delivery that waits for its next attempt. Returns false when it does not wait, or is being sent. If the process
 * dies, the queue of the endpoint is due at the time of the next attempt, as before.
 */
export async function claimWaitingDelivery(pool: pg.Pool, deliveryId: string, claim: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update private.webhook_queue q
     set claim = $2, run_at = lease.until, lease_until = lease.until
     from public.webhook_deliveries d
     join public.webhooks w on w.id = d.webhook_id
     cross join lateral (select now() + (w.timeout_ms + 15000) * interval '1 millisecond') as lease (until)
     where q.delivery_id = $1 and q.claim is null and q.run_at > now()
       and d.id = q.delivery_id and d.status = 'retrying' and w.is_active`,
    [deliveryId, claim],
  );
  return (rowCount ?? 0) > 0;
}

/** Returns null when the claim is no longer held, or the delivery or its webhook does not exist. */
export async function selectClaimedDelivery(
  pool: pg.Pool,
  deliveryId: string,
  claim: string,
): Promise<Delivery | null> {
  const { rows } = await pool.query<Delivery>(
    `select d.id, d.webhook_id as "webhookId", d.user_id as "userId", d.event_id as "eventId", d.event_type as "eventType",
       d.payload::text as body, d.attempts, q.attempts_before as "attemptsBefore", q.cause, q.traceparent, w.url, w.secret, w.headers,
       w.retry_count as "maxRetries", w.timeout_ms as "timeoutMs",
       array(select p.secret from private.webhook_previous_secrets p
             where p.webhook_id = w.id and p.expires_at > now() order by p.created_at desc) as "previousSecrets"
     from private.webhook_queue q
     join public.webhook_deliveries d on d.id = q.delivery_id
     join public.webhooks w on w.id = d.webhook_id
     where q.delivery_id = $1 and q.claim = $2`,
    [deliveryId, claim],
  );
  return rows[0] ?? null;
}
