-- What keeps the columns of triggers that the service manages, and the locks and counts of its nodes.

-- Callers write what a trigger does; the service keeps the rest. A secret belongs to one kind of verification.
create or replace function ext_triggers.prepare_trigger() returns trigger language plpgsql
as $$
declare
  is_new constant boolean := tg_op = 'INSERT';
begin
  if current_user not in ('anon', 'authenticated', 'api_key', 'service_role') then
    return new;
  end if;
  new.name := private.trim_whitespace(new.name);
  new.has_secret := case when is_new then false else old.has_secret end;
  new.failures := case when is_new then 0 else old.failures end;
  new.skipped := case when is_new then 0 else old.skipped end;
  new.paused_reason := case when not is_new then old.paused_reason end;
  new.limited_at := case when not is_new then old.limited_at end;
  new.unverified_at := case when not is_new then old.unverified_at end;
  new.created_at := case when is_new then pg_catalog.now() else old.created_at end;
  new.updated_at := pg_catalog.now();
  if new.filter is not null and (is_new or new.filter is distinct from old.filter) then
    perform private.require_filter(new.filter, 'triggers');
    new.filter := nullif(new.filter, '{}');
  end if;
  if not is_new and new.verification <> old.verification then
    new.has_secret := false;
  end if;
  if not is_new and new.enabled and not old.enabled then
    new.paused_reason := null;
    new.failures := 0;
  end if;
  return new;
end
$$;

-- Somebody else may have prepared the account before its address was proven.
create or replace function ext_triggers.switch_off_triggers() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update public.triggers set enabled = false, paused_reason = 'UNAUTHORIZED', updated_at = now()
    where user_id = new.id and enabled;
  return null;
end
$$;

create or replace function ext_triggers.forget_secret() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  delete from ext_triggers.secrets s where s.trigger_id = new.id;
  return null;
end
$$;

-- What the trigger names no longer, its earlier runs ask for from now on.
create or replace function ext_triggers.note_allowed_tools() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update private.outside_senders o
  set allowed_tools = case when tg_op = 'DELETE' then '{}' else new.allowed_tools end
  where o.sender = 'triggers ' || old.id;
  return null;
end
$$;

-- Locks a trigger against its deletion, and before it what that deletion would begin with: the account, the agent, the
-- swarm. Null when the trigger is gone.
create or replace function ext_triggers.lock_trigger(trigger_id uuid) returns public.triggers
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  found_trigger public.triggers;
begin
  select t.* into found_trigger from public.triggers t where t.id = lock_trigger.trigger_id;
  perform 1 from auth.users u where u.id = found_trigger.user_id for key share;
  perform 1 from public.agents a where a.id = found_trigger.agent_id for key share;
  perform 1 from public.swarms s where s.id = found_trigger.swarm_id for key share;
  select t.* into found_trigger from public.triggers t where t.id = lock_trigger.trigger_id for key share;
  return found_trigger;
end
$$;
grant execute on function ext_triggers.lock_trigger(uuid) to sb_service;

-- Counts a call of a trigger. Returns null, or beyond the limit the seconds until calls are accepted again.
create or replace function ext_triggers.take_call(trigger_id uuid, max_calls integer) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  taken ext_triggers.windows;
begin
  insert into ext_triggers.windows as w (trigger_id, ends_at, calls)
  select t.id, now() + interval '1 minute', 1 from public.triggers t where t.id = take_call.trigger_id
  on conflict on constraint windows_pkey do update set
    calls = case when w.ends_at <= now() then 1 else w.calls + 1 end,
    ends_at = case when w.ends_at <= now() then excluded.ends_at else w.ends_at end
  returning w.* into taken;
  if taken.trigger_id is null or taken.calls <= max_calls then
    return null;
  end if;
  if taken.calls = max_calls + 1 then
    update public.triggers t set limited_at = now() where t.id = take_call.trigger_id;
  end if;
  return greatest(1, ceil(extract(epoch from taken.ends_at - now())))::integer;
end
$$;
grant execute on function ext_triggers.take_call(uuid, integer) to sb_service;

