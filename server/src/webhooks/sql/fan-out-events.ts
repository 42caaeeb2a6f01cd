import type pg from "pg";
import type { ClaimRequest } from "./claim-due-deliveries.ts";
import { type ClaimedDelivery, toSendWindow, type WindowColumns } from "./delivery-row.ts";

export interface FannedOut {
  readonly events: number;
  /** Inserted deliveries that wait for a claim, without those that the send limit defers. */
  readonly unclaimed: number;
  /** Webhooks were enabled again, and their held deliveries wait for a claim. */
  readonly hasResumptions: boolean;
  /** Deliveries that the statement claimed. */
  readonly claimed: readonly ClaimedDelivery[];
}

interface SummaryRow {
  readonly events: number;
  readonly unclaimed: number;
  readonly has_resumptions: boolean;
  readonly made_at: string;
}

/** Set in the first row of each webhook only. */
interface TargetColumns extends WindowColumns {
  readonly user_id: string;
  readonly url: string;
  readonly secret: string;
  readonly previous_secrets: string[] | null;
  readonly headers: Record<string, string>;
  readonly retry_count: number;
  readonly timeout_ms: number;
}

type ClaimedRow = { readonly [K in keyof TargetColumns]: TargetColumns[K] | null } & {
  readonly id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly body: string;
};

/** Turns events into deliveries and deletes them, in one transaction. Claims nothing without a request. */
export async function fanOutEvents(
  pool: pg.Pool,
  maxEvents: number,
  firstDelayMs: number,
  request: ClaimRequest | null,
): Promise<FannedOut> {
  const { rows } = await pool.query<SummaryRow | ClaimedRow>({
    name: "webhooks-fan-out",
    text: `select events, unclaimed, has_resumptions, made_at::text as made_at, id, webhook_id, event_id, event_type, body,
       user_id, url, secret, previous_secrets, headers, retry_count, timeout_ms,
       window_opened_at::text as window_opened_at, window_left_ms
     from private.fan_out_events($1, $2 * interval '1 millisecond', $3, $4 * interval '1 millisecond', $5, $6, $7, $8, $9, $10)`,
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
    ],
  });
  const [summary, ...claimed] = rows as [SummaryRow, ...ClaimedRow[]];
  return {
    events: summary.events,
    unclaimed: summary.unclaimed,
    hasResumptions: summary.has_resumptions,
    claimed: toClaimedDeliveries(claimed, summary.made_at),
  };
}

function toClaimedDeliveries(rows: readonly ClaimedRow[], runAt: string): ClaimedDelivery[] {
  const targets = new Map<string, TargetColumns>();
  return rows.map((row) => {
    if (row.url !== null) targets.set(row.webhook_id, row as TargetColumns);
    const target = targets.get(row.webhook_id);
    if (target === undefined) throw new Error(`the first row of webhook ${row.webhook_id} has no target columns`);
    return {
      delivery: {
        id: row.id,
        webhookId: row.webhook_id,
        userId: target.user_id,
        eventId: row.event_id,
        eventType: row.event_type,
        body: row.body,
        attempts: 0,
        attemptsBefore: 0,
        cause: "schedule",
        url: target.url,
        secret: target.secret,
        previousSecrets: target.previous_secrets ?? [],
        headers: target.headers,
        maxRetries: target.retry_count,
        timeoutMs: target.timeout_ms,
      },
      runAt,
      sendWindow: toSendWindow(target),
    };
  });
}
