import { randomUUID } from "node:crypto";
import { isEventType } from "@swarmbase/sdk";
import { AppError } from "../../errors/index.ts";
import { insertTestDelivery } from "../sql/claim-single-delivery.ts";
import type { WebhookTools } from "../webhook-options.ts";
import { type AttemptNow, attemptNow } from "./attempt-now.ts";
import { buildSampleEvent } from "./sample-event.ts";
import { type CallerId, getOwnActiveWebhook, webhookDisabled, webhookNotFound } from "./webhook-access.ts";

export interface TestWebhookCall {
  readonly callerId: CallerId;
  readonly webhookId: string;
  readonly eventType: string;
}

/** Sends a sample event to a webhook once, whether or not the webhook subscribes to its type. */
export async function testWebhook(tools: WebhookTools, call: TestWebhookCall): Promise<AttemptNow> {
  const { callerId, webhookId, eventType } = call;
  const webhook = await getOwnActiveWebhook(tools.pool, callerId, webhookId);
  if (!isEventType(eventType))
    throw new AppError("INVALID_EVENTS", "The event type does not exist.", {
      details: { event_type: "is not the name of an event" },
    });
  const claim = randomUUID();
  const sample = JSON.stringify(buildSampleEvent(eventType, webhook.user_id, tools.clock.now()));
  const deliveryId = await insertTestDelivery(tools.pool, { webhookId, eventType, sample, claim });
  if (deliveryId === null) throw webhookDisabled();
  const attempt = await attemptNow(tools, deliveryId, claim);
  if (attempt === null) throw webhookNotFound();
  return attempt;
}
