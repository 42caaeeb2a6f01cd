import type pg from "pg";
import { bindFixtureIds, collectFixtureIds, type FixtureIds } from "./fixture-ids.ts";

/**
 * The world that the matrix is asked about: the swarm `swarm` of `owner`, with an admin, a member, a viewer and somebody
 * invited; `annex` is the same with an invitation by e-mail. `stranger` has nothing to do with them. `someone` is the user
 * in whose name the service acts. Everybody owns a spare agent, called `<user>Spare`, that is in no swarm;
 * `hermit` owns nothing at all.
 */
const USERS = `
  insert into auth.users (id, email, email_confirmed_at) values
    (:owner, 'owner@example.test', now()), (:admin, 'admin@example.test', now()), (:member, 'member@example.test', now()),
    (:viewer, 'viewer@example.test', now()), (:invited, 'invited@example.test', now()),
    (:stranger, 'stranger@example.test', now()), (:someone, 'someone@example.test', now()),
    (:newcomer, 'newcomer@example.test', now()), (:bare, 'bare@example.test', now()),
    (:hermit, 'hermit@example.test', now());
  update auth.users set proven_email = email;
  delete from public.profiles where id = :bare;
  delete from public.user_settings where user_id = :bare;
  insert into auth.identities (id, user_id, provider, provider_id) values (:identity, :owner, 'email', 'owner');
  insert into auth.mfa_factors (id, user_id, factor_type, secret_wrapped) values (:factor, :owner, 'totp', 'x');
  insert into auth.mfa_recovery_codes (factor_id, code_hash) values (:factor, 'x');
  insert into auth.audit_log_entries (action, user_id) values ('x', :owner);
  insert into auth.mfa_challenges (id, factor_id, expires_at) values (:challenge, :factor, now());
  insert into auth.webauthn_credentials (id, user_id, credential_id, public_key, sign_count, aaguid, is_backed_up)
    values (:passkey, :owner, 'x', 'x', 0, :owner, false);
  insert into auth.webauthn_challenges (id, challenge_hash, expires_at) values (:passkeyChallenge, 'x', now());
  insert into auth.sessions (id, user_id, refresh_key_wrapped) values (:session, :owner, 'x');
  insert into auth.sessions (id, user_id, api_key_hash) values (:userKey, :owner, 'x'), (:spareUserKey, :owner, 'y');
  insert into public.api_keys (id, user_id, name, scopes, prefix) values (:userKey, :owner, 'n', '{read}', 'sk_');
  insert into auth.one_time_tokens (id, user_id, kind, token_hash, relates_to, expires_at)
    values (:oneTimeToken, :owner, 'recovery', 'x', 'owner@example.test', now());
  insert into auth.flow_states (id, authentication_method, code_challenge, code_challenge_method, expires_at)
    values (:flowState, 'otp', 'x', 's256', now());
  insert into auth.sign_in_flows (provider, state_hash, redirect_to, expires_at) values ('x', 'x', '', now());
  insert into auth.mail_throttles (address_hash, slot, sent_at) values ('x', 'recovery', now());
  insert into private.hook_failures (hook, reason) values ('access', 'x');
  insert into private.mail_outbox (kind, user_id) values ('access', :owner);
  insert into private.request_signing_secrets (user_id, secret_wrapped) values (:owner, 'x');
  insert into private.request_nonces (user_id, nonce, expires_at) values (:owner, 'used-once', now());
  insert into private.signing_keys (kid, purpose, algorithm, status) values
    ('used', 'access_token', 'ES256', 'standby'), ('unused', 'access_token', 'ES256', 'standby');
  insert into private.api_keys (id, role, token_wrapped, token_hash, kid) values (:apiKey, 'anon', 'x', 'x', 'used');`;

