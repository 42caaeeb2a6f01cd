-- Triggers of users: addresses that other systems call to start an agent or a swarm. The service checks the calls,
-- stores them and starts the runs, and keeps the columns of triggers from `has_secret` on.

create table public.triggers (
  id uuid default private.new_id() constraint triggers_pkey primary key,
  user_id uuid not null default auth.uid() constraint triggers_user_id_fkey references auth.users on delete cascade,
  name text not null constraint triggers_name_length check (char_length(name) between 1 and 100),
  agent_id uuid constraint triggers_agent_id_fkey references public.agents on delete cascade,
  swarm_id uuid constraint triggers_swarm_id_fkey references public.swarms on delete cascade,
  message text not null constraint triggers_message_length check (char_length(message) between 1 and 8000),
  conversation text not null default 'own'
    constraint triggers_conversation_known check (conversation in ('own', 'new')),
  verification text not null constraint triggers_verification_known
    check (verification in ('stripe', 'github', 'slack', 'standard_webhooks', 'hmac', 'bearer')),
  -- The four of `hmac`.
  signature_header text not null default 'X-Signature'
    constraint triggers_signature_header_format check (signature_header ~ '^[A-Za-z0-9-]{1,100}$'),
  signature_algorithm text not null default 'sha256'
    constraint triggers_signature_algorithm_known check (signature_algorithm in ('sha256', 'sha512', 'sha1')),
  signature_encoding text not null default 'hex'
    constraint triggers_signature_encoding_known check (signature_encoding in ('hex', 'base64')),
  signature_prefix text not null default ''
    constraint triggers_signature_prefix_length check (char_length(signature_prefix) <= 50),
  -- Where the payload has the sender's id of the event, for senders without a documented place.
  event_id_path text constraint triggers_event_id_path_length check (char_length(event_id_path) between 1 and 200),
  -- Conditions on the payload, in the language of webhooks.filter.
  filter jsonb constraint triggers_filter_size check (octet_length(filter::text) <= 4096),
  replay_window_seconds integer not null default 300
    constraint triggers_replay_window_seconds_range check (replay_window_seconds between 10 and 3600),
  enabled boolean not null default true,
  calls_per_minute integer not null default 60
    constraint triggers_calls_per_minute_range check (calls_per_minute between 1 and 6000),
  max_payload_bytes integer not null default 262144
    constraint triggers_max_payload_bytes_range check (max_payload_bytes between 1 and 1048576),
  retention_days integer not null default 30
    constraint triggers_retention_days_range check (retention_days between 1 and 365),
  max_tokens bigint constraint triggers_max_tokens_range check (max_tokens >= 1),
  max_cost_usd numeric(18, 9) constraint triggers_max_cost_usd_range check (max_cost_usd > 0),
  -- Tools that act for the user and can write, and that its runs call without an approval.
  allowed_tools text[] not null default '{}' constraint triggers_allowed_tools_length
    check (cardinality(allowed_tools) <= 50 and array_position(allowed_tools, null) is null
      and octet_length(array_to_string(allowed_tools, ',')) <= 4096),
  pause_after_failures integer not null default 5
    constraint triggers_pause_after_failures_range check (pause_after_failures between 0 and 100),
  has_secret boolean not null default false,
  failures integer not null default 0,
  skipped bigint not null default 0,
  paused_reason text,
  -- When the limit of calls, and the check of a signature, rejected a call last; about once a minute.
  limited_at timestamptz,
  unverified_at timestamptz,
  -- Kept after the key is revoked: the runs never get the rights of a person.
  api_key_id uuid,
  api_key_scopes text[],
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint triggers_agent_id_or_swarm_id check (num_nonnulls(agent_id, swarm_id) = 1),
  constraint triggers_id_user_id_key unique (id, user_id)
);
create index triggers_user_id_idx on public.triggers (user_id);
create index triggers_agent_id_idx on public.triggers (agent_id) where agent_id is not null;
create index triggers_swarm_id_idx on public.triggers (swarm_id) where swarm_id is not null;
alter table public.triggers replica identity using index triggers_id_user_id_key;
alter table public.triggers enable row level security;
grant select, insert, update, delete on public.triggers to authenticated, service_role, sb_service;
grant usage on schema ext_triggers to authenticated, service_role, sb_service;

