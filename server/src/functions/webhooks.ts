import { z } from "zod";
import type { WebhookRoom } from "../webhooks/index.ts";
import { callerIdOf } from "./caller-id.ts";
import { defineFunction } from "./define-function.ts";
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
  return defineFunction(WEBHOOKS, async (call) => {
    const { webhook_id: webhookId, grace_period_seconds: gracePeriodSeconds } = readBody(bodySchema, call);
    const callerId = callerIdOf(call.caller);
    const renewed = await webhooks.regenerateSecret({ callerId, webhookId, gracePeriodSeconds });
    const { newSecret, previousExpiresAt } = renewed;
    return { status: 200, body: { new_secret: newSecret, previous_secret_expires_at: previousExpiresAt } };
  });
}