-- Whether the filter of a trigger does not let a payload pass. Counts it then.
create or replace function ext_triggers.skip_call(trigger_id uuid, payload text) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  passes boolean;
begin
  begin
    select private.passes_filter(t.filter, skip_call.payload::jsonb) is true into passes
    from public.triggers t where t.id = skip_call.trigger_id and t.filter is not null;
  exception when data_exception then
    -- JSON that jsonb does not have: the character U+0000, and numbers with too many digits.
    passes := false;
  end;
  if passes is not false then
    return false;
  end if;
  update public.triggers t set skipped = t.skipped + 1 where t.id = skip_call.trigger_id;
  return true;
end
$$;
grant execute on function ext_triggers.skip_call(uuid, text) to sb_service;

-- How many runs of triggers led to a call that the service itself has sent: a delivery of a webhook, or a call of a tool.
-- Of a delivery whose event names no run, the latest run of its swarm counts.
create or replace function ext_triggers.find_depth(delivery_id uuid, execution_id uuid) returns integer
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if delivery_id is null and execution_id is null then
    return 0;
  end if;
  return (
    with sender as (
      select x.run_id from public.tool_executions x where x.id = execution_id
      union all
      select coalesce(private.parse_uuid(d.payload #>> '{data,run_id}'), (
        select r.id from public.runs r where r.swarm_id = private.parse_uuid(d.payload #>> '{data,swarm_id}')
        order by r.created_at desc limit 1))
      from public.webhook_deliveries d where d.id = delivery_id),
    around as (
      select r.id, r.swarm_id from sender s join public.runs r on r.id = s.run_id
      union all
      select t.parent_run_id, t.parent_swarm_id from sender s join public.runs r on r.id = s.run_id
      cross join private.list_outer_tasks(r.swarm_id) as t)
    select coalesce(max((r.cause ->> 'depth')::integer) + 1, 0)
    from around a join public.runs r on r.swarm_id = a.swarm_id and r.id = a.id
    where r.cause ->> 'extension' = 'triggers');
end
$$;
grant execute on function ext_triggers.find_depth(uuid, uuid) to sb_service;

-- Counts a failure of a trigger, and switches it off when there were as many in a row as it allows, or for a reason
-- that it cannot get over by itself.
create or replace function ext_triggers.count_failure(trigger_id uuid, reason text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update public.triggers t set failures = t.failures + 1,
    enabled = t.enabled and not after.is_paused,
    paused_reason = case when t.enabled and after.is_paused then coalesce(reason, 'failures') else t.paused_reason end
  from (select count_failure.reason is not null or n.pause_after_failures > 0
          and n.failures + 1 >= n.pause_after_failures as is_paused
        from public.triggers n where n.id = count_failure.trigger_id) as after
  where t.id = count_failure.trigger_id;
end
$$;
grant execute on function ext_triggers.count_failure(uuid, text) to sb_service;

-- Writes the outcome of a run that has ended, and counts failures in a row. False when another transaction holds the call.
create or replace function ext_triggers.settle_run(ended_id uuid, ended_call_id uuid) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  ended_call public.trigger_calls;
  run public.runs;
begin
  select c.* into ended_call from public.trigger_calls c where c.id = ended_call_id for no key update skip locked;
  if not found and exists (select 1 from public.trigger_calls c where c.id = ended_call_id) then
    return false;
  end if;
  if ended_call.id is null then
    return true;
  end if;
  select r.* into run from public.runs r where r.id = ended_id;
  update public.trigger_calls c set status = coalesce(run.status, 'deleted'),
    error = coalesce(run.error, case when run.status = 'failed' then jsonb_build_object('code', run.stop_reason) end),
    finished_at = coalesce(run.finished_at, now())
  where c.id = ended_call.id;
  -- A run that was cancelled says nothing about the trigger.
  if run.status = 'failed' then
    perform ext_triggers.count_failure(ended_call.trigger_id, null);
  elsif run.status in ('completed', 'partial') then
    update public.triggers t set failures = 0 where t.id = ended_call.trigger_id and t.failures > 0;
  end if;
  return true;
end
$$;
grant execute on function ext_triggers.settle_run(uuid, uuid) to sb_service;
