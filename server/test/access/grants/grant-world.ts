import type pg from "pg";
import { bindFixtureIds, collectFixtureIds, type FixtureIds } from "../fixture-ids.ts";

/**
 * The world of the matrix of grants: the agent `agent` of `owner`, which others ask. `asker` has two conversations with it,
 * `secret`, which nobody else reads, and `told`, whose text the owner may read, and the swarm `group` with it and `guest`, who
 * holds no grant but has an offer. `other` and `former` have a conversation each; the grant of `former` was withdrawn. Everybody
 * has a swarm `Own` without agents, and `asker` the agent `spare`.
 */
const ACCOUNTS = `
  insert into auth.users (id, email, email_confirmed_at) values
    (:owner, 'owner@example.test', now()), (:asker, 'asker@example.test', now()), (:other, 'other@example.test', now()),
    (:former, 'former@example.test', now()), (:guest, 'guest@example.test', now());
  insert into auth.users (id, is_anonymous) values (:anonymous, true);
  insert into auth.sessions (id, user_id, api_key_hash) values (:readKey, :asker, 'r'), (:runKey, :asker, 'x');
  insert into public.api_keys (id, user_id, name, scopes, prefix) values
    (:readKey, :asker, 'n', '{read,write,approve,share}', 'sk_'), (:runKey, :asker, 'n', '{run}', 'sk_');
  insert into public.models (framework, id, is_default, position) values ('provider_a', 'm', true, 0);
  insert into public.swarms (owner_id, name) select id, 'Own' from auth.users;
  insert into public.event_feeds (user_id, name, events) values (:owner, 'feed', '{agent.error}');
  insert into public.event_types (name, users_may_emit, listed) values
    ('app.told', true, true), ('app.hidden', true, false);`;

const AGENT = `
  insert into public.agents (id, user_id, name, system_prompt) values (:agent, :owner, 'Ada', 'a secret prompt');
  insert into public.tools (id, owner_id, name, description, kind, visibility) values
    (:tool, :owner, 'kept', 'a tool', 'http', 'private');
  insert into public.agent_tools (id, agent_id, tool_id) values (:assignment, :agent, :tool);
  insert into public.agents (id, user_id, name) values (:spare, :asker, 'Spare');
  insert into public.guardrails (id, agent_id, name, kind, stage, config) values
    (:guardrail, :agent, 'Hook', 'webhook', 'input', '{"url": "https://example.test/"}');
  insert into public.agent_grants (id, agent_id, audience, user_id, accepted_at) values
    (:askerGrant, :agent, 'user', :asker, now()), (:otherGrant, :agent, 'user', :other, now()),
    (:formerGrant, :agent, 'user', :former, now()), (:offer, :agent, 'user', :guest, null);
  insert into public.webhooks (id, user_id, name, url, events) values
    (:webhook, :owner, 'hook', 'https://example.test/', '{agent.error}');
  insert into public.webhook_deliveries (id, webhook_id, user_id, event_id, event_type, payload) values
    (:delivery, :webhook, :owner, :event, 'agent.error', '{}');
  insert into public.webhook_delivery_attempts (delivery_id, webhook_id, user_id, attempt, cause, url) values
    (:delivery, :webhook, :owner, 1, 'schedule', 'https://example.test/');
  insert into public.webhook_recoveries (webhook_id, user_id, since) values (:webhook, :owner, now());
  insert into private.webhook_previous_secrets (webhook_id, secret, expires_at) values
    (:webhook, 'old', now() + interval '1 day');
  insert into public.eval_datasets (id, user_id, name) values (:dataset, :owner, 'support');
  insert into public.eval_cases (id, user_id, dataset_id, name, input, expectation) values
    (:evalCase, :owner, :dataset, 'greets', 'hello', '{"kind": "exact", "text": "hello"}');
  insert into public.eval_runs (id, user_id, dataset_id, agent_id, agent_version) values
    (:evalRun, :owner, :dataset, :agent, 1);
  insert into public.eval_results (user_id, eval_run_id, case_id, case_name, input, expectation, passed) values
    (:owner, :evalRun, :evalCase, 'greets', 'hello', '{}', true)`;

