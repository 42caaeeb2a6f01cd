import type { AttemptCause, Delivery } from "../delivery.ts";

export interface DeliveryRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly user_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly body: string;
  readonly attempts: number;
  readonly attempts_before: number;
  readonly cause: AttemptCause;
  readonly url: string;
  readonly secret: string;
  readonly previous_secrets: string[];
  readonly headers: Record<string, string>;
  readonly retry_count: number;
  readonly timeout_ms: number;
}

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    userId: row.user_id,
    eventId: row.event_id,
    eventType: row.event_type,
    body: row.body,
    attempts: row.attempts,
    attemptsBefore: row.attempts_before,
    cause: row.cause,
    url: row.url,
    secret: row.secret,
    previousSecrets: row.previous_secrets,
    headers: row.headers,
    maxRetries: row.retry_count,
    timeoutMs: row.timeout_ms,
  };
}

/** Columns of the claim functions. Times stay text, because a Date loses the microseconds. */
export const CLAIMED_COLUMNS = `id, run_at::text as due_at, webhook_id, user_id, event_id, event_type, body, attempts,
       attempts_before, cause, url, secret, previous_secrets, headers, retry_count, timeout_ms,
       window_opened_at::text as window_opened_at, window_left_ms`;

/** The window that a send was granted in; null without a limit. */
export interface WindowColumns {
  readonly window_opened_at: string | null;
  readonly window_left_ms: number | null;
}

export interface ClaimedRow extends DeliveryRow, WindowColumns {
  readonly due_at: string;
}

/** The window that the send of a delivery was counted in. The request must start before the window ends. */
export interface SendWindow {
  /** Text, because the microseconds identify the window in the database. */
  readonly openedAt: string;
  /** Milliseconds from the claim to the end of the window. */
  readonly leftMs: number;
}

export interface ClaimedDelivery {
  readonly delivery: Delivery;
  /** When the delivery was due before the claim, as text with microseconds, to restore on release. */
  readonly runAt: string;
  /** Null without a limit. */
  readonly sendWindow: SendWindow | null;
}

export function toClaimedDelivery(row: ClaimedRow): ClaimedDelivery {
  return { delivery: toDelivery(row), runAt: row.due_at, sendWindow: toSendWindow(row) };
}

export function toSendWindow({ window_opened_at: openedAt, window_left_ms: leftMs }: WindowColumns): SendWindow | null {
  return openedAt === null || leftMs === null ? null : { openedAt, leftMs };
}
