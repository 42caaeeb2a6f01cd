-- Runs, in which the agents of a swarm answer a message. The service writes the rows; members read them.

create table public.runs (
  id uuid default private.new_id() constraint runs_pkey primary key,
  swarm_id uuid not null constraint runs_swarm_id_fkey references public.swarms on delete cascade,
  user_id uuid constraint runs_user_id_fkey references auth.users on delete set null,
  -- The program that started the run for the user. It stays after the program was disconnected.
  client_id text,
  message_id uuid,
  status text not null default 'queued' constraint runs_status_known
    check (status in ('queued', 'running', 'requires_action', 'waiting', 'completed', 'partial', 'failed',
      'cancelled')),
  stop_reason text constraint runs_stop_reason_known check (stop_reason in (
    'all_replied', 'no_reply_needed', 'empty_response', 'max_turns', 'max_tool_steps', 'max_tokens_reached',
    'context_length_exceeded', 'schema_mismatch', 'budget_exceeded', 'timeout', 'loop_detected', 'no_progress',
    'cancelled', 'interrupted', 'starter_removed', 'provider_error', 'content_filtered', 'guardrail_failed',
    'internal_error', 'approval_expired', 'worker_lost')),
  strategy text not null constraint runs_strategy_known
    check (strategy in ('round_robin', 'parallel', 'mention', 'handoff', 'selector', 'supervisor')),
  request jsonb not null default '{}',
  -- What started the run in place of a call of its user, as the extension that did so says. Null: a call or a message.
  cause jsonb,
  error jsonb,
  usage jsonb,
  turn_count integer not null default 0,
  queued_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null default now(),
  -- What the run waits for apart from people and clients, by tool call. Null: nothing.
  pending_waits jsonb,
  -- All calls that the run waited for have ended: it continues as soon as no other run of the swarm is running.
  can_continue boolean not null default false,
  constraint runs_ended_has_stop_reason check
    ((status in ('completed', 'partial', 'failed', 'cancelled')) = (stop_reason is not null)),
  constraint runs_swarm_id_id_key unique (swarm_id, id),
  constraint runs_message_id_fkey foreign key (swarm_id, message_id)
    references public.messages (swarm_id, id) on delete set null (message_id)
);
create index runs_swarm_id_created_at_idx on public.runs (swarm_id, created_at desc);
create index runs_user_id_idx on public.runs (user_id) where user_id is not null;
create index runs_message_id_idx on public.runs (swarm_id, message_id) where message_id is not null;
-- A run that waits does not block the swarm; only a running one does.
create unique index runs_one_live_per_swarm on public.runs (swarm_id) where status = 'running';
-- Not the runs that wait for something, of which there can be many.
create index runs_claimable_idx on public.runs (swarm_id, queued_at, id) where status = 'queued' or can_continue;
create index runs_suspended_idx on public.runs (user_id) where status in ('requires_action', 'waiting');
create index runs_auto_respond_idx on public.runs (swarm_id)
  where status = 'queued' and request ->> 'source' = 'auto_respond';
alter table public.runs replica identity using index runs_swarm_id_id_key;
alter table public.runs enable row level security;
grant select on public.runs to authenticated;
grant select, insert, update, delete on public.runs to service_role, sb_service;

alter table public.messages add constraint messages_run_id_fkey foreign key (swarm_id, run_id)
  references public.runs (swarm_id, id) on delete set null (run_id);
create index messages_run_id_idx on public.messages (swarm_id, run_id) where run_id is not null;

-- Separate from the run: a heartbeat must neither rewrite a wide row nor appear in realtime.
create table private.run_leases (
  run_id uuid constraint run_leases_pkey primary key constraint run_leases_run_id_fkey
    references public.runs on delete cascade,
  owner text,
  fence bigint not null default 0,
  expires_at timestamptz,
  cancel_requested_at timestamptz,
  cancel_reason text constraint run_leases_cancel_reason_known
    check (cancel_reason in ('cancelled', 'interrupted', 'disconnected')),
  takeovers integer not null default 0,
  is_taken_over boolean not null default false,
  speaker_ids uuid[],
  granted_ids uuid[],
  session_id uuid,
  aal text,
  api_key_id uuid
) with (fillfactor = 60);
comment on column private.run_leases.takeovers is 'How often another node has taken over the run.';
comment on column private.run_leases.is_taken_over is 'The holder has taken over the run of a lost node.';
comment on column private.run_leases.session_id is
  'The session in which the run was started; null: none, or that of an API key.';
