-- Schedules of users: when an agent, or the agents of a swarm, get a message. The service starts the runs, and keeps
-- the columns from `next_run_at` on.

create table public.schedules (
  id uuid default private.new_id() constraint schedules_pkey primary key,
  user_id uuid not null default auth.uid() constraint schedules_user_id_fkey references auth.users on delete cascade,
  name text not null constraint schedules_name_length check (char_length(name) between 1 and 100),
  agent_id uuid constraint schedules_agent_id_fkey references public.agents on delete cascade,
  swarm_id uuid constraint schedules_swarm_id_fkey references public.swarms on delete cascade,
  message text not null constraint schedules_message_length check (char_length(message) between 1 and 32000),
  conversation text not null default 'own'
    constraint schedules_conversation_known check (conversation in ('own', 'new')),
  cron text constraint schedules_cron_length check (char_length(cron) between 9 and 200),
  time_zone text not null default 'UTC'
    constraint schedules_time_zone_length check (char_length(time_zone) between 1 and 64),
  run_at timestamptz constraint schedules_run_at_range check (run_at < '9000-01-01'),
  enabled boolean not null default true,
  max_tokens bigint constraint schedules_max_tokens_range check (max_tokens >= 1),
  max_cost_usd numeric(18, 9) constraint schedules_max_cost_usd_range check (max_cost_usd > 0),
  when_running text not null default 'skip'
    constraint schedules_when_running_known check (when_running in ('skip', 'queue')),
  when_missed text not null default 'last'
    constraint schedules_when_missed_known check (when_missed in ('skip', 'last')),
  jitter_seconds integer not null default 0
    constraint schedules_jitter_seconds_range check (jitter_seconds between 0 and 3600),
  pause_after_failures integer not null default 5
    constraint schedules_pause_after_failures_range check (pause_after_failures between 0 and 100),
  next_run_at timestamptz,
  -- The time to which the jitter of next_run_at was added. While a start waits, the time that waits.
  due_at timestamptz,
  waiting text constraint schedules_waiting_known check (waiting in ('limit', 'run', 'service')),
  retry_at timestamptz,
  open_run_id uuid,
  last_outcomes jsonb not null default '[]',
  failures integer not null default 0,
  paused_reason text,
  -- Kept after the key is revoked: the runs never get the rights of a person.
  api_key_id uuid,
  api_key_scopes text[],
  created_by_agent_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint schedules_agent_id_or_swarm_id check (num_nonnulls(agent_id, swarm_id) = 1),
  constraint schedules_cron_or_run_at check (num_nonnulls(cron, run_at) = 1),
  constraint schedules_id_user_id_key unique (id, user_id)
);
create index schedules_user_id_idx on public.schedules (user_id);
create index schedules_agent_id_idx on public.schedules (agent_id) where agent_id is not null;
create index schedules_swarm_id_idx on public.schedules (swarm_id) where swarm_id is not null;
-- When a node has to look at a schedule again; those that were never planned come first.
create index schedules_wake_idx on public.schedules ((coalesce(retry_at, next_run_at, '-infinity'))) where enabled;
create index schedules_created_by_agent_id_idx on public.schedules (created_by_agent_id, user_id)
  where created_by_agent_id is not null;
alter table public.schedules replica identity using index schedules_id_user_id_key;
alter table public.schedules enable row level security;
grant select, insert, update, delete on public.schedules to authenticated, service_role, sb_service;
grant usage on schema ext_schedules to authenticated, service_role, sb_service;

alter publication swarmbase add table public.schedules;

-- after functions

create policy schedules_select on public.schedules for select to authenticated
  using (user_id = (select auth.uid()));
create policy schedules_insert on public.schedules for insert to authenticated
  with check (user_id = (select auth.uid())
    and (agent_id is null or agent_id = any (array(select private.my_agent_ids()))
      or agent_id = any (array(select private.my_granted_agent_ids())))
    and (swarm_id is null or swarm_id = any (array(select private.my_writable_swarm_ids()))));
create policy schedules_update on public.schedules for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy schedules_delete on public.schedules for delete to authenticated
  using (user_id = (select auth.uid()));
create policy schedules_service on public.schedules to service_role, sb_service using (true) with check (true);

-- A schedule starts runs, stores messages, and goes on when its key is forgotten.
create policy schedules_key_select on public.schedules as restrictive for select to api_key
  using ((select private.require_scopes('read')) is not null and ((select private.require_scopes('read'))
    or agent_id = any (array(select private.key_agent_ids())) or swarm_id = any (array(select private.key_swarm_ids()))));
create policy schedules_key_insert on public.schedules as restrictive for insert to api_key
  with check ((select private.require_scopes('run', 'write', 'share')) is not null
    and ((select private.require_scopes('run', 'write', 'share'))
      or agent_id = any (array(select private.key_agent_ids()))
      or swarm_id = any (array(select private.key_swarm_ids()))));
create policy schedules_key_update on public.schedules as restrictive for update to api_key
  using ((select private.require_scopes('run', 'write', 'share')) is not null
    and ((select private.require_scopes('run', 'write', 'share'))
      or agent_id = any (array(select private.key_agent_ids()))
      or swarm_id = any (array(select private.key_swarm_ids()))));
create policy schedules_key_delete on public.schedules as restrictive for delete to api_key
  using ((select private.require_scopes('run', 'write', 'share')) is not null
    and ((select private.require_scopes('run', 'write', 'share'))
      or agent_id = any (array(select private.key_agent_ids()))
      or swarm_id = any (array(select private.key_swarm_ids()))));

create trigger schedules_immutable before update on public.schedules for each row
  when (new.id is distinct from old.id or new.agent_id is distinct from old.agent_id
    or new.swarm_id is distinct from old.swarm_id)
  execute function private.reject_change('id', 'agent_id', 'swarm_id');
create trigger schedules_owner before update on public.schedules for each row
  when (new.user_id is distinct from old.user_id) execute function private.reject_transfer('user_id');
create trigger schedules_limit after insert on public.schedules for each row
  execute function private.limit_rows_of_user('1000');
create trigger schedules_keep_key before insert or update on public.schedules for each row
  execute function private.keep_key_of_writer();
create trigger schedules_prepare before insert or update on public.schedules for each row
  execute function ext_schedules.prepare_schedule();
create trigger schedules_wake after insert or update on public.schedules for each row
  when (new.enabled and new.next_run_at is null) execute function private.wake_extension_of_row('schedules');

create trigger users_switch_off_schedules after update of access_removed_at on auth.users for each row
  when (new.access_removed_at is distinct from old.access_removed_at)
  execute function ext_schedules.switch_off_schedules();
create trigger runs_note_end_of_schedule after update on public.runs for each row
  when (new.cause ->> 'extension' = 'schedules' and new.stop_reason is not null and old.stop_reason is null)
  execute function private.note_ended_run('schedules', 'id');
create trigger runs_note_deletion_of_schedule after delete on public.runs for each row
  when (old.cause ->> 'extension' = 'schedules' and old.stop_reason is null)
  execute function private.note_ended_run('schedules', 'id');
