import { AppError } from "../../errors/index.ts";
import { replaceSecret } from "../sql/replace-secret.ts";
import type { WebhookTools } from "../webhook-options.ts";
import { type CallerId, getOwnWebhook, webhookNotFound } from "./webhook-access.ts";

const DEFAULT_GRACE_PERIOD_SECONDS = 86_400;
const MAX_GRACE_PERIOD_SECONDS = 604_800;

export interface RegenerateSecretCall {
  readonly callerId: CallerId;
  readonly webhookId: string;
  /** How long the replaced secret continues to sign beside the new one. */
  readonly gracePeriodSeconds?: number | undefined;
}

export interface RegeneratedSecret {
  readonly newSecret: string;
  readonly previousExpiresAt: Date | null;
}

export async function regenerateSecret(tools: WebhookTools, call: RegenerateSecretCall): Promise<RegeneratedSecret> {
  const { callerId, webhookId, gracePeriodSeconds = DEFAULT_GRACE_PERIOD_SECONDS } = call;
  const isInRange = gracePeriodSeconds >= 0 && gracePeriodSeconds <= MAX_GRACE_PERIOD_SECONDS;
  if (!Number.isInteger(gracePeriodSeconds) || !isInRange)
    throw new AppError("VALIDATION_ERROR", "The grace period is out of range.", {
      details: { grace_period_seconds: `must be a whole number from 0 to ${MAX_GRACE_PERIOD_SECONDS}` },
    });
  await getOwnWebhook(tools.pool, callerId, webhookId);
  const replaced = await replaceSecret(tools.pool, webhookId, gracePeriodSeconds);
  if (replaced === null) throw webhookNotFound();
  return { newSecret: replaced.new_secret, previousExpiresAt: replaced.previous_expires_at };
}
