import type { Delivery } from "./delivery.ts";
import { type AttemptResult, decideOutcome } from "./outcome.ts";
import type { AttemptRecord } from "./sql/record-outcomes.ts";
import type { WebhookTools } from "./webhook-options.ts";

/** Decides the outcome of an attempt and returns the row that records it. */
export function concludeAttempt(
  { schedule, clock, random }: WebhookTools,
  { id, url, attempts, attemptsBefore, cause, maxRetries }: Delivery,
  claim: string,
  result: AttemptResult,
): AttemptRecord {
  const outcome = decideOutcome({
    result,
    attempt: attempts - attemptsBefore + 1,
    maxRetries: cause === "test" || cause === "manual" ? 0 : maxRetries,
    schedule,
    now: clock.now(),
    random: random(),
  });
  const isAnswered = result.kind === "answered";
  return {
    ...outcome,
    deliveryId: id,
    claim,
    attempt: attempts + 1,
    url,
    statusCode: isAnswered ? result.status : null,
    responseBody: isAnswered ? result.body : null,
    isTruncated: isAnswered && result.isTruncated,
    errorCode: isAnswered ? null : result.code,
    error: isAnswered ? null : result.message,
    responseTimeMs: Math.round(result.durationMs),
  };
}