const AGENTS_AND_TOOLS = `
  insert into public.models (framework, id, is_default, position) values ('provider_a', 'm', true, 0);
  insert into public.agents (id, user_id, name, system_prompt) values
    (:ownerAgent, :owner, 'Ada', 'a secret prompt'), (:memberAgent, :member, 'Max', 'a secret prompt'),
    (:memberIdleAgent, :member, 'Mia', 'a secret prompt'),
    (:ownerPublished, :owner, 'Asked by others', 'a secret prompt'),
    (:ownerSpare, :owner, 'Spare', null), (:adminSpare, :admin, 'Spare', null), (:memberSpare, :member, 'Spare', null),
    (:viewerSpare, :viewer, 'Spare', null), (:invitedSpare, :invited, 'Spare', null),
    (:strangerSpare, :stranger, 'Spare', null), (:someoneSpare, :someone, 'Spare', null);
  insert into public.tools (id, owner_id, name, description, kind, visibility) values
    (:privateTool, :owner, 'kept', 'a tool', 'http', 'private'), (:sharedTool, :owner, 'lent', 'a tool', 'http', 'shared'),
    (:publicTool, :someone, 'open', 'a tool', 'http', 'public'), (:builtinTool, null, 'clock', 'a tool', 'builtin', 'private');
  insert into public.tools (id, owner_id, name, description, is_vouched) values (:vouchedTool, :owner, 'vouched', 'a tool', true);
  insert into private.approval_servers (owner_id, server) values (:owner, 'tools.example.com');
  insert into private.tool_secrets (tool_id, secrets_wrapped) values (:privateTool, 'x');
  insert into private.tool_authorizations (owner_id, url) values (:owner, 'https://mcp.example.com');
  insert into public.agent_tools (id, agent_id, tool_id, is_vouched) values
    (:assignment, :ownerAgent, :privateTool, false), (:vouchedAssignment, :ownerAgent, :vouchedTool, true);
  insert into public.agent_grants (id, agent_id, audience, user_id, accepted_at) values
    (:heldGrant, :ownerPublished, 'user', :member, now()), (:offeredGrant, :ownerPublished, 'user', :viewer, null);
  insert into private.grant_usage (grant_id, user_id, day) values (:heldGrant, :member, '2026-01-01');`;

const SWARMS = `
  insert into public.swarms (id, owner_id, name) values
    (:swarm, :owner, 'Main'), (:annex, :owner, 'Annex'), (:elsewhere, :newcomer, 'Elsewhere'),
    (:alone, :owner, 'Alone');
  insert into public.swarm_members (id, swarm_id, user_id, role, status) values
    (:adminMembership, :swarm, :admin, 'admin', 'active'), (:memberMembership, :swarm, :member, 'member', 'active'),
    (:viewerMembership, :swarm, :viewer, 'viewer', 'active'), (:invitedMembership, :swarm, :invited, 'member', 'invited'),
    (:annexAdminMembership, :annex, :admin, 'admin', 'active'), (:annexMemberMembership, :annex, :member, 'member', 'active'),
    (:annexViewerMembership, :annex, :viewer, 'viewer', 'active');
  insert into public.swarm_members (id, swarm_id, invited_email, role) values
    (:emailMembership, :annex, 'invited@example.test', 'member');
  insert into private.invitation_secrets (member_id, way, secret_hash) values (:emailMembership, 'link', 'x');
  insert into public.swarm_agents (id, swarm_id, agent_id, enabled) values
    (:ownerSwarmAgent, :swarm, :ownerAgent, true), (:memberSwarmAgent, :swarm, :memberAgent, true),
    (:memberIdleSwarmAgent, :swarm, :memberIdleAgent, false);
  insert into public.swarm_agents (swarm_id, agent_id) values (:alone, :ownerAgent);
  insert into private.private_swarms (swarm_id, user_id, agent_id) values (:alone, :owner, :ownerAgent);
  insert into private.ended_extension_runs (extension, run_id, source_id) values ('x', :run, :run);
  insert into private.outside_senders (swarm_id, sender, allowed_tools) values (:swarm, 'triggers x', '{}');
  insert into private.hidden_swarms (swarm_id, user_id, deleted_at) values (gen_random_uuid(), :owner, now());`;

