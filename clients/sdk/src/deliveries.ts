export const DELIVERY_STATUSES = ["pending", "delivered", "failed", "retrying"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Entry k is the delay before attempt k + 1; the last entry repeats when a webhook allows more retries. */
export const RETRY_SCHEDULE_SECONDS = [0, 60, 300, 1800, 7200] as const;

/** Headers of every delivery. A receiver compares names without regard to case. */
export const WEBHOOK_HEADERS = {
  signature: "X-Service-Signature",
  event: "X-Service-Event",
  delivery: "X-Service-Delivery",
  timestamp: "X-Service-Timestamp",
} as const;

/** While a secret is being replaced: the signatures with the previous secrets, newest first, separated by commas. */
export const PREVIOUS_SIGNATURES_HEADER = "X-Service-Signature-Previous";

/** The same delivery, signed according to the Standard Webhooks specification. */
export const STANDARD_WEBHOOK_HEADERS = {
  id: "webhook-id",
  timestamp: "webhook-timestamp",
  signature: "webhook-signature",
} as const;

export const WEBHOOK_TOLERANCE_SECONDS = 300;
