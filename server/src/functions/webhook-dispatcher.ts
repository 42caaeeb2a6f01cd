import { z } from "zod";
import { AppError } from "../errors/index.ts";
import type { AttemptNow, WebhookModule } from "../webhooks/index.ts";
import { callerIdOf } from "./caller-id.ts";
import { defineFunction } from "./define-function.ts";
import type { FunctionResponse, FunctionDescription, NamedFunction } from "./function-call.ts";
import { parseFunctionBody } from "./parse-function-body.ts";

const bodySchema = z.discriminatedUnion("action", [
  z.object({ action: z.literal("retry"), delivery_id: z.guid() }),
  z.object({ action: z.literal("send_now"), delivery_id: z.guid() }),
  z.object({ action: z.literal("replay"), event_id: z.string().max(100), webhook_id: z.guid().optional() }),
  z.object({
    action: z.literal("recover_since"),
    webhook_id: z.guid(),
    since: z.iso.datetime({ offset: true }),
    until: z.iso.datetime({ offset: true }).optional(),
  }),
  z.object({ action: z.literal("recovery"), recovery_id: z.guid() }),
]);

export const WEBHOOK_DISPATCHER = {
  name: "webhook-dispatcher",
  access: "account",
  keyScope: ["read", "share"],
  isOfPortal: true,
  limit: "webhook",
  body: bodySchema,
} as const satisfies FunctionDescription;

/** Sends again what was sent before: one delivery, one event, or everything that failed since a time. */
export function createWebhookDispatcher(webhooks: WebhookModule): NamedFunction {
  return defineFunction(WEBHOOK_DISPATCHER, async (call) => {
    const callerId = callerIdOf(call.principal);
    const body = parseFunctionBody(bodySchema, call);
    switch (body.action) {
      case "retry":
        return answerRetry(await webhooks.retryDelivery({ callerId, deliveryId: body.delivery_id }));
      case "send_now":
        return answerRetry(await webhooks.sendNow({ callerId, deliveryId: body.delivery_id }));
      case "replay": {
        const { event_id: eventId, webhook_id: webhookId } = body;
        return { status: 200, body: { deliveries: await webhooks.replay({ callerId, eventId, webhookId }) } };
      }
      case "recover_since": {
        const { webhook_id: webhookId, since, until } = body;
        const period = { since: new Date(since), until: until === undefined ? undefined : new Date(until) };
        return { status: 202, body: await webhooks.recoverSince({ callerId, webhookId, ...period }) };
      }
      case "recovery": {
        const recovery = await webhooks.findRecovery(callerId, body.recovery_id);
        if (recovery === null) throw new AppError("NOT_FOUND", "The recovery does not exist");
        return { status: 200, body: recovery };
      }
    }
  });
}

function answerRetry(attempt: AttemptNow): FunctionResponse {
  const attempted = {
    delivery_id: attempt.deliveryId,
    status_code: attempt.statusCode,
    response_time_ms: attempt.responseTimeMs,
    response_body: attempt.responseBody,
    attempts: attempt.attempts,
  };
  if (attempt.isDelivered) return { status: 200, body: { success: true, status: "delivered", ...attempted } };
  throw new AppError("DELIVERY_FAILED", attempt.error ?? `The endpoint answered ${attempt.statusCode}`, {
    members: { success: false, status: attempt.status, ...attempted },
  });
}
