import type pg from "pg";

export interface LeaseKey {
  readonly deliveryId: string;
  readonly claim: string;
}

/** Returns the ids of the deliveries that the claims still hold. */
export async function renewLeases(pool: pg.Pool, keys: readonly LeaseKey[], leaseMs: number): Promise<Set<string>> {
  const { rows } = await pool.query<{ delivery_id: string }>(
    `update private.webhook_queue q
     set run_at = now() + $3 * interval '1 millisecond', lease_until = now() + $3 * interval '1 millisecond'
     from unnest($1::uuid[], $2::uuid[]) as ours (delivery_id, claim)
     where q.delivery_id = ours.delivery_id and q.claim = ours.claim
     returning q.delivery_id`,
    [keys.map(({ deliveryId }) => deliveryId), keys.map(({ claim }) => claim), leaseMs],
  );
  return new Set(rows.map((row) => row.delivery_id));
}