comment on column private.run_leases.aal is 'The assurance level of the session when the run was started.';
comment on column private.run_leases.api_key_id is
  'The API key that started the run. It stays after the key is revoked: the run never gets the rights of a person.';
comment on column private.run_leases.speaker_ids is
  'The agents that may speak in the run, as the service has decided; null: all enabled agents of the swarm.';
comment on column private.run_leases.granted_ids is
  'The agents that answer by a grant, which has counted the run. Others do not join it by one. Null: not known.';
create index run_leases_expires_at_idx on private.run_leases (expires_at);
alter table private.run_leases enable row level security;
grant select, insert, update, delete on private.run_leases to sb_service;

-- The state with which any node can resume a paused run. Contains prompts and tool outputs, so members cannot read it.
create table private.run_progress (
  run_id uuid constraint run_progress_pkey primary key constraint run_progress_run_id_fkey
    references public.runs on delete cascade,
  progress jsonb not null,
  saved_at timestamptz not null default now()
);
alter table private.run_progress enable row level security;
grant select, insert, update, delete on private.run_progress to sb_service;

-- The calls of its own tools that a call has sent with its conversation, with their results: those before the message
-- with this number. Rows belong to the text of the message, and are deleted with it.
create table private.sent_tool_results (
  swarm_id uuid not null constraint sent_tool_results_swarm_id_fkey references public.swarms on delete cascade,
  seq bigint not null,
  agent_id uuid not null constraint sent_tool_results_agent_id_fkey references public.agents on delete cascade,
  user_id uuid not null,
  results jsonb not null,
  -- The message says nothing else.
  are_alone boolean not null,
  constraint sent_tool_results_pkey primary key (swarm_id, seq)
);
create index sent_tool_results_agent_id_idx on private.sent_tool_results (agent_id);
alter table private.sent_tool_results enable row level security;
grant select, insert, update, delete on private.sent_tool_results to sb_service;

-- The signals of a run that came before a call of it waited for them. Deleted by the wait that they end, and with the
-- end of the run.
create table private.run_signals (
  id uuid default private.new_id() constraint run_signals_pkey primary key,
  run_id uuid not null constraint run_signals_run_id_fkey references public.runs on delete cascade,
  name text not null,
  data jsonb not null,
  sent_by text not null constraint run_signals_sent_by_known check (sent_by in ('starter', 'service')),
  created_at timestamptz not null default now()
);
create index run_signals_run_id_idx on private.run_signals (run_id, name, id);
alter table private.run_signals enable row level security;
grant select, insert, update, delete on private.run_signals to sb_service;

-- The images that a call sends to the models of its run. Stored with the run, for a node that takes it over, and
-- deleted with it.
create table private.run_images (
  run_id uuid not null constraint run_images_run_id_fkey references public.runs on delete cascade,
  position integer not null,
  name text not null,
  media_type text not null,
  data bytea not null,
  constraint run_images_pkey primary key (run_id, position)
);
alter table private.run_images enable row level security;
grant select, insert, update, delete on private.run_images to sb_service;

-- A key belongs to the run that a call started, or to what a write returned. Keys without a user are those of the
-- service role.
create table private.idempotency_keys (
  user_id uuid constraint idempotency_keys_user_id_fkey references auth.users on delete cascade,
  key text not null constraint idempotency_keys_key_length check (char_length(key) between 1 and 255),
  request_hash bytea not null,
  run_id uuid constraint idempotency_keys_run_id_fkey references public.runs on delete cascade,
  created_at timestamptz not null default now(),
  result text[],
  constraint idempotency_keys_user_id_key unique nulls not distinct (user_id, key)
);
comment on column private.idempotency_keys.result is
  'The rows that a write returned, from which its response is built again. Null: none, or the key belongs to a run.';
