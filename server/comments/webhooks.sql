-- Webhooks and their deliveries.

comment on table public.webhooks is
'Where events are sent.

A user has at most 1,000 webhooks.

The service creates `secret`; the function `webhooks` replaces it.

Setting `is_active` to true clears `disabled_reason` and `disabled_at`.

Event run.updated: a new webhook of a run that waits or has ended
Guide: webhooks';
comment on column public.webhooks.id is 'The id, a UUID that sorts by time.';
comment on column public.webhooks.user_id is 'The owner. It cannot change.';
comment on column public.webhooks.name is 'Spaces at both ends are removed.';
comment on column public.webhooks.url is 'An `https` URL that the operator''s address policy permits.';
comment on column public.webhooks.secret is 'The key of the signatures.';
comment on column public.webhooks.events is 'The event types to send; those of the app are rows of `event_types`.';
comment on column public.webhooks.is_active is 'If false, the service sends nothing, and holds waiting deliveries.';
comment on column public.webhooks.headers is
  'Headers of every request. Those that the service sets itself are not allowed.';
comment on column public.webhooks.retry_count is 'Attempts after the first one.';
comment on column public.webhooks.timeout_ms is 'The time limit of one attempt.';
comment on column public.webhooks.api_version is
  'The version of the bodies, fixed when the webhook is created. The only one so far is `2026-11-15`.';
comment on column public.webhooks.disabled_reason is
  'Why the service disabled the webhook: `endpoint_gone`, `endpoint_failing`, `queue_full`, `account_banned` or '
  '`access_removed`.';
comment on column public.webhooks.disabled_at is 'When the service disabled the webhook.';
comment on column public.webhooks.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.webhooks.updated_at is 'When the row changed last. A sent value is ignored.';
comment on column public.webhooks.run_id is
  'Only events of this run are sent; null for all. The webhook is deleted an hour after the run has ended. Fixed when '
  'the webhook is created.';
comment on column public.webhooks.bodies is
  'For a webhook of a run: what is sent for `run.updated` in place of the envelope, by the status of the run. Fixed '
  'when the webhook is created.';
comment on column public.webhooks.receives_app_events is
  'Whether events of the app that name neither a user nor a swarm are sent. Only the service role sets it.';
comment on column public.webhooks.filter is
  'Conditions on the envelope, as a JSON object. Events that do not meet them are not sent, and counted in '
  '`webhook_backlog`. Null, or an empty object: all are sent.';

comment on table public.webhook_deliveries is
'One row for each event and webhook: what is sent, and the last response.

Finished rows are removed after `WEBHOOK_RETENTION_DAYS`.

`webhook-dispatcher` repeats deliveries.

Guide: webhooks';
comment on column public.webhook_deliveries.id is 'The id, a UUID that sorts by time.';
comment on column public.webhook_deliveries.webhook_id is 'The webhook.';
comment on column public.webhook_deliveries.user_id is 'The owner of the webhook.';
comment on column public.webhook_deliveries.event_id is 'The event; the body has it as `evt_<uuid>`.';
comment on column public.webhook_deliveries.event_type is 'The type of the event.';
comment on column public.webhook_deliveries.payload is 'The body that is sent.';
comment on column public.webhook_deliveries.status is '`retrying` waits for another attempt.';
comment on column public.webhook_deliveries.status_code is 'The HTTP status of the last response; null without one.';
comment on column public.webhook_deliveries.response_body is 'The start of the last response, at most 64 KiB.';
comment on column public.webhook_deliveries.attempts is 'Requests so far.';
comment on column public.webhook_deliveries.next_retry_at is 'When the next attempt is due.';
comment on column public.webhook_deliveries.delivered_at is 'When the endpoint accepted the event.';
comment on column public.webhook_deliveries.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.webhook_deliveries.scheduled_for is
  'When a delivery that waits for the limit per minute is sent.';

comment on table public.webhook_delivery_attempts is
'Every request that was made for a delivery.

