import { AppError } from "../../errors/index.ts";
import { insertRecovery, type Recovery, selectRecovery } from "../sql/recoveries.ts";
import type { WebhookTools } from "../webhook-options.ts";
import { type CallerId, getOwnActiveWebhook, webhookNotFound } from "./webhook-access.ts";

export interface RecoverSinceCall {
  readonly callerId: CallerId;
  readonly webhookId: string;
  readonly since: Date;
}

/** Starts to send all failed deliveries since a time again. Returns the running recovery of the webhook when there is one. */
export async function recoverSince(tools: WebhookTools, call: RecoverSinceCall): Promise<Recovery> {
  const { callerId, webhookId, since } = call;
  if (Number.isNaN(since.getTime()) || since.getTime() > tools.clock.now().getTime())
    throw new AppError("VALIDATION_ERROR", "The time must be in the past.", {
      details: { since: "must be a time in the past" },
    });
  await getOwnActiveWebhook(tools.pool, callerId, webhookId);
  const recovery = await insertRecovery(tools.pool, webhookId, since);
  if (recovery === null) throw webhookNotFound();
  return recovery;
}

/** Returns null when the recovery does not exist or belongs to another user. */
export async function findRecovery(tools: WebhookTools, callerId: CallerId, id: string): Promise<Recovery | null> {
  const found = await selectRecovery(tools.pool, id);
  if (found === null || (callerId !== null && found.user_id !== callerId)) return null;
  const { user_id: _, ...recovery } = found;
  return recovery;
}