-- The calls that were accepted. The service writes the rows.
create table public.trigger_calls (
  id uuid default private.new_id() constraint trigger_calls_pkey primary key,
  trigger_id uuid not null,
  user_id uuid not null,
  -- What two calls for the same event have in common: the sender's id, or a digest of what was signed.
  event_id text not null,
  event_type text,
  -- Text, so that a replay has the same numbers and the same order.
  payload json not null,
  status text not null default 'waiting' constraint trigger_calls_status_known check (status in
    ('waiting', 'started', 'completed', 'partial', 'failed', 'cancelled', 'deleted', 'rejected', 'loop_detected')),
  error jsonb,
  run_id uuid,
  swarm_id uuid,
  -- How many runs of triggers, one after the other, led to this call.
  depth integer not null default 0,
  -- The call whose payload was sent again.
  replays uuid,
  retry_at timestamptz,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  constraint trigger_calls_trigger_id_fkey foreign key (trigger_id, user_id)
    references public.triggers (id, user_id) on delete cascade,
  constraint trigger_calls_id_user_id_key unique (id, user_id)
);
create unique index trigger_calls_event_id_key on public.trigger_calls (trigger_id, event_id) where replays is null;
create index trigger_calls_trigger_id_idx on public.trigger_calls (trigger_id, user_id, created_at desc);
create index trigger_calls_user_id_idx on public.trigger_calls (user_id, created_at desc);
create index trigger_calls_waiting_idx on public.trigger_calls (retry_at) where status = 'waiting';
create index trigger_calls_waiting_of_trigger_idx on public.trigger_calls (trigger_id, retry_at)
  where status = 'waiting';
alter table public.trigger_calls replica identity using index trigger_calls_id_user_id_key;
alter table public.trigger_calls enable row level security;
grant select on public.trigger_calls to authenticated, service_role;
grant select, insert, update, delete on public.trigger_calls to sb_service;

create table ext_triggers.secrets (
  trigger_id uuid constraint secrets_pkey primary key
    constraint secrets_trigger_id_fkey references public.triggers on delete cascade,
  secret_wrapped bytea not null
);
alter table ext_triggers.secrets enable row level security;
grant select, insert, update, delete on ext_triggers.secrets to sb_service;

-- The calls of the current minute of each trigger, for all nodes.
create table ext_triggers.windows (
  trigger_id uuid constraint windows_pkey primary key
    constraint windows_trigger_id_fkey references public.triggers on delete cascade,
  ends_at timestamptz not null,
  calls integer not null
);
alter table ext_triggers.windows enable row level security;
grant select, insert, update, delete on ext_triggers.windows to sb_service;

alter publication swarmbase add table public.triggers, public.trigger_calls;

-- after functions

create policy secrets_service on ext_triggers.secrets to sb_service using (true) with check (true);
create policy windows_service on ext_triggers.windows to sb_service using (true) with check (true);

create policy triggers_select on public.triggers for select to authenticated
  using (user_id = (select auth.uid()));
create policy triggers_insert on public.triggers for insert to authenticated
  with check (user_id = (select auth.uid())
    and (agent_id is null or agent_id = any (array(select private.my_agent_ids()))
      or agent_id = any (array(select private.my_granted_agent_ids())))
    and (swarm_id is null or swarm_id = any (array(select private.my_writable_swarm_ids()))));
create policy triggers_update on public.triggers for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy triggers_delete on public.triggers for delete to authenticated
  using (user_id = (select auth.uid()));
create policy triggers_service on public.triggers to service_role, sb_service using (true) with check (true);

create policy trigger_calls_select on public.trigger_calls for select to authenticated
  using (user_id = (select auth.uid()));