Guide: webhooks';
comment on column public.webhook_delivery_attempts.id is 'The id, a UUID that sorts by time.';
comment on column public.webhook_delivery_attempts.delivery_id is 'The delivery.';
comment on column public.webhook_delivery_attempts.webhook_id is 'The webhook.';
comment on column public.webhook_delivery_attempts.user_id is 'The owner of the webhook.';
comment on column public.webhook_delivery_attempts.attempt is 'The number of the attempt.';
comment on column public.webhook_delivery_attempts.cause is
  'What caused the request. All attempts of a test, and those of its replays, have the cause `test`.';
comment on column public.webhook_delivery_attempts.url is 'Where it was sent.';
comment on column public.webhook_delivery_attempts.status_code is 'The HTTP status; null without a response.';
comment on column public.webhook_delivery_attempts.error_code is
  'A short name of the failure, such as `timeout` or `reset`.';
comment on column public.webhook_delivery_attempts.error is 'The failure in words.';
comment on column public.webhook_delivery_attempts.response_body is 'The start of the response, at most 64 KiB.';
comment on column public.webhook_delivery_attempts.response_truncated is 'The response was longer.';
comment on column public.webhook_delivery_attempts.response_time_ms is 'Milliseconds until the response was complete.';
comment on column public.webhook_delivery_attempts.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.webhook_delivery_attempts.outcome is 'The outcome for the delivery.';

comment on table public.webhook_recoveries is
'Repetitions of all failed deliveries of a period.

`webhook-dispatcher` with `recover_since` creates a row.

Guide: webhooks';
comment on column public.webhook_recoveries.id is 'The id, a UUID that sorts by time.';
comment on column public.webhook_recoveries.webhook_id is 'The webhook.';
comment on column public.webhook_recoveries.user_id is 'The owner of the webhook.';
comment on column public.webhook_recoveries.since is 'The start of the period.';
comment on column public.webhook_recoveries.until is 'The end of the period.';
comment on column public.webhook_recoveries.status is 'Whether the recovery is still in progress.';
comment on column public.webhook_recoveries.found is 'The number of failed deliveries when the recovery began.';
comment on column public.webhook_recoveries.recovered is 'The number of these that wait for delivery again.';
comment on column public.webhook_recoveries.last_delivery_id is 'How far the recovery is.';
comment on column public.webhook_recoveries.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.webhook_recoveries.updated_at is 'When the row changed last. A sent value is ignored.';
comment on column public.webhook_recoveries.completed_at is 'When it ended.';

comment on view public.webhook_backlog is
'How many deliveries wait for each of your webhooks, and how many events its filter has skipped.

Guide: webhooks';
comment on column public.webhook_backlog.webhook_id is 'The webhook.';
comment on column public.webhook_backlog.pending is
  'Deliveries without an attempt, 10,000 at most together with `retrying`.';
comment on column public.webhook_backlog.retrying is 'Deliveries that wait for another attempt.';
comment on column public.webhook_backlog.skipped is 'Events that the filter of the webhook did not let pass.';

comment on view public.webhook_previous_secrets is
'Replaced secrets that still sign deliveries.

The secrets themselves are not shown.

Guide: webhooks';
comment on column public.webhook_previous_secrets.id is 'The id, a UUID that sorts by time.';
comment on column public.webhook_previous_secrets.webhook_id is 'The webhook.';
comment on column public.webhook_previous_secrets.created_at is 'When the secret was replaced.';
comment on column public.webhook_previous_secrets.expires_at is 'When the secret stops signing.';

comment on function public.webhook_health(uuid, integer) is
'Count the attempts of your webhooks

Returns one row for each webhook, or for one webhook.';
comment on function public.webhook_attempt_counts(uuid, timestamptz, timestamptz, integer) is
'Count the attempts of a webhook over time

Returns one row for each period, the oldest first; no row for a webhook of another user.';
