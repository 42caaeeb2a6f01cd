import type pg from "pg";
import { AppError } from "../../errors/index.ts";
import { type DeliveryOwner, selectDeliveryOwner, selectWebhookOwner, type WebhookOwner } from "../sql/select-owner.ts";

/** The user who makes the call; null is the service role, which has access to all webhooks. */
export type CallerId = string | null;

export interface WebhookCall {
  readonly callerId: CallerId;
  readonly webhookId: string;
}

export async function getOwnWebhook(pool: pg.Pool, callerId: CallerId, webhookId: string): Promise<WebhookOwner> {
  const webhook = await selectWebhookOwner(pool, webhookId);
  if (webhook === null) throw webhookNotFound();
  if (callerId !== null && webhook.user_id !== callerId)
    throw new AppError("FORBIDDEN", "This webhook belongs to somebody else.");
  return webhook;
}

export async function getOwnActiveWebhook(pool: pg.Pool, callerId: CallerId, webhookId: string): Promise<WebhookOwner> {
  const webhook = await getOwnWebhook(pool, callerId, webhookId);
  if (!webhook.is_active) throw webhookDisabled();
  return webhook;
}

export async function getOwnDelivery(pool: pg.Pool, callerId: CallerId, deliveryId: string): Promise<DeliveryOwner> {
  const delivery = await selectDeliveryOwner(pool, deliveryId);
  if (delivery === null) throw new AppError("DELIVERY_NOT_FOUND", "There is no such delivery.");
  if (callerId !== null && delivery.user_id !== callerId)
    throw new AppError("FORBIDDEN", "This delivery belongs to somebody else.");
  return delivery;
}

export function webhookNotFound(): AppError {
  return new AppError("WEBHOOK_NOT_FOUND", "There is no such webhook.");
}

export function webhookDisabled(): AppError {
  return new AppError("WEBHOOK_DISABLED", "The webhook is switched off. Set is_active to true first.");
}