const MESSAGES = `
  insert into public.messages (id, swarm_id, sender_type, sender_user_id, content) values
    (:ownerMessage, :swarm, 'user', :owner, 'hello'), (:adminMessage, :swarm, 'user', :admin, 'hello'),
    (:memberMessage, :swarm, 'user', :member, 'hello'), (:viewerMessage, :swarm, 'user', :viewer, 'said as a member'),
    (:someoneMessage, :swarm, 'user', :someone, 'said before leaving'), (:tombstone, :swarm, 'user', :member, 'regretted');
  insert into public.messages (id, swarm_id, sender_type, sender_agent_id, content) values
    (:agentMessage, :swarm, 'agent', :ownerAgent, 'hello');
  delete from public.messages where id = :tombstone;
  update public.messages set content = 'hello, all' where id = :memberMessage;
  insert into public.message_flags (id, message_id, flagged_by, status) values
    (:memberFlag, :ownerMessage, :member, 'open'), (:memberSettledFlag, :adminMessage, :member, 'dismissed');
  insert into public.conversation_summaries (swarm_id, agent_id, up_to_seq, text) values
    (:swarm, :ownerAgent, 1, 'They said hello.');
  insert into public.read_positions (id, swarm_id, user_id, last_read_seq) values
    (:ownerPosition, :swarm, :owner, 1), (:memberPosition, :swarm, :member, 2);
  insert into public.guardrails (id, agent_id, swarm_id, name, kind, stage, config) values
    (:agentGuardrail, :ownerAgent, null, 'Hook', 'webhook', 'input', '{"url": "https://example.test/"}'),
    (:swarmGuardrail, null, :swarm, 'No cards', 'pattern', 'output', '{"pattern": "card"}');`;

const RUNS = `
  insert into public.runs (id, swarm_id, user_id, strategy) values
    (:run, :swarm, :member, 'round_robin'), (:bareRun, :swarm, :member, 'round_robin');
  insert into private.run_leases (run_id) values (:run);
  insert into private.run_starts (extension, key, run_id) values ('notes', 'one', :run);
  insert into private.run_images (run_id, position, name, media_type, data) values (:run, 1, 'image', 'image/png', 'secret');
  insert into private.sent_tool_results (swarm_id, seq, agent_id, user_id, results, are_alone) values
    (:swarm, 1, :ownerAgent, :owner, '[{"output": "a secret"}]', false);
  insert into private.run_progress (run_id, progress) values (:run, '{"messages": ["a secret prompt"]}');
  insert into private.run_signals (run_id, name, data, sent_by) values (:run, 'paid', '{"amount": 3}', 'starter');
  insert into private.budget_reservations (id, run_id, swarm_id, payer_id, tokens, cost_usd) values
    (gen_random_uuid(), :run, :swarm, :owner, 5000, 0.1);
  insert into private.idempotency_keys (user_id, key, request_hash, run_id) values (:member, 'once', 'x', :run);
  insert into public.run_turns (id, run_id, swarm_id, agent_id, agent_name, position, framework, model) values
    (:turn, :run, :swarm, :ownerAgent, 'Ada', 0, 'provider_a', 'm'), (:memberTurn, :run, :swarm, :memberAgent, 'Max', 1, 'provider_a', 'm');
  insert into private.turn_snapshots (turn_id, config) values (:turn, '{"system_prompt": "a secret prompt"}');
  insert into private.agent_status_marks (agent_id, run_id, swarm_id, reason) values
    (:ownerAgent, :run, :swarm, 'run_completed');
  insert into public.tool_executions (id, run_id, turn_id, swarm_id, agent_id, tool_name, tool_call_id, status) values
    (:execution, :run, :turn, :swarm, :ownerAgent, 'kept', 'c1', 'succeeded'),
    (:memberExecution, :run, :memberTurn, :swarm, :memberAgent, 'kept', 'c2', 'succeeded'),
    (:bareExecution, :run, :turn, :swarm, :ownerAgent, 'kept', 'c3', 'running'),
    (:memberPrivateExecution, :run, :turn, :swarm, :ownerAgent, 'kept', 'c4', 'succeeded'),
    (:strangerPrivateExecution, :run, :turn, :swarm, :ownerAgent, 'kept', 'c5', 'succeeded');
  insert into public.tool_execution_payloads (tool_execution_id, swarm_id, agent_id, input, private_to) values
    (:execution, :swarm, :ownerAgent, '1', null), (:memberExecution, :swarm, :memberAgent, '2', null),
    (:memberPrivateExecution, :swarm, :ownerAgent, '3', :member),
    (:strangerPrivateExecution, :swarm, :ownerAgent, '4', :stranger);
  insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data) values
    (:run, 1, :swarm, :ownerAgent, false, 'delta', '{}'), (:run, 2, :swarm, :ownerAgent, true, 'tool', '{}'),
    (:run, 3, :swarm, :memberAgent, true, 'tool', '{}');
  insert into public.model_calls (id, run_id, turn_id, swarm_id, agent_id, attempt, framework, model, status, duration_ms,
    started_at, finished_at) values
    (:modelCall, :run, :turn, :swarm, :ownerAgent, 1, 'provider_a', 'm', 'succeeded', 1, now(), now()),
    (:memberModelCall, :run, :memberTurn, :swarm, :memberAgent, 1, 'provider_a', 'm', 'succeeded', 1, now(), now()),
    (:bareModelCall, :run, :turn, :swarm, :ownerAgent, 2, 'provider_a', 'm', 'succeeded', 1, now(), now());
  insert into public.model_call_prompts (model_call_id, swarm_id, agent_id, kept_messages, system, messages, tool_choice,
    settings, sha256) values
    (:modelCall, :swarm, :ownerAgent, 0, 'a secret prompt', '[]', 'auto', '{}', ''),
    (:memberModelCall, :swarm, :memberAgent, 0, 'a secret prompt', '[]', 'auto', '{}', '');
  insert into public.usage_records (id, payer_id, user_id, swarm_id, framework, model) values
    (:usage, :owner, :member, :swarm, 'provider_a', 'm');
  insert into public.run_turns (run_id, swarm_id, agent_id, agent_name, position, framework, model, grant_id) values
    (:run, :swarm, :ownerPublished, 'Asked', 2, 'provider_a', 'm', :heldGrant);
  insert into public.usage_records (payer_id, user_id, agent_id, grant_id, framework, model) values
    (:owner, :member, :ownerPublished, :heldGrant, 'provider_a', 'm');
  insert into private.hidden_swarms (swarm_id, user_id) values (:task, :member), (:ownTask, :owner);
  insert into public.swarms (id, owner_id, name, parent_run_id) values
    (:task, :member, 'Task', :run), (:ownTask, :owner, 'Task', :run);
  insert into public.messages (id, swarm_id, sender_type, sender_user_id, content) values
    (:taskMessage, :task, 'user', :member, 'to do'), (:ownTaskMessage, :ownTask, 'user', :owner, 'to do');
  insert into public.runs (id, swarm_id, user_id, strategy) values
    (:taskRun, :task, :member, 'round_robin'), (:ownTaskRun, :ownTask, :owner, 'round_robin');
  insert into private.sub_tasks (swarm_id, run_id, tool_execution_id, parent_run_id, parent_swarm_id, root_swarm_id,
    depth, template_id, agent_id, owner_id, payer_id, reader_id) values
    (:task, :taskRun, :execution, :run, :swarm, :swarm, 1, :annex, :ownerAgent, :owner, :owner, null),
    (:ownTask, :ownTaskRun, :bareExecution, :run, :swarm, :swarm, 1, :annex, :ownerAgent, :owner, :owner, :owner);`;

