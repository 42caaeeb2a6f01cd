import { deletePreviousSecrets } from "../sql/replace-secret.ts";
import type { WebhookTools } from "../webhook-options.ts";
import { type CallerId, getOwnWebhook } from "./webhook-access.ts";

export interface RevokePreviousSecretsCall {
  readonly callerId: CallerId;
  readonly webhookId: string;
}

/** Ends the grace period of all replaced secrets. Returns how many were still valid. */
export async function revokePreviousSecrets(tools: WebhookTools, call: RevokePreviousSecretsCall): Promise<number> {
  await getOwnWebhook(tools.pool, call.callerId, call.webhookId);
  return deletePreviousSecrets(tools.pool, call.webhookId);
}
