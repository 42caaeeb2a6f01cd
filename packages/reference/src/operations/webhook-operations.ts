import { answered, listOf, record, TEXT, TIME_OR_NULL, UUID } from "../schemas/schema-parts.ts";
import { AT, ID } from "./example-values.ts";
import { type OperationTexts, refer } from "./operation-text.ts";

const RECOVERY_EXAMPLE = {
  id: ID.recovery,
  webhook_id: ID.webhook,
  since: AT,
  until: AT,
  status: "running",
  found: 12,
  recovered: 0,
  created_at: AT,
  completed_at: null,
};

export const WEBHOOK_OPERATIONS: OperationTexts = {
  "POST /functions/v1/test-webhook": {
    id: "testWebhook",
    summary: "Send a sample event to a webhook",
    description:
      "One attempt, recorded as a delivery. That it failed is an answer like any other: 200 with `success` false. The webhook need not have subscribed to the event.",
    body: {
      bounds: { event_type: { $ref: "#/components/schemas/EventType" } },
      examples: { "a message": { webhook_id: ID.webhook, event_type: "message.created" } },
    },
    answers: {
      200: {
        description: "What the endpoint said",
        schema: refer("TestedDelivery"),
        example: {
          success: true,
          delivery_id: ID.delivery,
          status_code: 204,
          response_time_ms: 38,
          response_body: "",
        },
      },
    },
    errors: ["VALIDATION_ERROR", "INVALID_EVENTS", "FORBIDDEN", "WEBHOOK_DISABLED", "WEBHOOK_NOT_FOUND"],
    javascript: `const { data } = await supabase.functions.invoke("test-webhook", {
  body: { webhook_id, event_type: "message.created" },
});`,
  },
  "POST /functions/v1/webhooks": {
    id: "regenerateWebhookSecret",
    summary: "Replace the signing secret of a webhook, or end those that were replaced before",
    description:
      "`regenerate_secret` makes a new secret. The one before goes on signing beside it for the grace period, so that no delivery is lost. `revoke_previous_secrets` ends the grace period of all secrets that were replaced; the view `webhook_previous_secrets` lists them.",
    body: {
      forms: ["Regenerate secret", "Revoke previous secrets"],
      fields: { grace_period_seconds: "default: a day" },
      bounds: { grace_period_seconds: { type: "integer", minimum: 0, maximum: 604_800, default: 86_400 } },
      examples: {
        "at once": { action: "regenerate_secret", webhook_id: ID.webhook, grace_period_seconds: 0 },
        "end the grace period": { action: "revoke_previous_secrets", webhook_id: ID.webhook },
      },
    },
    answers: {
      200: {
        description: "The new secret; or how many replaced secrets no longer sign",
        schema: {
          anyOf: [
            answered({ new_secret: TEXT, previous_secret_expires_at: TIME_OR_NULL }),
            answered({ revoked: { type: "integer" } }),
          ],
        },
        example: { new_secret: "whsec_…", previous_secret_expires_at: AT },
      },
    },
    errors: ["VALIDATION_ERROR", "FORBIDDEN", "WEBHOOK_NOT_FOUND"],
    javascript: `const { data } = await supabase.functions.invoke("webhooks", {
  body: { action: "regenerate_secret", webhook_id },
});`,
  },
  "POST /functions/v1/webhook-dispatcher": {
    id: "webhookDispatcher",
    summary: "Send again what was sent before",
    description:
      "`retry` makes one attempt of a failed delivery, now. `replay` sends an event once more, as new deliveries. `recover_since` puts all failed deliveries since a time back into the queue; `recovery` tells how far that is.",
    body: {
      forms: ["Retry", "Replay", "Recover since", "Recovery"],
      fields: {
        event_id: "as in the envelope",
        webhook_id: "with `replay`: only to this one, whether or not it had the event",
        since: "a time that has passed",
      },
      examples: {
        retry: { action: "retry", delivery_id: ID.delivery },
        replay: { action: "replay", event_id: `evt_${ID.message}` },
        "recover since": { action: "recover_since", webhook_id: ID.webhook, since: AT },
        recovery: { action: "recovery", recovery_id: ID.recovery },
      },
    },
    answers: {
      200: {
        description: "The retry was delivered; or the new deliveries; or the recovery",
        schema: {
          anyOf: [
            answered({
              success: { type: "boolean", const: true },
              status: { type: "string", const: "delivered" },
              delivery_id: UUID,
              status_code: { type: "integer" },
              response_time_ms: { type: "integer" },
              response_body: { type: ["string", "null"] },
              attempts: { type: "integer" },
            }),
            answered({ deliveries: listOf(record({ delivery_id: UUID, webhook_id: UUID })) }),
            refer("Recovery"),
          ],
        },
        example: { deliveries: [{ delivery_id: ID.delivery, webhook_id: ID.webhook }] },
      },
      202: { description: "The recovery has begun", schema: refer("Recovery"), example: RECOVERY_EXAMPLE },
    },
    errors: [
      "VALIDATION_ERROR",
      "FORBIDDEN",
      "WEBHOOK_DISABLED",
      "DELIVERY_NOT_FOUND",
      "WEBHOOK_NOT_FOUND",
      "NOT_FOUND",
      "DELIVERY_FAILED",
    ],
    javascript: `const { data } = await supabase.functions.invoke("webhook-dispatcher", {
  body: { action: "retry", delivery_id },
});`,
  },
  "POST /functions/v1/request-signing": {
    id: "requestSigning",
    summary: "The secret with which you sign requests",
    description:
      "Once made, every `X-Request-Signature` (hex HMAC-SHA256 of the body) is checked with it. With `user_settings.require_request_signature` requests without one are refused. HTTP message signatures (RFC 9421) are checked with it too; `user_settings.require_message_signature` requires them.",
    body: {
      fields: { user_id: "for the service role: whose secret" },
      examples: { make: { action: "regenerate_secret" }, "give up": { action: "delete_secret" } },
    },
    answers: {
      200: {
        description: "The secret, shown this once; or that it is gone",
        schema: {
          anyOf: [answered({ new_secret: TEXT }), answered({ deleted: { type: "boolean", const: true } })],
        },
        example: { new_secret: "…" },
      },
    },
    errors: ["VALIDATION_ERROR", "FORBIDDEN"],
    javascript: `const { data } = await supabase.functions.invoke("request-signing", {
  body: { action: "regenerate_secret" },
});`,
  },
};