const KEYS = `
  insert into auth.sessions (id, user_id, api_key_hash) values (:boundKey, :owner, 'z');
  insert into public.api_keys (id, user_id, name, scopes, prefix, resources) values
    (:boundKey, :owner, 'n', '{read,write,run,approve,share,secrets}', 'sk_',
     jsonb_build_object('agents', jsonb_build_array(:ownerSpare), 'swarms', jsonb_build_array(:annex)));
  insert into auth.oauth_clients (id, registration, name, redirect_uris) values
    ('https://program.example', 'document', 'Program', '{https://program.example/back}');
  insert into auth.oauth_consents (user_id, client_id, resource, scopes, client_name, redirect_uris) values
    (:owner, 'https://program.example', 'x', '{read}', 'Program', '{https://program.example/back}');
  insert into auth.sessions (id, user_id, api_key_hash, refresh_key_wrapped) values (:program, :owner, 'p', 'x');
  insert into public.api_keys (id, user_id, name, scopes, prefix, client_id) values
    (:program, :owner, 'n', '{read}', 'oat_', 'https://program.example');
  insert into auth.oauth_sessions (id, user_id, client_id, resource, scopes, access_expires_at) values
    (:program, :owner, 'https://program.example', 'x', '{read}', now());
  insert into auth.oauth_authorizations (id, client_id, redirect_uri, scopes, resource, code_challenge, expires_at) values
    (:authorization, 'https://program.example', 'x', '{read}', 'x', 'x', now());
  insert into private.key_runs (run_id, api_key_id) values (:run, :userKey);
  insert into private.key_swarms (swarm_id, api_key_id) values (:annex, :userKey);`;

