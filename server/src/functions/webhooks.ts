import { z } from "zod";
import type { WebhookRoom } from "../webhooks/index.ts";
import { callerIdOf } from "./caller-id.ts";
import type { FunctionFacts, NamedFunction } from "./function-call.ts";
import { readBody } from "./read-body.ts";

const bodySchema = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("regenerate_secret"),
    webhook_id: z.guid(),
    /** How long the secret that is replaced goes on signing beside the new one. */
    grace_period_seconds: z.number().optional(),
  }),
]);

export const WEBHOOKS = {
  name: "webhooks",
  access: "account",
  limit: "api",
  body: bodySchema,
} as const satisfies FunctionFacts;

export function createWebhooks(webhooks: WebhookRoom): NamedFunction {
  return {
    ...WEBHOOKS,
    async run({ body, caller }) {
      const { webhook_id: webhookId, grace_period_seconds: gracePeriodSeconds } = readBody(bodySchema, body);
      const call = { callerId: callerIdOf(caller), webhookId, gracePeriodSeconds };
      const { newSecret, previousExpiresAt } = await webhooks.regenerateSecret(call);
      return { status: 200, body: { new_secret: newSecret, previous_secret_expires_at: previousExpiresAt } };
    },
  };
}
