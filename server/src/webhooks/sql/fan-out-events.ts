import type pg from "pg";
import type { ClaimedDelivery, Delivery } from "../delivery.ts";
import type { ClaimRequest } from "./claim-due-deliveries.ts";

export interface FannedOut {
  readonly events: number;
  /** Inserted deliveries that wait for a claim, without those that the send limit defers. */
  readonly unclaimed: number;
  /** Inserted entries of feeds. */
  readonly fed: number;
  /** Webhooks were enabled again, and their held deliveries wait for a claim. */
  readonly hasResumptions: boolean;
  /** Deliveries that the statement claimed. */
  readonly claimed: readonly ClaimedDelivery[];
}

interface FannedOutRow extends Omit<FannedOut, "claimed"> {
  readonly madeAt: string;
  readonly claimed: readonly ClaimedRow[] | null;
  readonly targets: readonly TargetRow[] | null;
}

interface ClaimedRow extends Pick<Delivery, "id" | "body" | "traceparent"> {
  readonly webhook_id: string;
  readonly event_id: string;
  readonly event_type: string;
}

/** The webhook of claimed deliveries, and the window that their sends are counted in. */
interface TargetRow extends Pick<Delivery, "url" | "secret" | "headers"> {
  readonly webhook_id: string;
  readonly user_id: string;
  readonly previous_secrets: readonly string[];
  readonly retry_count: number;
  readonly timeout_ms: number;
  readonly window_opened_at: string | null;
  readonly window_left_ms: number | null;
}

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
  const { rows } = await pool.query<FannedOutRow>({
    name: "webhooks-fan-out",
    text: `select events, unclaimed, fed, has_resumptions as "hasResumptions", made_at::text as "madeAt", claimed, targets
     from private.fan_out_events(
       max_events => $1, first_delay => $2 * interval '1 millisecond', new_claim => $3,
       lease => $4 * interval '1 millisecond', max_rows => $5, default_capacity => $6, queue_ids => $7,
       queue_capacities => $8, full_users => $9, send_limit => $10, is_traced => $11)`,
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
  const [row] = rows as [FannedOutRow];
  const { events, unclaimed, fed, hasResumptions } = row;
  return { events, unclaimed, fed, hasResumptions, claimed: toClaimedDeliveries(row) };
}

function toClaimedDeliveries({ claimed, targets, madeAt }: FannedOutRow): ClaimedDelivery[] {
  const targetOf = new Map((targets ?? []).map((target) => [target.webhook_id, target]));
  return (claimed ?? []).map(({ id, webhook_id, event_id, event_type, body, traceparent }) => {
    const target = targetOf.get(webhook_id);
    if (target === undefined) throw new Error(`the webhook ${webhook_id} of a claimed delivery was not returned`);
    return {
      id,
      webhookId: webhook_id,
      eventId: event_id,
      eventType: event_type,
      body,
      traceparent,
      userId: target.user_id,
      url: target.url,
      secret: target.secret,
      previousSecrets: target.previous_secrets,
      headers: target.headers,
      maxRetries: target.retry_count,
      timeoutMs: target.timeout_ms,
      windowOpenedAt: target.window_opened_at,
      windowLeftMs: target.window_left_ms,
      attempts: 0,
      attemptsBefore: 0,
      cause: "schedule",
      runAt: madeAt,
    };
  });
}
