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

const FEED_CURSOR = `${ID.webhook.replaceAll("-", "")}_42`;

const SECRET_ANSWERS = {
  regenerate_secret: refer("ReplacedWebhookSecret"),
  revoke_previous_secrets: refer("RevokedSecrets"),
  test_filter: refer("TestedFilter"),
  portal_link: refer("PortalLink"),
};

const EVENT_ANSWERS = {
  emit: refer("EmittedEvents"),
  read: refer("FeedEvents"),
  commit: refer("CommittedCursor"),
};
const KEY_ANSWERS = { create: refer("NewApiKey"), revoke: refer("RevokedApiKey") };
const SIGNING_ANSWERS = { regenerate_secret: refer("NewSigningSecret"), delete_secret: refer("DeletedSigningSecret") };

export const WEBHOOK_OPERATIONS: OperationTexts = {
  "POST /functions/v1/test-webhook": {
    id: "testWebhook",
    summary: "Send a sample event to a webhook",
    description:
      "Makes one attempt and records it as a delivery. If the attempt fails, the response is 200 with `success` false. The webhook does not need to subscribe to the event.",
    body: {
      bounds: { event_type: { anyOf: [refer("EventType"), refer("AppEventType")] } },
      examples: { "a message": { webhook_id: ID.webhook, event_type: "message.created" } },
    },
    answers: {
      200: {
        description: "The response of the endpoint",
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
  "POST /functions/v1/events": {
    id: "appEvents",
    summary: "Emit events of the app, and read event feeds",
    description:
      "`emit` emits events whose types are rows of `event_types`, all of them or none, with the rights of the caller: the service role emits any, users those with `users_may_emit`, for themselves and for swarms that they belong to. An API key needs the scope `write`. `data` must satisfy the schema of the type. With an `Idempotency-Key`, a repeated call emits nothing and gets the same ids. `read` returns the events of a feed after a cursor, and waits for some if there are none; `commit` stores how far a consumer of the feed is. The order of events and the cursor do not change: no event comes later at a place that a reader has passed. An API key needs the scope `read`, and for `commit` also `write`.",
    body: {
      forms: ["Emit", "Read", "Commit"],
      bounds: { type: refer("AppEventType") },
      fields: {
        type: "a row of `event_types`",
        data: "of at most `EVENT_LIMIT_BYTES`, 256 KiB by default, and 64 levels",
        user_id: "the webhooks of this user receive it",
        swarm_id: "the webhooks of the members receive it; without both, those with `receives_app_events`",
        feed_id: "a row of `event_feeds`",
        after: "the cursor of an earlier response; without it, the events after the cursor of `consumer`, or all",
        consumer: "a name of your choice for whoever reads; a feed has at most 100",
        limit: "the most events to return; 4 MiB of them end a response earlier",
        wait_seconds: "how long to wait for an event if there is none; counts against `AGENT_STREAMS_PER_USER`",
        cursor: "of a response; the consumer continues after it",
      },
      examples: {
        "for a user": {
          action: "emit",
          events: [{ type: "app.order.paid", data: { order_id: "A-1017", total: 59.9 }, user_id: ID.user }],
        },
        read: { action: "read", feed_id: ID.webhook, consumer: "billing", limit: 100, wait_seconds: 30 },
        commit: { action: "commit", feed_id: ID.webhook, consumer: "billing", cursor: FEED_CURSOR },
      },
    },
    answers: {
      200: {
        description: "The ids of the events, as the envelopes have them; the events of the feed; or the stored cursor",
        schema: { anyOf: Object.values(EVENT_ANSWERS) },
        example: { ids: [`evt_${ID.message}`] },
        headers: { "Idempotent-Replayed": "`true` if an earlier call with the same key emitted the events" },
      },
    },
    answersByAction: EVENT_ANSWERS,
    errors: [
      "VALIDATION_ERROR",
      "INVALID_EVENTS",
      "FORBIDDEN",
      "INSUFFICIENT_SCOPE",
      "NOT_FOUND",
      "IDEMPOTENCY_KEY_REUSED",
    ],
    javascript: `const { data } = await supabase.functions.invoke("events", {
  body: { action: "emit", events: [{ type: "app.order.paid", data: { order_id, total }, user_id }] },
});`,
  },
  "POST /functions/v1/webhooks": {
    id: "regenerateWebhookSecret",
    summary:
      "Replace the signing secret of a webhook, revoke replaced secrets, test a filter, or make a link to the portal",
    description:
      "`regenerate_secret` creates a new secret. The previous secret also signs during the grace period, so that no delivery is lost. `revoke_previous_secrets` ends the grace period of all replaced secrets; the view `webhook_previous_secrets` lists them. `test_filter` tells which of your last 100 events a filter would let pass: the newest first, among the last 5,000 deliveries. `portal_link`, for the service role alone, makes a link with which a user manages their webhooks for 15 minutes.",
    body: {
      forms: ["Regenerate secret", "Revoke previous secrets", "Test filter", "Portal link"],
      fields: {
        grace_period_seconds: "default: a day",
        filter: "conditions as in the column `filter` of a webhook",
        user_id: "for the service role: whose events, or whose webhooks",
      },
      bounds: { grace_period_seconds: { type: "integer", minimum: 0, maximum: 604_800, default: 86_400 } },
      examples: {
        "at once": { action: "regenerate_secret", webhook_id: ID.webhook, grace_period_seconds: 0 },
        "end the grace period": { action: "revoke_previous_secrets", webhook_id: ID.webhook },
        "test a filter": { action: "test_filter", filter: { data: { total: { $gte: 100 } } } },
        "link to the portal": { action: "portal_link", user_id: ID.user },
      },
    },
    answers: {
      200: {
        description: "The new secret, the number of replaced secrets that no longer sign, the events, or the link",
        schema: { anyOf: Object.values(SECRET_ANSWERS) },
        example: { new_secret: "whsec_…", previous_secret_expires_at: AT },
      },
    },
    answersByAction: SECRET_ANSWERS,
    errors: ["VALIDATION_ERROR", "FORBIDDEN", "WEBHOOK_NOT_FOUND", "NOT_FOUND"],
    javascript: `const { data } = await supabase.functions.invoke("webhooks", {
  body: { action: "regenerate_secret", webhook_id },
});`,
  },
  "POST /functions/v1/webhook-dispatcher": {
    id: "webhookDispatcher",
    summary: "Retry, replay or recover deliveries",
    description:
      "`retry` makes one attempt of a failed delivery at once, `send_now` the next attempt of a delivery that is retrying; further attempts of the latter follow its schedule. `replay` sends an event again, as new deliveries. `recover_since` queues all deliveries again that have failed since a time, or in a period; `recovery` returns its progress.",
    body: {
      forms: ["Retry", "Send now", "Replay", "Recover since", "Recovery"],
      fields: {
        event_id: "as in the envelope",
        webhook_id: "with `replay`: send the event only to this webhook, even if it did not receive it before",
        since: "a time in the past",
        until: "the end of the period in which the deliveries were created; the default is now",
      },
      examples: {
        retry: { action: "retry", delivery_id: ID.delivery },
        "send now": { action: "send_now", delivery_id: ID.delivery },
        replay: { action: "replay", event_id: `evt_${ID.message}` },
        "recover since": { action: "recover_since", webhook_id: ID.webhook, since: AT },
        recovery: { action: "recovery", recovery_id: ID.recovery },
      },
    },
    answers: {
      200: {
        description: "The delivered retry, the new deliveries, or the recovery",
        schema: { anyOf: [refer("RetriedDelivery"), refer("ReplayedDeliveries"), refer("Recovery")] },
        example: { deliveries: [{ delivery_id: ID.delivery, webhook_id: ID.webhook }] },
      },
      202: { description: "The recovery has begun", schema: refer("Recovery"), example: RECOVERY_EXAMPLE },
    },
    answersByAction: {
      retry: refer("RetriedDelivery"),
      send_now: refer("RetriedDelivery"),
      replay: refer("ReplayedDeliveries"),
      recover_since: refer("Recovery"),
      recovery: refer("Recovery"),
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
  "POST /functions/v1/api-keys": {
    id: "apiKeys",
    summary: "Create and revoke your API keys",
    description:
      "An API key (`sk_…`) is a bearer token that stands for its user, with the rights of its scopes. The table `api_keys` lists keys. An API key cannot call this function. A user needs a proof within ten minutes, and with a verified second factor an aal2 session.",
    body: {
      forms: ["create", "revoke"],
      fields: {
        name: "a name for the key",
        scopes: "exactly what the key may do; `read` without it",
        expires_at: "absent: in 90 days; null: the key does not expire, or expires as late as the service permits",
        id: "the key to revoke; the service role can revoke the key of any user",
      },
      examples: {
        create: { action: "create", name: "deploy", scopes: ["read", "run"], expires_at: "2027-06-30T00:00:00Z" },
        revoke: { action: "revoke", id: ID.apiKey },
      },
    },
    answers: {
      200: { description: "The key is revoked, on all nodes", schema: KEY_ANSWERS.revoke, example: { revoked: true } },
      201: {
        description: "The key, which is not shown again, and its row",
        schema: KEY_ANSWERS.create,
        example: {
          key: "sk_…",
          api_key: {
            id: ID.apiKey,
            user_id: ID.user,
            name: "deploy",
            scopes: ["read", "run"],
            resources: null,
            prefix: "sk_1a2B3c",
            expires_at: "2027-06-30T00:00:00Z",
            last_used_at: null,
            created_at: "2026-11-15T12:00:00Z",
          },
        },
      },
    },
    answersByAction: KEY_ANSWERS,
    errors: [
      "VALIDATION_ERROR",
      "FORBIDDEN",
      "API_KEY_LIMIT_REACHED",
      "API_KEY_NOT_FOUND",
      ["insufficient_aal", 403],
      ["reauthentication_needed", 403],
    ],
    javascript: `const { data } = await supabase.functions.invoke("api-keys", {
  body: { action: "create", name: "deploy", scopes: ["read", "run"] },
});`,
  },
  "POST /functions/v1/request-signing": {
    id: "requestSigning",
    summary: "Create or delete the secret for signed requests",
    description:
      "The service checks every `X-Request-Signature` (hex HMAC-SHA256 of the body) with the secret. With `user_settings.require_request_signature` it rejects requests without a signature. It also checks HTTP message signatures (RFC 9421) with the secret; `user_settings.require_message_signature` requires them. A user needs a proof within ten minutes.",
    body: {
      fields: { user_id: "for the service role: the user whose secret it is" },
      examples: { create: { action: "regenerate_secret" }, delete: { action: "delete_secret" } },
    },
    answers: {
      200: {
        description: "The secret, which is not shown again, or the confirmation that it was deleted",
        schema: { anyOf: Object.values(SIGNING_ANSWERS) },
        example: { new_secret: "…" },
      },
    },
    answersByAction: SIGNING_ANSWERS,
    errors: ["VALIDATION_ERROR", "FORBIDDEN", ["insufficient_aal", 403], ["reauthentication_needed", 403]],
    javascript: `const { data } = await supabase.functions.invoke("request-signing", {
  body: { action: "regenerate_secret" },
});`,
  },
};
