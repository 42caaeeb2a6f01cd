import { randomUUID } from "node:crypto";
import { AppError } from "../../errors/index.ts";
import { claimFailedDelivery } from "../sql/claim-single-delivery.ts";
import type { WebhookTools } from "../webhook-options.ts";
import { type AttemptNow, attemptNow } from "./attempt-now.ts";
import { type CallerId, getOwnDelivery, webhookDisabled } from "./webhook-access.ts";

export interface RetryDeliveryCall {
  readonly callerId: CallerId;
  readonly deliveryId: string;
}

/** Makes one more attempt of a failed delivery now. When it fails, the delivery fails again without further retries. */
export async function retryDelivery(tools: WebhookTools, call: RetryDeliveryCall): Promise<AttemptNow> {
  const { callerId, deliveryId } = call;
  const target = await getOwnDelivery(tools.pool, callerId, deliveryId);
  if (!target.is_active) throw webhookDisabled();
  const claim = randomUUID();
  const isClaimed = target.status === "failed" && (await claimFailedDelivery(tools.pool, deliveryId, claim));
  if (!isClaimed)
    throw new AppError("VALIDATION_ERROR", "Only a delivery that has failed can be retried.", {
      details: { delivery_id: "has not failed" },
    });
  const attempt = await attemptNow(tools, deliveryId, claim);
  if (attempt === null) throw new AppError("DELIVERY_NOT_FOUND", "The delivery was removed.");
  return attempt;
}