const WEBHOOKS = `
  insert into public.event_types (id, name, users_may_emit, listed) values
    (:eventType, 'app.open', true, true), (:closedEventType, 'app.closed', false, true),
    (:unlistedEventType, 'app.unlisted', true, false);
  insert into public.webhooks (id, user_id, name, url, events) values
    (:webhook, :owner, 'hook', 'https://example.test/', '{agent.created}');
  insert into private.webhook_previous_secrets (webhook_id, secret, expires_at) values (:webhook, 'old', now() + interval '1 day');
  insert into public.webhook_deliveries (id, webhook_id, user_id, event_id, event_type, payload) values
    (:delivery, :webhook, :owner, :event, 'agent.created', '{}');
  insert into public.webhook_delivery_attempts (id, delivery_id, webhook_id, user_id, attempt, cause, url) values
    (:attempt, :delivery, :webhook, :owner, 1, 'schedule', 'https://example.test/');
  insert into private.webhook_queue (delivery_id, webhook_id, event_seq) values (:delivery, :webhook, 1);
  insert into private.webhook_endpoint_queues (webhook_id) values (:webhook);
  insert into public.event_feeds (id, user_id, name, events) values
    (:feed, :owner, 'feed', '{agent.created}'), (:strangerFeed, :stranger, 'feed', '{agent.created}');
  insert into private.event_feed_positions (feed_id, position, skipped) values (:feed, 1, 1);
  insert into private.event_feed_entries (feed_id, position, event_id, payload, bytes) values (:feed, 1, :event, '{}', 2);
  insert into private.event_feed_consumers (feed_id, consumer, position) values (:feed, 'consumer', 1);
  insert into private.webhook_skips (webhook_id, skipped) values (:webhook, 1);
  insert into private.webhook_send_windows (user_id, opened_at, sent, granted) values (:owner, now(), 1, 1);
  insert into public.webhook_recoveries (id, webhook_id, user_id, since) values (:recovery, :webhook, :owner, now());
  insert into private.webhook_resumptions (webhook_id) values (:webhook);
  insert into realtime.messages (id, topic, extension) values (:realtimeMessage, 'swarm', 'broadcast');
  insert into realtime.messages (topic, extension) values
    ('webhook:' || :webhook, 'broadcast'), ('swarm-agents:' || :swarm, 'broadcast');
  insert into private.followed_topics (topic, node, lease_until) values ('webhook:' || :webhook, gen_random_uuid(), now());
  insert into private.events (id, type, data, audience) values (:event, 'agent.created', '{}', '{}');`;

const EVALS = `
  insert into public.eval_datasets (id, user_id, name) values
    (:dataset, :owner, 'support'), (:strangerDataset, :stranger, 'support');
  insert into public.eval_cases (id, user_id, dataset_id, name, input, expectation) values
    (:evalCase, :owner, :dataset, 'greets', 'hello', '{"kind": "exact", "text": "hello"}');
  insert into public.eval_runs (id, user_id, dataset_id, agent_id, agent_version) values
    (:evalRun, :owner, :dataset, :ownerAgent, 1), (:strangerEvalRun, :stranger, :strangerDataset, :strangerSpare, 1);
  insert into public.eval_results (id, user_id, eval_run_id, case_id, case_name, input, expectation, passed) values
    (:evalResult, :owner, :evalRun, :evalCase, 'greets', 'hello', '{}', true);`;

/** Everything in it has a name, and a statement of the matrix says that name for its id. */
export interface World {
  readonly ids: FixtureIds;
}

/** `further` inserts rows of extensions. */
export async function makeWorld(schemaOwner: pg.Client, further: readonly string[] = []): Promise<World> {
  const statements = [USERS, AGENTS_AND_TOOLS, SWARMS, MESSAGES, RUNS, KEYS, WEBHOOKS, EVALS, ...further];
  const ids = collectFixtureIds(statements);
  await schemaOwner.query(bindFixtureIds(statements.join(";\n"), ids));
  return { ids };
}
