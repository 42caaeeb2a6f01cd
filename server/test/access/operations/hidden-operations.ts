import { rows, type TableOperations } from "./rows.ts";

/** Tables that no request ever reaches: identity, keys, queue, events. */
export const HIDDEN_OPERATIONS: Readonly<Record<string, TableOperations>> = {
  // Whoever runs the service opens it with policies of their own, which say who listens and speaks where.
  "realtime.messages": rows("realtime.messages", {
    where: "id = :realtimeMessage",
    insert: "(topic, extension) values ('swarm', 'broadcast')",
    update: "event = 'x'",
    more: {
      "select webhook signals": "select 1 from realtime.messages where topic = 'webhook:' || :webhook",
      "insert webhook signals":
        "insert into realtime.messages (topic, extension) values ('webhook:' || :webhook, 'broadcast')",
      "select agent signals": "select 1 from realtime.messages where topic = 'swarm-agents:' || :swarm",
      "insert agent signals":
        "insert into realtime.messages (topic, extension) values ('swarm-agents:' || :swarm, 'broadcast')",
    },
  }),
  "auth.users": rows("auth.users", {
    where: "id = :owner",
    insert: "(email) values ('new@example.test')",
    update: "last_sign_in_at = now()",
  }),
  "auth.identities": rows("auth.identities", {
    where: "id = :identity",
    insert: "(user_id, provider, provider_id) values (:caller, 'email', 'new')",
    update: "last_sign_in_at = now()",
  }),
  "auth.sessions": rows("auth.sessions", {
    where: "id = :session",
    insert: "(user_id, refresh_key_wrapped) values (:caller, 'x')",
    update: "refresh_counter = refresh_counter + 1",
  }),
  "auth.one_time_tokens": rows("auth.one_time_tokens", {
    where: "id = :oneTimeToken",
    insert: "(user_id, kind, token_hash, relates_to, expires_at) values (:caller, 'magiclink', 'y', 'x', now())",
    update: "failed_attempts = 1",
  }),
  "auth.mfa_factors": rows("auth.mfa_factors", {
    where: "id = :factor",
    insert: "(user_id, factor_type, secret_wrapped) values (:caller, 'totp', 'x')",
    update: "status = 'verified'",
  }),
  "auth.mfa_challenges": rows("auth.mfa_challenges", {
    where: "id = :challenge",
    insert: "(factor_id, expires_at) values (:factor, now())",
    update: "failed_attempts = 1",
  }),
  "auth.webauthn_credentials": rows("auth.webauthn_credentials", {
    where: "id = :passkey",
    insert:
      "(user_id, credential_id, public_key, sign_count, aaguid, is_backed_up) values (:caller, 'y', 'x', 0, :caller, true)",
    update: "friendly_name = 'x'",
  }),
  "auth.webauthn_challenges": rows("auth.webauthn_challenges", {
    where: "id = :passkeyChallenge",
    insert: "(challenge_hash, expires_at) values ('y', now())",
    update: "expires_at = now()",
  }),
  "auth.mfa_recovery_codes": rows("auth.mfa_recovery_codes", {
    where: "factor_id = :factor",
    insert: "(factor_id, code_hash) values (:factor, 'y')",
    update: "used_at = now()",
  }),
  "auth.audit_log_entries": rows("auth.audit_log_entries", {
    where: "user_id = :owner",
    insert: "(action, user_id) values ('x', :caller)",
    update: "action = 'y'",
  }),
  "auth.flow_states": rows("auth.flow_states", {
    where: "id = :flowState",
    insert:
      "(authentication_method, code_challenge, code_challenge_method, expires_at) values ('otp', 'x', 's256', now())",
    update: "redirect_to = 'x'",
  }),
  "auth.oauth_clients": rows("auth.oauth_clients", {
    where: "id = 'https://program.example'",
    insert: "(id, registration, name, redirect_uris) values ('y', 'manual', 'y', '{https://y.example}')",
    update: "name = 'y'",
  }),
  "auth.oauth_consents": rows("auth.oauth_consents", {
    where: "user_id = :owner",
    insert:
      "(user_id, client_id, resource, scopes, client_name, redirect_uris) values (:caller, 'https://program.example', 'y', '{read}', 'y', '{}')",
    update: "scopes = '{write}'",
  }),
  "auth.oauth_sessions": rows("auth.oauth_sessions", {
    where: "id = :program",
    insert:
      "(id, user_id, client_id, resource, scopes, access_expires_at) values (:session, :owner, 'https://program.example', 'x', '{read}', now())",
    update: "scopes = '{write}'",
  }),
  "auth.oauth_authorizations": rows("auth.oauth_authorizations", {
    where: "id = :authorization",
    insert:
      "(client_id, redirect_uri, scopes, resource, code_challenge, expires_at) values ('https://program.example', 'x', '{read}', 'x', 'x', now())",
    update: "scopes = '{write}'",
  }),
  "auth.sign_in_flows": rows("auth.sign_in_flows", {
    where: "provider = 'x'",
    insert: "(provider, state_hash, redirect_to, expires_at) values ('y', 'y', '', now())",
    update: "redirect_to = 'x'",
  }),
  "auth.mail_throttles": rows("auth.mail_throttles", {
    where: "slot = 'recovery'",
    insert: "(address_hash, slot, sent_at) values ('y', 'invite', now())",
    update: "sent_at = now()",
  }),
  "private.hook_failures": rows("private.hook_failures", {
    where: "hook = 'access'",
    insert: "(hook, reason) values ('access', 'y')",
    update: "count = 2",
  }),
  "private.mail_outbox": rows("private.mail_outbox", {
    where: "kind = 'access'",
    insert: "(kind, email) values ('access', 'somebody@example.test')",
    update: "due_at = now()",
  }),
  "private.open_invitations": rows("private.open_invitations", {
    where: "id = :invitedMembership",
    insert: "(swarm_id, swarm_name) values (:swarm, 'x')",
    update: "swarm_name = 'x'",
  }),
  "private.migrations": rows("private.migrations", {
    where: "name = '0001_foundations'",
    insert: "(name, run_on) values ('9999_forged', now())",
    update: "name = 'x'",
  }),
  "private.function_files": rows("private.function_files", {
    where: "name = 'functions/agents'",
    insert: "(name, hash) values ('functions/forged', 'x')",
    update: "hash = 'x'",
  }),
  "private.settings": rows("private.settings", {
    where: "name = 'agent_limit_per_user'",
    insert: "(name, value) values ('x', '1')",
    update: "value = '0'",
  }),
  "private.request_signing_secrets": rows("private.request_signing_secrets", {
    where: "user_id = :owner",
    insert: "(user_id, secret_wrapped) values (:newcomer, 'x')",
    update: "secret_wrapped = 'y'",
  }),
  "private.request_nonces": rows("private.request_nonces", {
    where: "user_id = :owner",
    insert: "(user_id, nonce, expires_at) values (:newcomer, 'used-once', now())",
    update: "expires_at = now()",
  }),
  "private.followed_topics": rows("private.followed_topics", {
    where: "topic = 'webhook:' || :webhook",
    insert: "(topic, node, lease_until) values ('webhook:x', gen_random_uuid(), now())",
    update: "lease_until = now()",
  }),
  "private.private_swarms": rows("private.private_swarms", {
    where: "user_id = :owner",
    insert: "(swarm_id, user_id, agent_id) values (:swarm, :newcomer, :memberAgent)",
    update: "user_id = :newcomer",
  }),
  "private.grant_usage": rows("private.grant_usage", {
    where: "grant_id = :heldGrant",
    insert: "(grant_id, user_id, day) values (:heldGrant, :newcomer, '2026-01-01')",
    update: "runs = 5",
  }),
  "private.approval_servers": rows("private.approval_servers", {
    where: "owner_id = :owner",
    insert: "(owner_id, server) values (:newcomer, 'mcp.example.com')",
    update: "server = 'mcp.example.org'",
  }),
  "private.key_runs": rows("private.key_runs", {
    where: "run_id = :run",
    insert: "(run_id, api_key_id) values (:bareRun, :userKey)",
    update: "api_key_id = :boundKey",
  }),
  "private.key_swarms": rows("private.key_swarms", {
    where: "swarm_id = :annex",
    insert: "(swarm_id, api_key_id) values (:swarm, :userKey)",
    update: "api_key_id = :boundKey",
  }),
  "private.hidden_swarms": rows("private.hidden_swarms", {
    where: "user_id = :owner",
    insert: "(swarm_id, user_id) values (gen_random_uuid(), :newcomer)",
    update: "deleted_at = now()",
  }),
  "private.shared_swarms": rows("private.shared_swarms", {
    where: "swarm_id = :swarm",
    insert: "(swarm_id) values (:alone)",
    update: "swarm_id = swarm_id",
  }),
  "private.ended_extension_runs": rows("private.ended_extension_runs", {
    where: "run_id = :run",
    insert: "(extension, run_id, source_id) values ('x', :bareRun, :run)",
    update: "source_id = run_id",
  }),
  "private.outside_senders": rows("private.outside_senders", {
    where: "swarm_id = :swarm",
    insert: "(swarm_id, sender, allowed_tools) values (:alone, 'x', '{}')",
    update: "allowed_tools = '{x}'",
  }),
  "private.invitation_secrets": rows("private.invitation_secrets", {
    where: "member_id = :emailMembership",
    insert: "(member_id, way, secret_hash) values (:emailMembership, 'mail', 'y')",
    update: "secret_hash = 'z'",
  }),
  "private.signing_keys": rows("private.signing_keys", {
    where: "kid = 'unused'",
    insert: "(kid, purpose, algorithm, status) values ('new', 'role_key', 'ES256', 'standby')",
    update: "status = 'revoked'",
  }),
  "private.api_keys": rows("private.api_keys", {
    where: "id = :apiKey",
    insert: "(role, token_wrapped, token_hash, kid) values ('anon', 'y', 'y', 'unused')",
    update: "revoked_at = now()",
  }),
  "private.webhook_previous_secrets": rows("private.webhook_previous_secrets", {
    where: "webhook_id = :webhook",
    insert: "(webhook_id, secret, expires_at) values (:webhook, 'older', now())",
    update: "expires_at = now()",
  }),
  "private.webhook_queue": rows("private.webhook_queue", {
    where: "delivery_id = :delivery",
    insert: "(delivery_id, webhook_id, event_seq) values (gen_random_uuid(), :webhook, 1)",
    update: "run_at = now()",
  }),
  "private.webhook_endpoint_queues": rows("private.webhook_endpoint_queues", {
    where: "webhook_id = :webhook",
    insert: "(webhook_id) values (gen_random_uuid())",
    update: "failed_in_a_row = 1",
  }),
  "private.webhook_send_windows": rows("private.webhook_send_windows", {
    where: "user_id = :owner",
    insert: "(user_id, opened_at, sent, granted) values (gen_random_uuid(), now(), 0, 0)",
    update: "sent = 0",
  }),
  "private.webhook_resumptions": rows("private.webhook_resumptions", {
    where: "webhook_id = :webhook",
    insert: "(webhook_id) values (:webhook)",
    update: "webhook_id = :webhook",
  }),
  "private.events": rows("private.events", {
    where: "id = :event",
    insert: "(type, data, audience) values ('agent.created', '{}', array[:caller]::uuid[])",
    update: "data = '{}'",
  }),
  "private.tool_secrets": rows("private.tool_secrets", {
    where: "tool_id = :privateTool",
    insert: "(tool_id, secrets_wrapped) values (:sharedTool, 'x')",
    update: "secrets_wrapped = 'y'",
  }),
  "private.tool_authorizations": rows("private.tool_authorizations", {
    where: "owner_id = :owner",
    insert: "(owner_id, url) values (:newcomer, 'https://mcp.example.com')",
    update: "scope = 'all'",
  }),
  "private.agent_counters": rows("private.agent_counters", {
    where: "user_id = :owner",
    insert: "(user_id, agents) values (:newcomer, 0)",
    update: "agents = agents",
  }),
  "private.webhook_counters": rows("private.webhook_counters", {
    where: "user_id = :owner",
    insert: "(user_id, webhooks) values (:newcomer, 0)",
    update: "webhooks = webhooks",
  }),
  "private.webhook_skips": rows("private.webhook_skips", {
    where: "webhook_id = :webhook",
    insert: "(webhook_id, skipped) values (gen_random_uuid(), 1)",
    update: "skipped = 2",
  }),
  "private.subscriptions": rows("private.subscriptions", {
    where: "user_id = :owner",
    insert: "(user_id, events) values (:owner, '{}')",
    update: "events = '{}'",
  }),
  "private.event_feed_positions": rows("private.event_feed_positions", {
    where: "feed_id = :feed",
    insert: "(feed_id, position, skipped) values (:strangerFeed, 1, 0)",
    update: "position = 2",
  }),
  "private.event_feed_entries": rows("private.event_feed_entries", {
    where: "feed_id = :feed",
    insert: "(feed_id, position, event_id, payload, bytes) values (:feed, 2, gen_random_uuid(), '{}', 2)",
    update: "bytes = 3",
  }),
  "private.event_feed_consumers": rows("private.event_feed_consumers", {
    where: "feed_id = :feed",
    insert: "(feed_id, consumer, position) values (:feed, 'new', 1)",
    update: "position = 0",
  }),
  "private.message_counters": rows("private.message_counters", {
    where: "swarm_id = :swarm",
    insert: "(swarm_id, last_seq) values (:annex, 1)",
    update: "last_seq = last_seq + 1",
  }),
  "private.run_leases": rows("private.run_leases", {
    where: "run_id = :run",
    insert: "(run_id) values (:bareRun)",
    update: "fence = fence + 1",
  }),
  "private.run_images": rows("private.run_images", {
    where: "run_id = :run",
    insert: "(run_id, position, name, media_type, data) values (:run, 2, 'image', 'image/png', '')",
    update: "name = 'other'",
  }),
  "private.run_starts": rows("private.run_starts", {
    where: "run_id = :run",
    insert: "(extension, key, run_id) values ('notes', 'other', :run)",
    update: "key = 'third'",
  }),
  "private.sent_tool_results": rows("private.sent_tool_results", {
    where: "swarm_id = :swarm",
    insert:
      "(swarm_id, seq, agent_id, user_id, results, are_alone) values (:swarm, 9, :ownerAgent, :owner, '[]', false)",
    update: "are_alone = true",
  }),
  "private.sub_tasks": rows("private.sub_tasks", {
    where: "swarm_id = :task",
    insert: `(swarm_id, run_id, tool_execution_id, parent_run_id, parent_swarm_id, root_swarm_id, depth, template_id,
      agent_id, owner_id, payer_id) values (:alone, :bareRun, :memberExecution, :run, :swarm, :swarm, 1, :annex,
      :ownerAgent, :owner, :owner)`,
    update: "is_announced = false",
  }),
  "private.run_signals": rows("private.run_signals", {
    where: "run_id = :run",
    insert: "(run_id, name, data, sent_by) values (:run, 'sent', 'null', 'starter')",
    update: "name = 'other'",
  }),
  "private.run_progress": rows("private.run_progress", {
    where: "run_id = :run",
    insert: "(run_id, progress) values (:bareRun, '{}')",
    update: "progress = '[]'",
  }),
  "private.budget_reservations": rows("private.budget_reservations", {
    where: "run_id = :run",
    insert:
      "(id, run_id, swarm_id, payer_id, tokens, cost_usd) values (gen_random_uuid(), :run, :swarm, :caller, 0, 0)",
    update: "tokens = 0",
  }),
  "private.idempotency_keys": rows("private.idempotency_keys", {
    where: "key = 'once'",
    insert: "(user_id, key, request_hash) values (:caller, 'twice', 'x')",
    update: "request_hash = 'y'",
  }),
  "private.turn_snapshots": rows("private.turn_snapshots", {
    where: "turn_id = :turn",
    insert: "(turn_id, config) values (:memberTurn, '{}')",
    update: "config = '{}'",
  }),
  "private.agent_status_marks": rows("private.agent_status_marks", {
    where: "agent_id = :ownerAgent",
    insert: "(agent_id, run_id, swarm_id, reason) values (:memberAgent, :run, :swarm, 'cancelled')",
    update: "reason = 'cancelled'",
  }),
};
