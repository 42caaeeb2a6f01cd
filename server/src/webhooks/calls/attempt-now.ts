import { describeAttempt } from "../describe-attempt.ts";
import { decideOutcome } from "../outcome.ts";
import { sendAttempt } from "../send-attempt.ts";
import { recordOutcomes } from "../sql/record-outcomes.ts";
import { selectClaimedDelivery } from "../sql/select-claimed-delivery.ts";
import type { WebhookTools } from "../webhook-options.ts";

export interface AttemptNow {
  readonly deliveryId: string;
  readonly isDelivered: boolean;
  readonly statusCode: number | null;
  readonly responseTimeMs: number;
  readonly responseBody: string | null;
  /** A message when there was no response. */
  readonly error: string | null;
  /** All attempts of the delivery, this one included. */
  readonly attempts: number;
}

/**
 * Makes one attempt of a claimed delivery within the request of a caller, without a retry. If the process dies meanwhile, the
 * lease expires and the dispatcher makes the attempt. Returns null when the delivery no longer exists.
 */
export async function attemptNow(tools: WebhookTools, deliveryId: string, claim: string): Promise<AttemptNow | null> {
  const delivery = await selectClaimedDelivery(tools.pool, deliveryId, claim);
  if (delivery === null) return null;
  const result = await sendAttempt(delivery, tools);
  if (result === null) throw new Error("an attempt without a signal was aborted");
  const outcome = decideOutcome({
    result,
    attempt: 1,
    maxRetries: 0,
    schedule: tools.schedule,
    now: tools.clock.now(),
    random: tools.random(),
  });
  const record = describeAttempt(delivery, claim, result, outcome);
  const rows = await recordOutcomes(tools.pool, [record], tools.disableRule);
  for (const { kind, id, reason } of rows)
    if (kind === "disabled") tools.observer.note("webhook.disabled", { webhookId: id, reason });
  return {
    deliveryId,
    isDelivered: outcome.status === "delivered",
    statusCode: record.statusCode,
    responseTimeMs: record.responseTimeMs,
    responseBody: record.responseBody,
    error: record.error,
    attempts: record.attempt,
  };
}
