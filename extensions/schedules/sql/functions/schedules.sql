-- What keeps the columns of schedules that the service manages.

-- Callers write what a schedule does; the service keeps the rest. One that is switched on, or gets other times, is
-- planned anew.
create or replace function ext_schedules.prepare_schedule() returns trigger language plpgsql
as $$
declare
  is_new constant boolean := tg_op = 'INSERT';
begin
  if current_user not in ('anon', 'authenticated', 'api_key', 'service_role') then
    return new;
  end if;
  new.name := private.trim_whitespace(new.name);
  new.next_run_at := case when not is_new then old.next_run_at end;
  new.due_at := case when not is_new then old.due_at end;
  new.waiting := case when not is_new then old.waiting end;
  new.retry_at := case when not is_new then old.retry_at end;
  new.open_run_id := case when not is_new then old.open_run_id end;
  new.last_outcomes := case when is_new then '[]' else old.last_outcomes end;
  new.failures := case when is_new then 0 else old.failures end;
  new.paused_reason := case when not is_new then old.paused_reason end;
  new.created_by_agent_id := case when not is_new then old.created_by_agent_id end;
  new.created_at := case when is_new then pg_catalog.now() else old.created_at end;
  new.updated_at := pg_catalog.now();
  if is_new or (new.enabled and not old.enabled) or (new.cron, new.time_zone, new.run_at, new.jitter_seconds)
      is distinct from (old.cron, old.time_zone, old.run_at, old.jitter_seconds) then
    new.next_run_at := null;
    new.due_at := null;
    new.waiting := null;
    new.retry_at := null;
    new.paused_reason := null;
    new.failures := 0;
  elsif not new.enabled then
    new.next_run_at := null;
    new.due_at := null;
    new.waiting := null;
    new.retry_at := null;
  end if;
  return new;
end
$$;

-- Somebody else may have prepared the account before its address was proven.
create or replace function ext_schedules.switch_off_schedules() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update public.schedules set enabled = false, next_run_at = null, due_at = null, waiting = null, retry_at = null, paused_reason = 'UNAUTHORIZED', updated_at = now()
    where user_id = new.id and enabled;
  return null;
end
$$;

-- Locks a schedule, and before it what its deletion would begin with: the account, the agent, the swarm. Null when the
-- schedule is gone, or without `waits` when another transaction holds one of them.
create or replace function ext_schedules.lock_schedule(schedule_id uuid, waits boolean) returns public.schedules
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  schedule public.schedules;
begin
  select s.* into schedule from public.schedules s where s.id = lock_schedule.schedule_id;
  if waits then
    perform 1 from auth.users u where u.id = schedule.user_id for key share;
    perform 1 from public.agents a where a.id = schedule.agent_id for key share;
    perform 1 from public.swarms s where s.id = schedule.swarm_id for key share;
    select s.* into schedule from public.schedules s where s.id = lock_schedule.schedule_id for no key update;
    return schedule;
  end if;
  perform 1 from auth.users u where u.id = schedule.user_id for key share skip locked;
  if not found then
    return null;
  end if;
  perform 1 from public.agents a where a.id = schedule.agent_id for key share skip locked;
  if not found and schedule.agent_id is not null then
    return null;
  end if;
  perform 1 from public.swarms s where s.id = schedule.swarm_id for key share skip locked;
  if not found and schedule.swarm_id is not null then
    return null;
  end if;
  select s.* into schedule from public.schedules s
  where s.id = lock_schedule.schedule_id for no key update skip locked;
  return schedule;
end
$$;
grant execute on function ext_schedules.lock_schedule(uuid, boolean) to sb_service;

-- Writes the outcome of a run that has ended, counts failures in a row, and lets a start that waits for the run go on.
-- False when another transaction holds the schedule.
create or replace function ext_schedules.settle_run(ended_id uuid, ended_schedule_id uuid) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  schedule public.schedules;
  run public.runs;
  has_failed boolean;
begin
  select s.* into schedule from public.schedules s where s.id = ended_schedule_id for no key update skip locked;
  if not found and exists (select 1 from public.schedules s where s.id = ended_schedule_id) then
    return false;
  end if;
  if schedule.id is null then
    return true;
  end if;
  select r.* into run from public.runs r where r.id = ended_id;
  -- A run that was cancelled says nothing about the schedule.
  has_failed := case run.status when 'failed' then true when 'completed' then false when 'partial' then false end;
  update public.schedules s set
    open_run_id = case when s.open_run_id = ended_id then null else s.open_run_id end,
    retry_at = case when s.open_run_id = ended_id and s.waiting = 'run' then now() else s.retry_at end,
    last_outcomes = coalesce((
      select jsonb_agg(case when o.value ->> 'run_id' = ended_id::text then o.value || jsonb_strip_nulls(
          jsonb_build_object('outcome', coalesce(run.status, 'deleted'), 'ended_at', coalesce(run.finished_at, now()),
            'code', run.error ->> 'code'))
        else o.value end order by o.position)
      from jsonb_array_elements(s.last_outcomes) with ordinality as o (value, position)), '[]'),
    failures = case has_failed when true then s.failures + 1 when false then 0 else s.failures end
  where s.id = schedule.id returning s.* into schedule;
  if has_failed and schedule.enabled and schedule.failures >= schedule.pause_after_failures
      and schedule.pause_after_failures > 0 then
    update public.schedules s set enabled = false, paused_reason = 'failures', next_run_at = null, due_at = null,
      waiting = null, retry_at = null
    where s.id = schedule.id;
  end if;
  return true;
end
$$;
grant execute on function ext_schedules.settle_run(uuid, uuid) to sb_service;
