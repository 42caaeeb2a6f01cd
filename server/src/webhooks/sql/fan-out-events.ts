import type pg from "pg";
import type { ClaimedDelivery, Delivery, DeliveryTarget, SendWindow } from "../delivery.ts";
import type { ClaimRequest } from "./claim-due-deliveries.ts";

interface Summary {
  readonly events: number;
  /** Inserted deliveries that wait for a claim, without those that the send limit defers. */
  readonly unclaimed: number;
  /** Webhooks were enabled again, and their held deliveries wait for a claim. */
  readonly hasResumptions: boolean;
}

export interface FannedOut extends Summary {
  /** Deliveries that the statement claimed. */
  readonly claimed: readonly ClaimedDelivery[];
}

type Target = DeliveryTarget & SendWindow;

/** The columns of the target are set in the first row of each webhook only. */
type ClaimedRow = { readonly [K in keyof Target]: Target[K] | null } & Pick<
  Delivery,
  "id" | "webhookId" | "eventId" | "eventType" | "body" | "traceparent"
>;

/**
 * Turns events into deliveries and deletes them, in one transaction. Claims nothing without a request. With `isTraced`, events
 * of a run have the trace context that is stored with the run.
 */
export async function fanOutEvents(
  pool: pg.Pool,
  maxEvents: number,
  firstDelayMs: number,
  request: ClaimRequest | null,
  isTraced = false,
): Promise<FannedOut> {
  const { rows } = await pool.query<(Summary & { readonly madeAt: string }) | ClaimedRow>({
    name: "webhooks-fan-out",
    text: `select events, unclaimed, has_resumptions as "hasResumptions", made_at::text as "madeAt", id,
       webhook_id as "webhookId", event_id as "eventId", event_type as "eventType", body, user_id as "userId", url, secret,
       previous_secrets as "previousSecrets", headers, retry_count as "maxRetries", timeout_ms as "timeoutMs",
       window_opened_at::text as "windowOpenedAt", window_left_ms as "windowLeftMs", traceparent
     from private.fan_out_events($1, $2 * interval '1 millisecond', $3, $4 * interval '1 millisecond', $5, $6, $7, $8, $9, $10, $11)`,
    values: [
      maxEvents,
      firstDelayMs,
      request?.claim ?? null,
      request?.leaseMs ?? 0,
      request?.maxRows ?? 0,
      request?.endpointCapacity ?? 0,
      [...(request?.capacityByWebhook.keys() ?? [])],
      [...(request?.capacityByWebhook.values() ?? [])],
      request?.fullUserIds ?? [],
      request?.sendLimit ?? 0,
      isTraced,
    ],
  });
  const [summary, ...claimed] = rows as [Summary & { readonly madeAt: string }, ...ClaimedRow[]];
  const { events, unclaimed, hasResumptions, madeAt } = summary;
  return { events, unclaimed, hasResumptions, claimed: toClaimedDeliveries(claimed, madeAt) };
}

function toClaimedDeliveries(rows: readonly ClaimedRow[], runAt: string): ClaimedDelivery[] {
  const targets = new Map<string, Target>();
  return rows.map((row) => {
    const { id, webhookId, eventId, eventType, body, traceparent } = row;
    if (row.url !== null) targets.set(webhookId, { ...row, previousSecrets: row.previousSecrets ?? [] } as Target);
    const target = targets.get(webhookId);
    if (target === undefined) throw new Error(`the first row of webhook ${webhookId} has no target columns`);
    const round = { attempts: 0, attemptsBefore: 0, cause: "schedule", runAt, traceparent } as const;
    return { ...target, id, webhookId, eventId, eventType, body, ...round };
  });
}
