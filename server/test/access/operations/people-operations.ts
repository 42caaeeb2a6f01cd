import { rows, type TableOperations } from "./rows.ts";

export const PEOPLE_OPERATIONS: Readonly<Record<string, TableOperations>> = {
  "public.profiles": rows("public.profiles", {
    where: "id = :owner",
    insert: "(id) values (:bare)",
    update: "full_name = 'New Name'",
    more: {
      "update e-mail": "update public.profiles set email = 'taken@example.test' where id = :owner",
      "update id": "update public.profiles set id = :bare where id = :owner",
    },
  }),
  "public.public_profiles": rows("public.public_profiles", {
    where: "id = :owner",
    insert: "(id) values (:bare)",
    update: "full_name = 'New Name'",
    more: {
      "select invited": "select 1 from public.public_profiles where id = :invited",
      "select stranger": "select 1 from public.public_profiles where id = :stranger",
    },
  }),
  "public.user_settings": rows("public.user_settings", {
    where: "user_id = :owner",
    insert: "(user_id) values (:bare)",
    update: "theme = 'dark'",
    more: { "update owner": "update public.user_settings set user_id = :bare where user_id = :owner" },
  }),
  "public.api_keys": rows("public.api_keys", {
    where: "id = :userKey",
    insert: "(id, user_id, name, scopes, prefix) values (:spareUserKey, :owner, 'n', '{read}', 'sk_')",
    update: "scopes = '{read,write}'",
    more: { "select program": "select 1 from public.api_keys where id = :program" },
  }),
  "public.webhooks": rows("public.webhooks", {
    where: "id = :webhook",
    insert: "(user_id, name, url, events) values (:caller, 'n', 'https://example.test/', '{agent.created}')",
    update: "name = 'renamed'",
    more: {
      "insert for owner":
        "insert into public.webhooks (user_id, name, url, events) values (:owner, 'n', 'https://example.test/', '{agent.created}')",
      "insert with secret":
        "insert into public.webhooks (user_id, name, url, events, secret) values (:caller, 'n', 'https://example.test/', '{agent.created}', 'known')",
      "update owner": "update public.webhooks set user_id = :newcomer where id = :webhook",
      "update secret": "update public.webhooks set secret = 'known' where id = :webhook",
      "receive app events": "update public.webhooks set receives_app_events = true where id = :webhook",
    },
  }),
  "public.event_feeds": rows("public.event_feeds", {
    where: "id = :feed",
    insert: "(user_id, name, events) values (:caller, 'n', '{agent.created}')",
    update: "name = 'renamed'",
    more: {
      "insert for owner":
        "insert into public.event_feeds (user_id, name, events) values (:owner, 'n', '{agent.created}')",
      "update owner": "update public.event_feeds set user_id = :newcomer where id = :feed",
      "receive app events": "update public.event_feeds set receives_app_events = true where id = :feed",
    },
  }),
  "public.event_feed_backlog": rows("public.event_feed_backlog", {
    where: "feed_id = :feed and skipped = 1",
    insert: "(feed_id) values (:feed)",
    update: "skipped = 0",
  }),
  "public.event_types": rows("public.event_types", {
    where: "id = :eventType",
    insert: "(name) values ('app.new')",
    update: "description = 'changed'",
    more: {
      "select unlisted": "select 1 from public.event_types where id = :unlistedEventType",
      emit: "select public.emit_event('app.open', '{}', :caller)",
      "emit in swarm": "select public.emit_event('app.open', '{}', null, :swarm)",
      "emit for owner": "select public.emit_event('app.open', '{}', :owner)",
      "emit for nobody": "select public.emit_event('app.open', '{}')",
      "emit what only the service may": "select public.emit_event('app.closed', '{}', :caller)",
    },
  }),
  "public.webhook_deliveries": rows("public.webhook_deliveries", {
    where: "id = :delivery",
    insert:
      "(webhook_id, user_id, event_id, event_type, payload) values (:webhook, :owner, gen_random_uuid(), 'agent.created', '{}')",
    update: "attempts = 1",
  }),
  "public.webhook_delivery_attempts": rows("public.webhook_delivery_attempts", {
    where: "id = :attempt",
    insert:
      "(delivery_id, webhook_id, user_id, attempt, cause, url) values (:delivery, :webhook, :owner, 2, 'schedule', 'https://example.test/')",
    update: "status_code = 200",
  }),
  "public.webhook_previous_secrets": rows("public.webhook_previous_secrets", {
    where: "webhook_id = :webhook",
    insert: "(webhook_id, expires_at) values (:webhook, now())",
    update: "expires_at = now()",
  }),
  "public.webhook_backlog": rows("public.webhook_backlog", {
    where: "webhook_id = :webhook and pending = 1",
    insert: "(webhook_id) values (:webhook)",
    update: "pending = 0",
  }),
  "public.webhook_recoveries": rows("public.webhook_recoveries", {
    where: "id = :recovery",
    insert: "(webhook_id, user_id, since, status, completed_at) values (:webhook, :owner, now(), 'completed', now())",
    update: "recovered = 1",
  }),
};
