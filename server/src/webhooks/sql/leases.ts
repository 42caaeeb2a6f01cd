import type pg from "pg";

interface LeasedDelivery {
  readonly id: string;
  readonly claim: string;
  /** When the delivery was due before the claim. */
  readonly runAt: string;
}

/** Returns the ids of the deliveries that the claims still hold. */
export async function renewDeliveryLeases(
  pool: pg.Pool,
  deliveries: readonly LeasedDelivery[],
  leaseMs: number,
): Promise<Set<string>> {
  const { rows } = await pool.query<{ delivery_id: string }>(
    `update private.webhook_queue q
     set run_at = now() + $3 * interval '1 millisecond', lease_until = now() + $3 * interval '1 millisecond'
     from unnest($1::uuid[], $2::uuid[]) as ours (delivery_id, claim)
     where q.delivery_id = ours.delivery_id and q.claim = ours.claim
     returning q.delivery_id`,
    [deliveries.map(({ id }) => id), deliveries.map(({ claim }) => claim), leaseMs],
  );
  return new Set(rows.map((row) => row.delivery_id));
}

/** Makes the queues of the released deliveries due with them. */
const WAKE_QUEUES = `due as (
       select webhook_id, min(run_at) as run_at from released group by webhook_id
     ), locked as materialized (
       select webhook_id from private.webhook_endpoint_queues where webhook_id in (select webhook_id from due)
       order by webhook_id for update
     )
     update private.webhook_endpoint_queues queue set next_due_at = least(queue.next_due_at, due.run_at)
     from due join locked using (webhook_id)
     where queue.webhook_id = due.webhook_id`;

/** Restores deliveries to their state before the claim. */
export async function releaseClaims(pool: pg.Pool, deliveries: readonly LeasedDelivery[]): Promise<void> {
  await pool.query(
    `with released as (
       update private.webhook_queue q
       set run_at = ours.run_at, claim = null, lease_until = null
       from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as ours (delivery_id, claim, run_at)
       where q.delivery_id = ours.delivery_id and q.claim = ours.claim
       returning q.webhook_id, q.run_at
     ), ${WAKE_QUEUES}`,
    [deliveries.map(({ id }) => id), deliveries.map(({ claim }) => claim), deliveries.map(({ runAt }) => runAt)],
  );
}

/** Releases whatever these claims took. It is unknown which rows that is, if any. */
export async function releaseLostClaims(pool: pg.Pool, claims: readonly string[]): Promise<void> {
  await pool.query(
    `with released as (
       update private.webhook_queue q set run_at = now(), claim = null, lease_until = null
       where q.claim = any ($1::uuid[])
       returning q.webhook_id, q.run_at
     ), ${WAKE_QUEUES}`,
    [claims],
  );
}

/** Releases all claims from the first to the last. Reads the whole queue, for which a lost process is rare enough. */
export async function releaseClaimRange(pool: pg.Pool, range: readonly [first: string, last: string]): Promise<void> {
  await pool.query(
    `with released as (
       update private.webhook_queue q set run_at = now(), claim = null, lease_until = null
       where q.claim between $1::uuid and $2::uuid
       returning q.webhook_id, q.run_at
     ), ${WAKE_QUEUES}`,
    [...range],
  );
}