create index idempotency_keys_run_id_idx on private.idempotency_keys (run_id);
create index idempotency_keys_created_at_idx on private.idempotency_keys (created_at);
alter table private.idempotency_keys enable row level security;
grant select, insert, update, delete on private.idempotency_keys to sb_service;

-- The runs that extensions have started, by the keys that they have chosen: each starts one.
create table private.run_starts (
  extension text not null,
  key text not null constraint run_starts_key_length check (char_length(key) between 1 and 255),
  run_id uuid not null constraint run_starts_run_id_fkey references public.runs on delete cascade,
  constraint run_starts_pkey primary key (extension, key)
);
create index run_starts_run_id_idx on private.run_starts (run_id);
alter table private.run_starts enable row level security;
grant select, insert, update, delete on private.run_starts to sb_service;

create table public.run_turns (
  id uuid default private.new_id() constraint run_turns_pkey primary key,
  run_id uuid not null,
  swarm_id uuid not null,
  agent_id uuid constraint run_turns_agent_id_fkey references public.agents on delete set null,
  agent_name text not null,
  position integer not null,
  status text not null default 'thinking' constraint run_turns_status_known
    check (status in ('waiting', 'thinking', 'responding', 'completed', 'failed', 'cancelled')),
  framework text not null,
  model text not null,
  message_id uuid,
  finish_reason text,
  error jsonb,
  warnings jsonb not null default '[]',
  attempts integer not null default 0,
  first_token_ms integer,
  duration_ms integer,
  input_tokens bigint,
  cached_input_tokens bigint,
  output_tokens bigint,
  reasoning_tokens bigint,
  estimated boolean not null default false,
  cost_usd numeric(18, 9),
  started_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null default now(),
  -- No foreign key: a turn keeps the number after its agent was deleted.
  agent_version integer,
  -- What agents ask and tell each other.
  asked jsonb,
  handoff jsonb,
  -- The grant by which the starter of the run asks an agent of somebody else. Whoever asks by a grant does not read the
  -- row.
  grant_id uuid,
  -- The owner of the agent pays, and whoever asks does not see how much.
  hides_usage boolean not null default false,
  constraint run_turns_swarm_id_id_key unique (swarm_id, id),
  constraint run_turns_run_id_fkey foreign key (swarm_id, run_id)
    references public.runs (swarm_id, id) on delete cascade
);
create index run_turns_run_id_idx on public.run_turns (swarm_id, run_id, position);
-- Serves the foreign key as well, and the search for the turns of a version.
create index run_turns_agent_id_version_idx on public.run_turns (agent_id, agent_version) where agent_id is not null;
create index run_turns_grant_id_idx on public.run_turns (agent_id, status) where grant_id is not null;
create index run_turns_open_idx on public.run_turns (agent_id, status)
  where status in ('waiting', 'thinking', 'responding');
create index run_turns_asked_idx on public.run_turns (swarm_id, started_at) where asked is not null;
create index run_turns_handoff_idx on public.run_turns (swarm_id, finished_at) where handoff is not null;
alter table public.run_turns replica identity using index run_turns_swarm_id_id_key;
alter table public.run_turns enable row level security;
grant select on public.run_turns to authenticated;
grant select, insert, update, delete on public.run_turns to service_role, sb_service;

