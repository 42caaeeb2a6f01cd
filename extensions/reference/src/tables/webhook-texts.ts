import type { TableText } from "./table-text.ts";

export const WEBHOOK_TEXTS: Readonly<Record<string, TableText>> = {
  webhooks: {
    summary: "Where events are sent.",
    notes: [
      "A user has at most 1,000 webhooks.",
      "The service creates `secret`; the function `webhooks` replaces it.",
      "Setting `is_active` to true clears `disabled_reason` and `disabled_at`.",
    ],
    columns: {
      user_id: "The owner. It cannot change.",
      name: "Spaces at both ends are removed.",
      url: "An `https` URL that the operator's address policy permits.",
      secret: "The key of the signatures.",
      events: "The event types to send; those of the app are rows of `event_types`.",
      is_active: "If false, the service sends nothing, and holds waiting deliveries.",
      headers: "Headers of every request. Those that the service sets itself are not allowed.",
      retry_count: "Attempts after the first one.",
      timeout_ms: "The time limit of one attempt.",
      api_version: "The version of the bodies, fixed when the webhook is created.",
      run_id:
        "Only events of this run are sent; null for all. The webhook is deleted an hour after the run has ended. Fixed when the webhook is created.",
      bodies:
        "For a webhook of a run: what is sent for `run.updated` in place of the envelope, by the status of the run. Fixed when the webhook is created.",
      receives_app_events:
        "Whether events of the app that name neither a user nor a swarm are sent. Only the service role sets it.",
      filter:
        "Conditions on the envelope, as a JSON object. Events that do not meet them are not sent, and counted in `webhook_backlog`. Null, or an empty object: all are sent.",
      disabled_reason:
        "Why the service disabled the webhook: `endpoint_gone`, `endpoint_failing`, `queue_full`, `account_banned` or `access_removed`.",
      disabled_at: "When the service disabled the webhook.",
    },
    events: { "run.updated": "a new webhook of a run that waits or has ended" },
    guide: "webhooks",
  },
  event_feeds: {
    summary: "Events that a receiver without an address reads.",
    notes: [
      "A user has at most 100 feeds.",
      "The function `events` reads them, and stores how far a consumer is.",
      "Events are removed after `WEBHOOK_RETENTION_DAYS`.",
    ],
    columns: {
      user_id: "The owner. It cannot change.",
      name: "Spaces at both ends are removed.",
      events: "The event types; those of the app are rows of `event_types`.",
      filter:
        "Conditions on the envelope, as of a webhook. Events that do not meet them are not in the feed, and counted in `event_feed_backlog`. Null, or an empty object: all are.",
      receives_app_events:
        "Whether events of the app that name neither a user nor a swarm are in the feed. Only the service role sets it.",
      api_version: "The version of the envelopes. Fixed when the feed is created.",
    },
    guide: "app-events",
  },
  event_feed_backlog: {
    summary: "How many events each of your feeds has, how many its filter has skipped, and how far its consumers are.",
    columns: {
      feed_id: "The feed.",
      events: "Events that can be read.",
      skipped: "Events that the filter of the feed did not let pass.",
      consumers:
        "Those that have committed: `consumer`, its `cursor`, the events that are `waiting` behind it, and `committed_at`.",
    },
    guide: "app-events",
  },
  event_types: {
    summary: "The types of the app's own events.",
    notes: [
      "`emit_event` and the function `events` emit events of these types.",
      "`swarmbase apply` writes them from files.",
    ],
    columns: {
      name: "`app.` and words of lower-case letters, digits and `_`, joined by dots. It cannot change.",
      description: "When it is emitted, for those who subscribe.",
      schema:
        "JSON Schema of `data`. The function `events` rejects events that do not satisfy it; SQL and `rpc` do not check it.",
      example: "An example of `data`, which `test-webhook` sends.",
      users_may_emit: "Whether users may emit it, for themselves and for swarms that they belong to.",
      listed: "If false, users neither see the type nor can subscribe to it or emit it.",
    },
    guide: "app-events",
  },
  webhook_deliveries: {
    summary: "One row for each event and webhook: what is sent, and the last response.",
    notes: ["Finished rows are removed after `WEBHOOK_RETENTION_DAYS`.", "`webhook-dispatcher` repeats deliveries."],
    columns: {
      webhook_id: "The webhook.",
      user_id: "The owner of the webhook.",
      event_id: "The event; the body has it as `evt_<uuid>`.",
      event_type: "The type of the event.",
      payload: "The body that is sent.",
      status: "`retrying` waits for another attempt.",
      status_code: "The HTTP status of the last response; null without one.",
      response_body: "The start of the last response, at most 64 KiB.",
      attempts: "Requests so far.",
      next_retry_at: "When the next attempt is due.",
      delivered_at: "When the endpoint accepted the event.",
      scheduled_for: "When a delivery that waits for the limit per minute is sent.",
    },
    guide: "webhooks",
  },
  webhook_delivery_attempts: {
    summary: "Every request that was made for a delivery.",
    columns: {
      delivery_id: "The delivery.",
      webhook_id: "The webhook.",
      user_id: "The owner of the webhook.",
      attempt: "The number of the attempt.",
      cause: "What caused the request. All attempts of a test, and those of its replays, have the cause `test`.",
      url: "Where it was sent.",
      status_code: "The HTTP status; null without a response.",
      error_code: "A short name of the failure, such as `timeout` or `reset`.",
      error: "The failure in words.",
      response_body: "The start of the response, at most 64 KiB.",
      response_truncated: "The response was longer.",
      response_time_ms: "Milliseconds until the response was complete.",
      outcome: "The outcome for the delivery.",
    },
    guide: "webhooks",
  },
  webhook_recoveries: {
    summary: "Repetitions of all failed deliveries of a period.",
    notes: ["`webhook-dispatcher` with `recover_since` creates a row."],
    columns: {
      webhook_id: "The webhook.",
      user_id: "The owner of the webhook.",
      since: "The start of the period.",
      until: "The end of the period.",
      status: "Whether the recovery is still in progress.",
      found: "The number of failed deliveries when the recovery began.",
      recovered: "The number of these that wait for delivery again.",
      last_delivery_id: "How far the recovery is.",
      completed_at: "When it ended.",
    },
    guide: "webhooks",
  },
  webhook_backlog: {
    summary: "How many deliveries wait for each of your webhooks, and how many events its filter has skipped.",
    columns: {
      webhook_id: "The webhook.",
      pending: "Deliveries without an attempt, 10,000 at most together with `retrying`.",
      retrying: "Deliveries that wait for another attempt.",
      skipped: "Events that the filter of the webhook did not let pass.",
    },
    guide: "webhooks",
  },
  webhook_previous_secrets: {
    summary: "Replaced secrets that still sign deliveries.",
    notes: ["The secrets themselves are not shown."],
    columns: {
      webhook_id: "The webhook.",
      created_at: "When the secret was replaced.",
      expires_at: "When the secret stops signing.",
    },
    guide: "webhooks",
  },
};
