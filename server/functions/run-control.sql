-- How people steer a run after its admission: cancel it, decide on its tool calls, follow it. A rejected call raises an
-- error, so that nothing of the attempt stays; the detail of the error is JSON with the code and, where there is one, a
-- message for each field.

-- that nothing of the attempt stays; the error's detail is JSON with the code and, where there is one, a message per
-- field.
create or replace function private.refuse_call(code text, details jsonb default null) returns void language plpgsql
as $$
begin
  raise exception 'refused: %', code using errcode = 'SB126',
    detail = jsonb_build_object('code', code, 'details', details)::text;
end
$$;
grant execute on function private.refuse_call(text, jsonb) to sb_service;

-- Whose streams go on, and with what they may show. Asked when somebody begins to follow and then again every few
-- seconds, for all at once. A follower without a user is the service role.
create or replace function private.judge_followers(followers jsonb)
returns table (follower integer, swarm_id uuid, status text, is_manager boolean, agent_ids uuid[])
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select f.follower, r.swarm_id, r.status, f.user_id is null or m.role in ('owner', 'admin'),
    -- An agent that took over the id of a deleted one is none of those that spoke.
    array(select sa.agent_id from public.swarm_agents sa
          join public.agents a on a.id = sa.agent_id and a.created_at <= r.created_at
          where sa.swarm_id = r.swarm_id and sa.user_id = f.user_id)
  from jsonb_to_recordset(followers)
    as f (follower integer, run_id uuid, user_id uuid, session_id uuid, inactivity_seconds integer)
  join public.runs r on r.id = f.run_id
  left join public.swarm_members m on m.swarm_id = r.swarm_id and m.user_id = f.user_id and m.status = 'active'
  where f.user_id is null
    or (m.id is not null
        and exists (select 1 from auth.users u
                    where u.id = f.user_id and u.deleted_at is null and coalesce(u.banned_until <= now(), true))
        and (f.session_id is null
             or exists (select 1 from auth.sessions s
                        where s.id = f.session_id and s.user_id = f.user_id and coalesce(s.not_after > now(), true)
                          and (coalesce(f.inactivity_seconds, 0) = 0
                               or coalesce(s.refreshed_at, s.created_at)
                                 + make_interval(secs => f.inactivity_seconds) > now()))))
$$;
grant execute on function private.judge_followers(jsonb) to sb_service;

-- The run, for somebody who wants to steer it. Whoever may not see it is not told that it is there.
create or replace function private.lock_run_for(
  run_id uuid, user_id uuid, is_service boolean, out run public.runs, out member_role text
)
language plpgsql volatile
as $$
begin
  select m.role into member_role from public.runs r
  join public.swarm_members m on m.swarm_id = r.swarm_id and m.user_id = lock_run_for.user_id and m.status = 'active'
  where r.id = lock_run_for.run_id;
  if not is_service and member_role is null then
    perform private.refuse_call('RUN_NOT_FOUND');
  end if;
  select * into run from public.runs r where r.id = lock_run_for.run_id for no key update;
  if not found then
    perform private.refuse_call('RUN_NOT_FOUND');
  end if;
end
$$;
grant execute on function private.lock_run_for(uuid, uuid, boolean) to sb_service;

-- A run that works is told to stop and does so by itself; one that nobody carries out ends here and now.
create or replace function private.request_cancel(run_id uuid, reason text) returns void language plpgsql volatile
as $$
declare
  run public.runs;
begin
  perform 1 from public.swarms s
  where s.id = (select r.swarm_id from public.runs r where r.id = request_cancel.run_id) for key share;
  select r.* into run from public.runs r where r.id = request_cancel.run_id for no key update;
  if not found or run.status in ('completed', 'partial', 'failed', 'cancelled') then
    return;
  end if;
  update private.run_leases l
  set cancel_requested_at = coalesce(l.cancel_requested_at, now()),
    cancel_reason = coalesce(l.cancel_reason, request_cancel.reason)
  where l.run_id = request_cancel.run_id;
  if run.status <> 'running' then
    perform private.close_run(run, 'cancelled', case reason when 'interrupted' then 'interrupted' else 'cancelled' end,
      null,
      case reason when 'interrupted' then 'interrupted' else 'cancelled' end, 'cancelled');
  end if;
end
$$;
grant execute on function private.request_cancel(uuid, text) to sb_service;

-- The caller of a run and those who run the swarm may end it. Ending one that has ended changes nothing.
create or replace function private.cancel_run(run_id uuid, user_id uuid, is_service boolean) returns json
language plpgsql volatile
as $$
declare
  steered record;
begin
  select * into steered from private.lock_run_for(cancel_run.run_id, cancel_run.user_id, is_service);
  if not is_service and (steered.member_role is null
      or (steered.member_role not in ('owner', 'admin')
        and (steered.run).user_id is distinct from cancel_run.user_id)) then
    perform private.refuse_call('FORBIDDEN');
  end if;
  perform private.request_cancel(cancel_run.run_id, 'cancelled');
  return private.run_body(cancel_run.run_id, cancel_run.user_id, is_service);
end
$$;
grant execute on function private.cancel_run(uuid, uuid, boolean) to sb_service;

-- Only the agent's owner decides, each tool call once and in time, and either all of the decisions hold or none.
create or replace function private.decide_tool_executions(call jsonb) returns json language plpgsql volatile
as $$
declare
  caller uuid := call ->> 'user_id';
  steered record;
  decision record;
  execution record;
begin
  select * into steered
  from private.lock_run_for((call ->> 'run_id')::uuid, caller, (call ->> 'is_service')::boolean);
  for decision in
    select item.ordinality - 1 as place, (item.value ->> 'tool_execution_id')::uuid as id,
      (item.value ->> 'approved')::boolean as approved, item.value ->> 'reason' as reason
    from jsonb_array_elements(call -> 'decisions') with ordinality as item (value, ordinality)
  loop
    select x.status, x.expires_at, a.user_id into execution from public.tool_executions x
    left join public.agents a on a.id = x.agent_id
    where x.id = decision.id and x.swarm_id = (steered.run).swarm_id and x.run_id = (steered.run).id
    for no key update of x;
    if not found then
      perform private.refuse_call('VALIDATION_ERROR', jsonb_build_object(
        format('decisions.%s.tool_execution_id', decision.place), 'is not a tool execution of this run'));
    elsif execution.user_id is distinct from caller then
      perform private.refuse_call('FORBIDDEN');
    elsif execution.status <> 'pending_approval' then
      perform private.refuse_call('APPROVAL_DECIDED');
    elsif execution.expires_at <= now() then
      perform private.refuse_call('APPROVAL_EXPIRED');
    end if;
    if decision.approved then
      update public.tool_executions x set status = 'running', decided_by = caller where x.id = decision.id;
    else
      perform private.deny_tool(steered.run, decision.id, caller, 'TOOL_DENIED',
        coalesce(nullif(decision.reason, ''), 'The agent''s owner denied the call'));
    end if;
  end loop;
  return private.run_body((steered.run).id, caller, (call ->> 'is_service')::boolean);
end
$$;
grant execute on function private.decide_tool_executions(jsonb) to sb_service;