-- Agents whose status was not written with a change of their turns, because another transaction held the row. Append
-- only, so that runs of one agent do not wait for each other. private.settle_agent_statuses writes the status soon
-- afterwards and deletes the rows. No foreign keys: a row of an agent that is gone has no effect.
create table private.agent_status_marks (
  seq bigint generated always as identity constraint agent_status_marks_pkey primary key,
  agent_id uuid not null,
  run_id uuid not null,
  swarm_id uuid not null,
  reason text not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
alter table private.agent_status_marks enable row level security;
grant select, insert, update, delete on private.agent_status_marks to sb_service;

-- The prompt and settings of a turn. Separate from the turn, because members of the swarm read turns and only the
-- agent's owner may read these.
create table private.turn_snapshots (
  turn_id uuid constraint turn_snapshots_pkey primary key constraint turn_snapshots_turn_id_fkey
    references public.run_turns on delete cascade,
  config jsonb not null
);
alter table private.turn_snapshots enable row level security;
grant select, insert, update, delete on private.turn_snapshots to sb_service;

create table public.tool_executions (
  id uuid default private.new_id() constraint tool_executions_pkey primary key,
  run_id uuid not null,
  turn_id uuid not null constraint tool_executions_turn_id_fkey references public.run_turns on delete cascade,
  swarm_id uuid not null,
  agent_id uuid constraint tool_executions_agent_id_fkey references public.agents on delete set null,
  tool_id uuid constraint tool_executions_tool_id_fkey references public.tools on delete set null,
  tool_name text not null,
  tool_call_id text not null,
  -- The run of the sub-task that the call began. No foreign key: it is deleted with the run of the call alone.
  sub_run_id uuid,
  output_chars integer,
  truncated boolean not null default false,
  status text not null constraint tool_executions_status_known
    check (status in ('pending_approval', 'pending_client', 'waiting', 'running', 'succeeded', 'failed', 'denied',
      'timed_out', 'cancelled')),
  error jsonb,
  attempts integer not null default 0,
  duration_ms integer,
  decided_by uuid constraint tool_executions_decided_by_fkey references auth.users on delete set null,
  -- Who decides on a call that waits for an approval. Null: the owner of the agent, who is no member of the swarm, and
  -- whom those who ask do not learn. No foreign key, because the check would slow down every call.
  approver_id uuid,
  expires_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null default now(),
  constraint tool_executions_swarm_id_id_key unique (swarm_id, id),
  constraint tool_executions_run_id_fkey foreign key (swarm_id, run_id)
    references public.runs (swarm_id, id) on delete cascade
);
create index tool_executions_run_id_idx on public.tool_executions (swarm_id, run_id);
create index tool_executions_turn_id_idx on public.tool_executions (turn_id);
create index tool_executions_agent_id_idx on public.tool_executions (agent_id, swarm_id, run_id)
  where agent_id is not null;
create index tool_executions_tool_id_idx on public.tool_executions (tool_id) where tool_id is not null;
create index tool_executions_sub_run_id_idx on public.tool_executions (sub_run_id)
  where status = 'waiting' and sub_run_id is not null;
create index tool_executions_decided_by_idx on public.tool_executions (decided_by) where decided_by is not null;
create index tool_executions_approver_id_idx on public.tool_executions (approver_id) where status = 'pending_approval';
create index tool_executions_owner_decides_idx on public.tool_executions (agent_id)
  where status = 'pending_approval' and approver_id is null;
create index tool_executions_pending_idx on public.tool_executions (expires_at)
  where status in ('pending_approval', 'pending_client', 'waiting');
-- Those whose agent was deleted: nobody can decide on them, and nobody reads what they return.
create index tool_executions_abandoned_idx on public.tool_executions (id)
  where agent_id is null and status in ('pending_approval', 'pending_client', 'waiting');
alter table public.tool_executions replica identity using index tool_executions_swarm_id_id_key;
alter table public.tool_executions enable row level security;
grant select on public.tool_executions to authenticated;
grant select, insert, update, delete on public.tool_executions to service_role, sb_service;

-- Inputs and outputs of tools, for the agent's owner and the swarm's owner and admins. Other members see only the
-- execution.
create table public.tool_execution_payloads (
  tool_execution_id uuid constraint tool_execution_payloads_pkey primary key
    constraint tool_execution_payloads_tool_execution_id_fkey references public.tool_executions on delete cascade,
  swarm_id uuid not null constraint tool_execution_payloads_swarm_id_fkey references public.swarms on delete cascade,
  agent_id uuid constraint tool_execution_payloads_agent_id_fkey references public.agents on delete set null,
  input jsonb,
  output jsonb,
  -- A call whose tool asks a person. The answer is removed when the tool has it.
  question jsonb,
  answer jsonb,
  -- The starter of the run, if the tool acts for the starter where others can join: nobody else reads the row.
  private_to uuid,
  constraint tool_execution_payloads_swarm_id_key unique (swarm_id, tool_execution_id)
);
create index tool_execution_payloads_swarm_id_idx on public.tool_execution_payloads (swarm_id);
create index tool_execution_payloads_private_to_idx on public.tool_execution_payloads (private_to)
  where private_to is not null;
create index tool_execution_payloads_agent_id_idx on public.tool_execution_payloads (agent_id)
  where agent_id is not null;
alter table public.tool_execution_payloads replica identity using index tool_execution_payloads_swarm_id_key;
alter table public.tool_execution_payloads enable row level security;
grant select on public.tool_execution_payloads to authenticated;
grant select, insert, update, delete on public.tool_execution_payloads to service_role, sb_service;

-- Sub-tasks: the conversations that calls of tools of the kind `swarm` begin. The starter of the outer run owns such a
-- conversation and is no member of it, so that whatever members may do is closed to everybody.
create table private.sub_tasks (
  swarm_id uuid constraint sub_tasks_pkey primary key
    constraint sub_tasks_swarm_id_fkey references public.swarms on delete cascade,
  run_id uuid not null constraint sub_tasks_run_id_key unique,
  tool_execution_id uuid not null constraint sub_tasks_tool_execution_id_key unique,
  parent_run_id uuid not null constraint sub_tasks_parent_run_id_fkey references public.runs on delete cascade,
  parent_swarm_id uuid not null,
  -- The conversation of a person that all of this belongs to. Its budget of a day is that of the sub-tasks, too.
  root_swarm_id uuid not null,
  depth integer not null constraint sub_tasks_depth_range check (depth between 1 and 3),
  -- The swarm that the tool names, and whose guardrails apply.
  template_id uuid not null,
  -- The agent that has called the tool, and the owner of both: that owner's agents answer on the terms of this one.
  agent_id uuid not null,
  owner_id uuid not null,
  payer_id uuid not null,
  -- Who reads the conversation. Null: nobody; the call of the tool shows what was asked and answered.
  reader_id uuid,
  -- Whether readers of the runs around it know that it waits for somebody.
  is_announced boolean not null default true,
  created_at timestamptz not null default now()
);
create index sub_tasks_is_announced_idx on private.sub_tasks (run_id) where not is_announced;
create index sub_tasks_parent_run_id_idx on private.sub_tasks (parent_run_id);
create index sub_tasks_root_swarm_id_idx on private.sub_tasks (root_swarm_id);
create index sub_tasks_reader_id_idx on private.sub_tasks (reader_id) where reader_id is not null;
alter table private.sub_tasks enable row level security;
grant select, insert, update, delete on private.sub_tasks to sb_service;

-- The events that a stream replays. Restricted rows contain inputs and outputs of tools. Partitioned by the run, so
-- that all events of a run are in one partition and its key remains the primary key.
--
-- Foreign keys of a partition would lock the tables that they refer to whenever a partition is attached or dropped.
-- Triggers take their place. REST still embeds over them.
create table public.run_events (
  run_id uuid not null,
  seq integer not null,
  swarm_id uuid not null,
  -- No foreign key, because the check would slow down each of many short-lived rows.
  agent_id uuid,
  restricted boolean not null default false,
  type text not null,
  data jsonb not null,
  created_at timestamptz not null default now(),
  constraint run_events_pkey primary key (run_id, seq)
) partition by range (run_id);
create index run_events_swarm_id_idx on public.run_events (swarm_id, run_id);
create index run_events_created_at_idx on public.run_events using brin (created_at);
-- A deleted event has the columns that its policy needs; one of them can be null, so no index can be the identity.
alter table public.run_events replica identity full;
alter table public.run_events enable row level security;
grant select on public.run_events to authenticated;
grant select, insert, update, delete on public.run_events to service_role, sb_service;

-- The first partition has the whole range until it is closed. The service makes, closes and drops partitions while it
-- runs. Events are kept for a day: compressing the last one of each run, which has its whole result, costs more than
-- storing it as it is.
create table partitions.run_events_first partition of public.run_events for values from (minvalue) to (maxvalue)
  with (toast_tuple_target = 4080);
alter table partitions.run_events_first replica identity full;
alter table partitions.run_events_first enable row level security;

-- One row for each request to a model provider: the first attempt, retries and fallbacks. Written with the step of the
-- run that follows the call, so that it needs no transaction of its own.
create table public.model_calls (
  id uuid default private.new_id() constraint model_calls_pkey primary key,
  run_id uuid not null,
  -- Null for the selection of the next speaker, which belongs to no turn.
  turn_id uuid constraint model_calls_turn_id_fkey references public.run_turns on delete cascade,
  swarm_id uuid not null,
  -- No foreign key, because its check would slow down the end of every turn.
  agent_id uuid,
  attempt integer not null,
  framework text not null,
  model text not null,
  status text not null constraint model_calls_status_known check (status in ('succeeded', 'failed', 'cancelled')),
  finish_reason text,
  error jsonb,
  first_token_ms integer,
  duration_ms integer not null,
  input_tokens bigint,
  cached_input_tokens bigint,
  output_tokens bigint,
  reasoning_tokens bigint,
  estimated boolean not null default false,
  cost_usd numeric(18, 9),
  started_at timestamptz not null,
  finished_at timestamptz not null,
  created_at timestamptz not null default now(),
  -- As in run_turns.
  grant_id uuid,
  constraint model_calls_run_id_fkey foreign key (swarm_id, run_id)
    references public.runs (swarm_id, id) on delete cascade
);
create index model_calls_run_id_idx on public.model_calls (swarm_id, run_id);
create index model_calls_turn_id_idx on public.model_calls (turn_id) where turn_id is not null;
create index model_calls_created_at_idx on public.model_calls using brin (created_at);
alter table public.model_calls enable row level security;
grant select on public.model_calls to authenticated;
grant select, insert, update, delete on public.model_calls to service_role, sb_service;

-- What was sent to a model, one row for each call. Messages of the swarm are named by their number, so that their
-- text is stored once. Fewer people may read it than the call, because it has the system prompt of the agent's owner.
create table public.model_call_prompts (
  model_call_id uuid constraint model_call_prompts_pkey primary key
    constraint model_call_prompts_model_call_id_fkey references public.model_calls on delete cascade,
  swarm_id uuid not null,
  -- No foreign key, because its check would slow down the end of every turn.
  agent_id uuid not null,
  kept_messages integer not null,
  system text,
  messages jsonb not null,
  tools jsonb,
  tool_choice text not null,
  settings jsonb not null,
  max_output_tokens integer,
  sha256 text not null
);
create index model_call_prompts_agent_id_idx on public.model_call_prompts (agent_id);
alter table public.model_call_prompts enable row level security;
grant select on public.model_call_prompts to authenticated;
grant select, insert, update, delete on public.model_call_prompts to service_role, sb_service;

-- Runs that extensions have started and that have ended, until the extension has their outcome. Append only, because
-- the transaction that ends a run must not wait for rows of the extension.
create table private.ended_extension_runs (
  extension text,
  run_id uuid,
  source_id uuid not null,
  constraint ended_extension_runs_pkey primary key (extension, run_id)
);
alter table private.ended_extension_runs enable row level security;

-- after functions

create policy runs_select on public.runs for select to authenticated
  using (swarm_id = any (array(select private.my_swarm_ids()))
    or swarm_id = any (array(select private.my_transcript_ids())));
create policy runs_service on public.runs to service_role, sb_service using (true) with check (true);

create trigger runs_emit_update after update on public.runs for each row
  when (new.status is distinct from old.status) execute function private.emit_run_update();
create trigger runs_delete_events after delete on public.runs referencing old table as old_rows
  for each statement execute function private.delete_run_events();

create policy run_leases_service on private.run_leases to sb_service using (true) with check (true);
create policy run_progress_service on private.run_progress to sb_service using (true) with check (true);
create policy run_signals_service on private.run_signals to sb_service using (true) with check (true);
create policy run_images_service on private.run_images to sb_service using (true) with check (true);
create policy sent_tool_results_service on private.sent_tool_results to sb_service using (true) with check (true);
create policy idempotency_keys_service on private.idempotency_keys to sb_service using (true) with check (true);

create policy run_starts_service on private.run_starts to sb_service using (true) with check (true);
create policy sub_tasks_service on private.sub_tasks to sb_service using (true) with check (true);
-- Whoever ends the run of a sub-task: its status has no other way to a call that waits.
create trigger runs_end_sub_task after update of status on public.runs for each row
  when (old.finished_at is null and new.finished_at is not null and new.request ->> 'source' = 'sub_task')
  execute function private.end_sub_task();
create trigger sub_tasks_delete_swarm after delete on private.sub_tasks for each row
  execute function private.delete_sub_task_swarm();

create policy run_turns_select on public.run_turns for select to authenticated
  using ((grant_id is null and swarm_id = any (array(select private.my_swarm_ids())))
    or swarm_id = any (array(select private.my_transcript_ids())));
create policy run_turns_service on public.run_turns to service_role, sb_service using (true) with check (true);
create trigger run_turns_mark_agent after delete on public.run_turns for each row
  when (old.agent_id is not null and old.status in ('waiting', 'thinking', 'responding'))
  execute function private.mark_agent_of_deleted_turn();
create policy agent_status_marks_service on private.agent_status_marks to sb_service using (true) with check (true);
create policy turn_snapshots_service on private.turn_snapshots to sb_service using (true) with check (true);

-- In one place, whoever ends a call that waits.
create trigger tool_executions_settle_run after update on public.tool_executions for each row
  when (old.status in ('pending_approval', 'pending_client', 'waiting')
    and new.status not in ('pending_approval', 'pending_client', 'waiting'))
  execute function private.settle_suspended_run();
create policy tool_executions_select on public.tool_executions for select to authenticated
  using (swarm_id = any (array(select private.my_swarm_ids()))
    or swarm_id = any (array(select private.my_transcript_ids()))
    or id = any (array(select private.my_pending_execution_ids())));
create policy tool_executions_service on public.tool_executions to service_role, sb_service
  using (true) with check (true);

create policy tool_execution_payloads_select on public.tool_execution_payloads for select to authenticated
  using ((private_to = (select auth.uid()) and swarm_id = any (array(select private.my_swarm_ids())))
    or tool_execution_id = any (array(select private.my_pending_execution_ids()))
    or (private_to is null and (swarm_id = any (array(select private.my_managed_swarm_ids()))
      or (agent_id = any (array(select private.my_agent_ids()))
        and swarm_id = any (array(select private.my_swarm_ids())))
      or swarm_id = any (array(select private.my_transcript_ids())))));
create policy tool_execution_payloads_service on public.tool_execution_payloads to service_role, sb_service
  using (true) with check (true);

create policy run_events_select on public.run_events for select to authenticated
  using (swarm_id = any (array(select private.my_swarm_ids()))
         and (not restricted or swarm_id = any (array(select private.my_managed_swarm_ids()))
              or exists (select 1 from public.agents a
                         where a.id = run_events.agent_id and a.user_id = (select auth.uid())
                           and a.created_at <= run_events.created_at)));
create policy run_events_service on public.run_events to service_role, sb_service using (true) with check (true);

-- What a foreign key would do. The statements of the service lock the run themselves before they insert.
create trigger run_events_require_run before insert or update of run_id, swarm_id on public.run_events for each row
  when (current_user not in ('sb_service', 'swarmbase_owner')) execute function private.require_run();

-- A second partition: PostgreSQL 18 ignores planner settings for a table with a single one.
select private.close_last_partition('public.run_events', private.get_first_id(now() + interval '1 day'));

create policy model_calls_select on public.model_calls for select to authenticated
  using ((grant_id is null and swarm_id = any (array(select private.my_swarm_ids())))
    or swarm_id = any (array(select private.my_transcript_ids())));
create policy model_calls_service on public.model_calls to service_role, sb_service using (true) with check (true);

create policy model_call_prompts_select on public.model_call_prompts for select to authenticated
  using (agent_id = any (array(select private.my_agent_ids()))
    and (swarm_id = any (array(select private.my_swarm_ids()))
      or swarm_id = any (array(select private.my_transcript_ids()))));
create policy model_call_prompts_service on public.model_call_prompts to service_role, sb_service
  using (true) with check (true);
