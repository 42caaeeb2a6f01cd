import type { AttemptResult, Outcome } from "./outcome.ts";
import type { AttemptRecord } from "./sql/record-outcomes.ts";

export interface AttemptedDelivery {
  readonly id: string;
  readonly url: string;
  /** Attempts before this one. */
  readonly attempts: number;
}

/** The row that records an attempt. */
export function describeAttempt(
  delivery: AttemptedDelivery,
  claim: string,
  result: AttemptResult,
  outcome: Outcome,
): AttemptRecord {
  const isAnswered = result.kind === "answered";
  return {
    ...outcome,
    deliveryId: delivery.id,
    claim,
    attempt: delivery.attempts + 1,
    url: delivery.url,
    statusCode: isAnswered ? result.status : null,
    responseBody: isAnswered ? result.body : null,
    isTruncated: isAnswered && result.isTruncated,
    errorCode: isAnswered ? null : result.code,
    error: isAnswered ? null : result.message,
    responseTimeMs: Math.round(result.durationMs),
  };
}
