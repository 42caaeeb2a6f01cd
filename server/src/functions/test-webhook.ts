import { z } from "zod";
import type { WebhookModule } from "../webhooks/index.ts";
import { callerIdOf } from "./caller-id.ts";
import { defineFunction } from "./define-function.ts";
import type { FunctionDescription, NamedFunction } from "./function-call.ts";
import { parseFunctionBody } from "./parse-function-body.ts";

const bodySchema = z.object({ webhook_id: z.guid(), event_type: z.string().max(100) });

export const TEST_WEBHOOK = {
  name: "test-webhook",
  access: "account",
  keyScope: ["read", "share"],
  isOfPortal: true,
  limit: "webhook",
  body: bodySchema,
} as const satisfies FunctionDescription;

/** Sends a sample event now. A failed delivery is a successful response, because the attempt was made. */
export function createTestWebhook(webhooks: WebhookModule): NamedFunction {
  return defineFunction(TEST_WEBHOOK, async (call) => {
    const { webhook_id: webhookId, event_type: eventType } = parseFunctionBody(bodySchema, call);
    const attempt = await webhooks.testWebhook({ callerId: callerIdOf(call.principal), webhookId, eventType });
    return {
      status: 200,
      body: {
        success: attempt.isDelivered,
        ...(!attempt.isDelivered && { code: "DELIVERY_FAILED", error: attempt.error }),
        delivery_id: attempt.deliveryId,
        status_code: attempt.statusCode,
        response_time_ms: attempt.responseTimeMs,
        response_body: attempt.responseBody,
      },
    };
  });
}
