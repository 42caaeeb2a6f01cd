import { AppError } from "../../errors/index.ts";
import { deletePreviousSecrets, type ReplacedSecret, replaceSecret } from "../sql/replace-secret.ts";
import type { WebhookTools } from "../webhook-options.ts";
import { getOwnWebhook, type WebhookCall, webhookNotFound } from "./webhook-access.ts";

const DEFAULT_GRACE_PERIOD_SECONDS = 86_400;
const MAX_GRACE_PERIOD_SECONDS = 604_800;

interface RegenerateSecretCall extends WebhookCall {
  /** How long the replaced secret continues to sign beside the new one. */
  readonly gracePeriodSeconds?: number | undefined;
}

export async function regenerateSecret({ pool }: WebhookTools, call: RegenerateSecretCall): Promise<ReplacedSecret> {
  const { callerId, webhookId, gracePeriodSeconds = DEFAULT_GRACE_PERIOD_SECONDS } = call;
  const isInRange = gracePeriodSeconds >= 0 && gracePeriodSeconds <= MAX_GRACE_PERIOD_SECONDS;
  if (!Number.isInteger(gracePeriodSeconds) || !isInRange)
    throw new AppError("VALIDATION_ERROR", "The grace period is out of range.", {
      details: { grace_period_seconds: `must be a whole number from 0 to ${MAX_GRACE_PERIOD_SECONDS}` },
    });
  await getOwnWebhook(pool, callerId, webhookId);
  const replaced = await replaceSecret(pool, webhookId, gracePeriodSeconds);
  if (replaced === null) throw webhookNotFound();
  return replaced;
}

/** Ends the grace period of all replaced secrets. Returns how many were still valid. */
export async function revokePreviousSecrets({ pool }: WebhookTools, call: WebhookCall): Promise<number> {
  await getOwnWebhook(pool, call.callerId, call.webhookId);
  return deletePreviousSecrets(pool, call.webhookId);
}
