import type { DeliveryStatus } from "@swarmbase/sdk";
import { AppError } from "../../errors/index.ts";
import { concludeAttempt } from "../conclude-attempt.ts";
import { sendAttempt } from "../send-attempt.ts";
import {
  claimFailedDelivery,
  claimWaitingDelivery,
  insertTestDelivery,
  selectClaimedDelivery,
} from "../sql/claim-single-delivery.ts";
import { type AttemptRecord, recordOutcomes } from "../sql/record-outcomes.ts";
import type { WebhookTools } from "../webhook-options.ts";
import { findSampleEvent } from "./sample-event.ts";
import {
  type CallerId,
  getOwnActiveWebhook,
  getOwnDelivery,
  type WebhookCall,
  webhookDisabled,
  webhookNotFound,
} from "./webhook-access.ts";

/** `error` is a message when there was no response. */
export interface AttemptNow
  extends Pick<AttemptRecord, "deliveryId" | "statusCode" | "responseTimeMs" | "responseBody" | "error"> {
  readonly isDelivered: boolean;
  readonly status: AttemptRecord["status"];
  /** All attempts of the delivery, this one included. */
  readonly attempts: number;
}

interface DeliveryCall {
  readonly callerId: CallerId;
  readonly deliveryId: string;
}

/** Sends a sample event to a webhook once, whether or not the webhook subscribes to its type. */
export async function testWebhook(
  tools: WebhookTools,
  { callerId, webhookId, eventType }: WebhookCall & { readonly eventType: string },
): Promise<AttemptNow> {
  const webhook = await getOwnActiveWebhook(tools.pool, callerId, webhookId);
  const userId = webhook.user_id;
  const data = await findSampleEvent(tools, { type: eventType, userId, isService: callerId === null });
  if (data === null)
    throw new AppError("INVALID_EVENTS", "The event type does not exist.", {
      details: { event_type: "is not the name of an event" },
    });
  const claim = tools.newClaim();
  const sample = JSON.stringify(data);
  const deliveryId = await insertTestDelivery(tools.pool, { webhookId, eventType, sample, claim });
  if (deliveryId === null) throw webhookDisabled();
  const attempt = await attemptNow(tools, deliveryId, claim);
  if (attempt === null) throw webhookNotFound();
  return attempt;
}

/** Makes one more attempt of a failed delivery now. When it fails, the delivery fails again without further retries. */
export function retryDelivery(tools: WebhookTools, call: DeliveryCall): Promise<AttemptNow> {
  return attemptIf(tools, call, {
    status: "failed",
    claim: claimFailedDelivery,
    message: "Only a delivery that has failed can be retried.",
    detail: "has not failed",
  });
}

/** Makes the next attempt of a retrying delivery now. It counts as one of its retries, and further ones follow the schedule. */
export function sendNow(tools: WebhookTools, call: DeliveryCall): Promise<AttemptNow> {
  return attemptIf(tools, call, {
    status: "retrying",
    claim: claimWaitingDelivery,
    message: "Only a delivery that waits for its next attempt can be sent now.",
    detail: "does not wait for a retry",
  });
}

interface Condition {
  readonly status: DeliveryStatus;
  readonly claim: typeof claimFailedDelivery;
  /** Of the rejection of a delivery in another state, or one that somebody else attempts. */
  readonly message: string;
  readonly detail: string;
}

async function attemptIf(
  tools: WebhookTools,
  { callerId, deliveryId }: DeliveryCall,
  { status, claim: take, message, detail }: Condition,
): Promise<AttemptNow> {
  const target = await getOwnDelivery(tools.pool, callerId, deliveryId);
  if (!target.is_active) throw webhookDisabled();
  const claim = tools.newClaim();
  const isClaimed = target.status === status && (await take(tools.pool, deliveryId, claim));
  if (!isClaimed) throw new AppError("VALIDATION_ERROR", message, { details: { delivery_id: detail } });
  const attempt = await attemptNow(tools, deliveryId, claim);
  if (attempt === null) throw new AppError("DELIVERY_NOT_FOUND", "The delivery was removed.");
  return attempt;
}

/** Makes one attempt. If the process dies, the lease expires and the dispatcher sends. Null means that there is no such delivery. */
async function attemptNow(tools: WebhookTools, deliveryId: string, claim: string): Promise<AttemptNow | null> {
  const delivery = await selectClaimedDelivery(tools.pool, deliveryId, claim);
  if (delivery === null) return null;
  const result = await sendAttempt(delivery, tools);
  if (result === null) throw new Error("an attempt without a signal was aborted");
  const record = concludeAttempt(tools, delivery, claim, result);
  const rows = await recordOutcomes(tools.pool, [record], tools.disableRule);
  for (const { kind, id, reason } of rows)
    if (kind === "disabled") tools.observer.note("webhook.disabled", { webhookId: id, reason });
  const { status, attempt: attempts, statusCode, responseTimeMs, responseBody, error } = record;
  const isDelivered = status === "delivered";
  return { deliveryId, isDelivered, status, attempts, statusCode, responseTimeMs, responseBody, error };
}