create policy trigger_calls_service on public.trigger_calls to service_role, sb_service using (true) with check (true);

-- A trigger starts runs, stores messages, and goes on when its key is forgotten.
create policy triggers_key_select on public.triggers as restrictive for select to api_key
  using ((select private.require_scopes('read')) is not null and ((select private.require_scopes('read'))
    or agent_id = any (array(select private.key_agent_ids())) or swarm_id = any (array(select private.key_swarm_ids()))));
create policy triggers_key_insert on public.triggers as restrictive for insert to api_key
  with check ((select private.require_scopes('run', 'write', 'share')) is not null
    and ((select private.require_scopes('run', 'write', 'share'))
      or agent_id = any (array(select private.key_agent_ids()))
      or swarm_id = any (array(select private.key_swarm_ids()))));
create policy triggers_key_update on public.triggers as restrictive for update to api_key
  using ((select private.require_scopes('run', 'write', 'share')) is not null
    and ((select private.require_scopes('run', 'write', 'share'))
      or agent_id = any (array(select private.key_agent_ids()))
      or swarm_id = any (array(select private.key_swarm_ids()))))
  -- What the trigger names is called without an approval.
  with check (cardinality(allowed_tools) = 0 or (select private.require_scopes('approve')) is not null);
create policy triggers_key_insert_allowed on public.triggers as restrictive for insert to api_key
  with check (cardinality(allowed_tools) = 0 or (select private.require_scopes('approve')) is not null);
create policy triggers_key_delete on public.triggers as restrictive for delete to api_key
  using ((select private.require_scopes('run', 'write', 'share')) is not null
    and ((select private.require_scopes('run', 'write', 'share'))
      or agent_id = any (array(select private.key_agent_ids()))
      or swarm_id = any (array(select private.key_swarm_ids()))));
create policy trigger_calls_key_select on public.trigger_calls as restrictive for select to api_key
  using ((select private.require_scopes('read')) is not null and ((select private.require_scopes('read'))
    or trigger_id in (select t.id from public.triggers t)));

create trigger triggers_immutable before update on public.triggers for each row
  when (new.id is distinct from old.id or new.agent_id is distinct from old.agent_id
    or new.swarm_id is distinct from old.swarm_id)
  execute function private.reject_change('id', 'agent_id', 'swarm_id');
create trigger triggers_owner before update on public.triggers for each row
  when (new.user_id is distinct from old.user_id) execute function private.reject_transfer('user_id');
create trigger triggers_limit after insert on public.triggers for each row
  execute function private.limit_rows_of_user('100');
create trigger triggers_keep_key before insert or update on public.triggers for each row
  execute function private.keep_key_of_writer();
create trigger triggers_prepare before insert or update on public.triggers for each row
  execute function ext_triggers.prepare_trigger();
create trigger triggers_forget_secret after update on public.triggers for each row
  when (new.verification is distinct from old.verification) execute function ext_triggers.forget_secret();
create trigger triggers_note_allowed_tools after update on public.triggers for each row
  when (new.allowed_tools is distinct from old.allowed_tools) execute function ext_triggers.note_allowed_tools();
create trigger triggers_forget_allowed_tools after delete on public.triggers for each row
  execute function ext_triggers.note_allowed_tools();
create trigger triggers_wake after update on public.triggers for each row
  when (new.enabled and not old.enabled) execute function private.wake_extension_of_row('triggers');

create trigger users_switch_off_triggers after update of access_removed_at on auth.users for each row
  when (new.access_removed_at is distinct from old.access_removed_at)
  execute function ext_triggers.switch_off_triggers();
create trigger runs_note_end_of_trigger after update on public.runs for each row
  when (new.cause ->> 'extension' = 'triggers' and new.stop_reason is not null and old.stop_reason is null)
  execute function private.note_ended_run('triggers', 'call_id');
create trigger runs_note_deletion_of_trigger after delete on public.runs for each row
  when (old.cause ->> 'extension' = 'triggers' and old.stop_reason is null)
  execute function private.note_ended_run('triggers', 'call_id');
