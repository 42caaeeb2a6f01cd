import type { Row } from "./client.ts";

export const LISTED =
  "id, webhook_id, event_id, event_type, status, status_code, attempts, next_retry_at, scheduled_for, delivered_at, created_at, test:payload->data->test";

/** A delivery without payload and response body. */
export interface ListedDelivery extends Omit<Row<"webhook_deliveries">, "user_id" | "payload" | "response_body"> {
  /** True for a test and its replays. */
  readonly test?: unknown;
}
