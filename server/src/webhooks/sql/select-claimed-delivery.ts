import type pg from "pg";
import type { Delivery } from "../delivery.ts";
import { type DeliveryRow, toDelivery } from "./delivery-row.ts";

/** Returns null when the claim is no longer held, or the delivery or its webhook does not exist. */
export async function selectClaimedDelivery(
  pool: pg.Pool,
  deliveryId: string,
  claim: string,
): Promise<Delivery | null> {
  const { rows } = await pool.query<DeliveryRow>(
    `select d.id, d.webhook_id, d.user_id, d.event_id, d.event_type, d.payload::text as body, d.attempts,
       q.attempts_before, q.cause, w.url, w.secret, w.headers, w.retry_count, w.timeout_ms,
       array(select p.secret from private.webhook_previous_secrets p
             where p.webhook_id = w.id and p.expires_at > now() order by p.created_at desc) as previous_secrets
     from private.webhook_queue q
     join public.webhook_deliveries d on d.id = q.delivery_id
     join public.webhooks w on w.id = d.webhook_id
     where q.delivery_id = $1 and q.claim = $2`,
    [deliveryId, claim],
  );
  return rows[0] === undefined ? null : toDelivery(rows[0]);
}
