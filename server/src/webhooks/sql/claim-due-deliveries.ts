import type pg from "pg";
import type { ClaimedDelivery } from "../delivery.ts";

/** How many deliveries a claim may take for each endpoint. */
export interface DeliveryCapacity {
  /** For endpoints that are not in `capacityByWebhook`. */
  readonly endpointCapacity: number;
  readonly capacityByWebhook: ReadonlyMap<string, number>;
}

export interface ClaimRequest extends DeliveryCapacity {
  /** The id of the claim. Every later write about its deliveries must give it. */
  readonly claim: string;
  readonly leaseMs: number;
  readonly maxRows: number;
  readonly fullUserIds: readonly string[];
  /** Sends per user and minute; 0 is no limit. */
  readonly sendLimit: number;
}

export async function claimDueDeliveries(
  pool: pg.Pool,
  request: ClaimRequest,
  maxEndpoints: number,
): Promise<ClaimedDelivery[]> {
  const { rows } = await pool.query<ClaimedDelivery>(
    `select id, webhook_id as "webhookId", user_id as "userId", event_id as "eventId", event_type as "eventType", body,
       attempts, attempts_before as "attemptsBefore", cause, url, secret, previous_secrets as "previousSecrets", headers,
       retry_count as "maxRetries", timeout_ms as "timeoutMs", run_at::text as "runAt",
       window_opened_at::text as "windowOpenedAt", window_left_ms as "windowLeftMs", traceparent
     from private.claim_webhook_deliveries($1, $2 * interval '1 millisecond', $3, $4, $5, $6, $7, $8, $9)`,
    [
      request.claim,
      request.leaseMs,
      maxEndpoints,
      request.maxRows,
      request.endpointCapacity,
      [...request.capacityByWebhook.keys()],
      [...request.capacityByWebhook.values()],
      request.fullUserIds,
      request.sendLimit,
    ],
  );
  return rows;
}
