import type { Delivery } from "./delivery.ts";
import { type AttemptResult, decideOutcome } from "./outcome.ts";
import type { AttemptRecord } from "./sql/record-outcomes.ts";
import type { WebhookTools } from "./webhook-options.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

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
    error: explainFailure(result),
    responseTimeMs: Math.round(result.durationMs),
  };
}

/** A response speaks for itself, except for a redirect, which the receiver may expect to be followed. */
function explainFailure(result: AttemptResult): string | null {
  if (result.kind === "failed") return result.message;
  return REDIRECTS.has(result.status) ? "The endpoint answered with a redirect: redirects are not followed" : null;
}