/** One of everything that a conversation with the agent leaves. `waits` is a tool call that waits for the agent's owner, `private` one that is the asker's alone. */
const CONVERSATION = `
  insert into public.swarms (id, owner_id, name) values (:swarm, :user, 'Main');
  insert into public.swarm_agents (swarm_id, agent_id) values (:swarm, :agent);
  insert into public.messages (id, swarm_id, sender_type, sender_user_id, content) values
    (:message, :swarm, 'user', :user, 'a secret question');
  update public.messages set content = 'another secret question' where id = :message;
  insert into public.conversation_summaries (swarm_id, agent_id, up_to_seq, text) values
    (:swarm, :agent, 1, 'a secret question was asked');
  insert into public.message_flags (message_id, flagged_by, status) values (:message, :user, 'open');
  insert into public.read_positions (swarm_id, user_id, last_read_seq) values (:swarm, :user, 1);
  insert into public.schedules (user_id, name, swarm_id, message, cron) values
    (:user, 'daily', :swarm, 'a secret question', '0 9 * * *');
  insert into public.triggers (id, user_id, name, swarm_id, message, verification) values
    (:swarm, :user, 'orders', :swarm, 'a secret question', 'stripe');
  insert into public.trigger_calls (trigger_id, user_id, event_id, payload, swarm_id) values
    (:swarm, :user, 'evt_1', '"a secret answer"', :swarm);
  insert into public.guardrails (swarm_id, name, kind, stage, config) values
    (:swarm, 'No cards', 'pattern', 'output', '{"pattern": "card"}');
  insert into public.runs (id, swarm_id, user_id, strategy) values (:run, :swarm, :user, 'round_robin');
  insert into public.run_turns (id, run_id, swarm_id, agent_id, agent_name, position, framework, model, grant_id,
    hides_usage) values (:turn, :run, :swarm, :agent, 'Ada', 0, 'provider_a', 'm', :grant, true);
  insert into public.tool_executions (id, run_id, turn_id, swarm_id, agent_id, tool_name, tool_call_id, status,
    approver_id) values
    (:done, :run, :turn, :swarm, :agent, 'kept', 'c1', 'succeeded', null),
    (:waits, :run, :turn, :swarm, :agent, 'kept', 'c2', 'pending_approval', null),
    (:private, :run, :turn, :swarm, :agent, 'kept', 'c3', 'succeeded', :user);
  insert into public.tool_execution_payloads (tool_execution_id, swarm_id, agent_id, input, private_to) values
    (:done, :swarm, :agent, '1', null), (:waits, :swarm, :agent, '2', null), (:private, :swarm, :agent, '3', :user);
  insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data) values
    (:run, 1, :swarm, :agent, false, 'delta', '{}'), (:run, 2, :swarm, :agent, true, 'tool', '{}');
  insert into public.model_calls (id, run_id, turn_id, swarm_id, agent_id, attempt, framework, model, status,
    duration_ms, started_at, finished_at, grant_id) values
    (:call, :run, :turn, :swarm, :agent, 1, 'provider_a', 'm', 'succeeded', 1, now(), now(), :grant);
  insert into public.model_call_prompts (model_call_id, swarm_id, agent_id, kept_messages, system, messages,
    tool_choice, settings, sha256) values (:call, :swarm, :agent, 0, 'a secret prompt', '[]', 'auto', '{}', '');
  insert into public.usage_records (payer_id, user_id, swarm_id, run_id, agent_id, grant_id, framework, model) values
    (:owner, :user, :swarm, :run, :agent, :grant, 'provider_a', 'm')`;

const ENDS = `
  insert into private.private_swarms (swarm_id, user_id, agent_id, transcripts) values
    (:secretSwarm, :asker, :agent, 'private'), (:toldSwarm, :asker, :agent, 'owner'),
    (:otherSwarm, :other, :agent, 'private'), (:formerSwarm, :former, :agent, 'private');
  insert into public.swarm_members (swarm_id, user_id, role, status) values (:groupSwarm, :guest, 'member', 'active');
  delete from public.agent_grants where id = :formerGrant`;

/** The names of a conversation's rows begin with the name of the conversation. */
function converse(name: string, user: string): string {
  return CONVERSATION.replaceAll(
    /(?<![:\w"]):(swarm|message|run|turn|done|waits|private|call)\b/g,
    (_, row: string) => {
      return `:${name}${row.slice(0, 1).toUpperCase()}${row.slice(1)}`;
    },
  )
    .replaceAll(":user", `:${user}`)
    .replaceAll(":grant", `:${user}Grant`);
}

/** The conversations, with their users. */
const CONVERSATIONS = { secret: "asker", told: "asker", group: "asker", other: "other", former: "former" } as const;

export async function makeGrantWorld(schemaOwner: pg.Client): Promise<FixtureIds> {
  const talks = Object.entries(CONVERSATIONS).map(([name, user]) => converse(name, user));
  const statements = [ACCOUNTS, AGENT, ...talks, ENDS];
  const ids = collectFixtureIds(statements);
  await schemaOwner.query(bindFixtureIds(statements.join(";\n"), ids));
  return ids;
}
