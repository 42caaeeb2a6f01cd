import { z } from "zod";
import { requireScope } from "../db/index.ts";
import type { WebhookModule } from "../webhooks/index.ts";
import { callerIdOf } from "./caller-id.ts";
import { defineFunction } from "./define-function.ts";
import type { FunctionDescription, NamedFunction } from "./function-call.ts";
import { readBody } from "./read-body.ts";

const bodySchema = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("regenerate_secret"),
    webhook_id: z.guid(),
    /** How long the replaced secret continues to sign beside the new one. */
    grace_period_seconds: z.number().optional(),
  }),
  z.object({ action: z.literal("revoke_previous_secrets"), webhook_id: z.guid() }),
]);

export const WEBHOOKS = {
  name: "webhooks",
  access: "account",
  keyScope: ["read", "share"],
  limit: "api",
  body: bodySchema,
} as const satisfies FunctionDescription;

export function createWebhooks(webhooks: WebhookModule): NamedFunction {
  return defineFunction(WEBHOOKS, async (call) => {
    const callerId = callerIdOf(call.principal);
    const body = readBody(bodySchema, call);
    const { webhook_id: webhookId } = body;
    switch (body.action) {
      case "regenerate_secret": {
        requireScope(call.principal, "secrets");
        const { grace_period_seconds: gracePeriodSeconds } = body;
        const made = await webhooks.regenerateSecret({ callerId, webhookId, gracePeriodSeconds });
        return {
          status: 200,
          body: { new_secret: made.newSecret, previous_secret_expires_at: made.previousExpiresAt },
        };
      }
      case "revoke_previous_secrets":
        return { status: 200, body: { revoked: await webhooks.revokePreviousSecrets({ callerId, webhookId }) } };
    }
  });
}
