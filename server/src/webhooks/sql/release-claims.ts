import type pg from "pg";
import type { LeaseKey } from "./renew-leases.ts";

export interface ReleasedClaim extends LeaseKey {
  /** When the delivery was due before the claim. */
  readonly runAt: string;
}

/** Makes the queues of the released deliveries due with them. */
const WAKE_QUEUES = `due as (
       select webhook_id, min(run_at) as run_at from released group by webhook_id
     ), locked as materialized (
       select webhook_id from private.webhook_endpoint_queues where webhook_id in (select webhook_id from due)
       order by webhook_id for update
     )
     update private.webhook_endpoint_queues l set next_due_at = least(l.next_due_at, due.run_at)
     from due join locked using (webhook_id)
     where l.webhook_id = due.webhook_id`;

/** Restores deliveries to their state before the claim. */
export async function releaseClaims(pool: pg.Pool, claims: readonly ReleasedClaim[]): Promise<void> {
  await pool.query(
    `with released as (
       update private.webhook_queue q
       set run_at = ours.run_at, claim = null, lease_until = null
       from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as ours (delivery_id, claim, run_at)
       where q.delivery_id = ours.delivery_id and q.claim = ours.claim
       returning q.webhook_id, q.run_at
     ), ${WAKE_QUEUES}`,
    [claims.map(({ deliveryId }) => deliveryId), claims.map(({ claim }) => claim), claims.map(({ runAt }) => runAt)],
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
