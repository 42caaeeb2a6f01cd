-- Control of a run after its admission: cancellation, decisions on its tool calls and their results, access to its
-- stream. A rejected
-- call raises an error, so that nothing of the attempt stays; the detail of the error is JSON with the code and, where
-- there is one, a message for each field.

create or replace function private.reject_admission(rejection jsonb) returns void language plpgsql
as $$
begin
  raise exception 'rejected: %', rejection ->> 'code' using errcode = 'SB126', detail = rejection::text;
end
$$;
grant execute on function private.reject_admission(jsonb) to sb_service;

create or replace function private.reject_call(code text, details jsonb default null) returns void language plpgsql
as $$
begin
  perform private.reject_admission(jsonb_build_object('code', code, 'details', details));
end
$$;
grant execute on function private.reject_call(text, jsonb) to sb_service;

-- Returns the subscribers who may read the stream of their run, and what it may show them. Called when a subscription
-- starts and every few seconds after that, for all subscribers at once. A subscriber without a user is the service
-- role.
create or replace function private.check_stream_access(subscribers jsonb)
returns table (subscriber integer, swarm_id uuid, status text, is_manager boolean, agent_ids uuid[])
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select e.subscriber, r.swarm_id, r.status, e.user_id is null or m.role in ('owner', 'admin'),
    -- Excludes an agent that was created with the id of a deleted one after the run.
    array(select sa.agent_id from public.swarm_agents sa
          join public.agents a on a.id = sa.agent_id and a.created_at <= r.created_at
          where sa.swarm_id = r.swarm_id and sa.user_id = e.user_id)
  from jsonb_to_recordset(subscribers)
    as e (subscriber integer, run_id uuid, user_id uuid, session_id uuid, inactivity_seconds integer)
  join public.runs r on r.id = e.run_id
  left join public.swarm_members m on m.swarm_id = r.swarm_id and m.user_id = e.user_id and m.status = 'active'
  where e.user_id is null
    or (m.id is not null and private.may_key_see_run(e.session_id, r.id, r.swarm_id)
        and exists (select 1 from auth.users u
                    where u.id = e.user_id and u.deleted_at is null and coalesce(u.banned_until <= now(), true))
        and (e.session_id is null
             or exists (select 1 from auth.sessions s
                        where s.id = e.session_id and s.user_id = e.user_id and coalesce(s.not_after > now(), true)
                          and (coalesce(e.inactivity_seconds, 0) = 0
                               or coalesce(s.refreshed_at, s.created_at)
                                 + make_interval(secs => e.inactivity_seconds) > now()))))
$$;
grant execute on function private.check_stream_access(jsonb) to sb_service;

-- Locks the run for a caller who controls it. A caller who neither reads the run nor decides on one of its tool calls
-- gets RUN_NOT_FOUND.
create or replace function private.lock_run_for_user(
  run_id uuid, user_id uuid, is_service boolean, out run public.runs, out member_role text
)
language plpgsql volatile
as $$
begin
  select m.role into member_role from public.runs r
  join public.swarm_members m
    on m.swarm_id = r.swarm_id and m.user_id = lock_run_for_user.user_id and m.status = 'active'
  where r.id = lock_run_for_user.run_id;
  if not is_service and member_role is null and not exists (
      select 1 from public.runs r
      join public.tool_executions x on x.swarm_id = r.swarm_id and x.run_id = r.id
      where r.id = lock_run_for_user.run_id and x.approver_id = lock_run_for_user.user_id
        and x.status = 'pending_approval') then
    perform private.reject_call('RUN_NOT_FOUND');
  end if;
  select * into run from public.runs r where r.id = lock_run_for_user.run_id for no key update;
  if not found then
    perform private.reject_call('RUN_NOT_FOUND');
  end if;
end
$$;
grant execute on function private.lock_run_for_user(uuid, uuid, boolean) to sb_service;

-- The node that executes a run ends it on request. A run that no node executes ends here.
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
    perform private.close_cancelled_run(run, request_cancel.reason);
  end if;
end
$$;
grant execute on function private.request_cancel(uuid, text) to sb_service;

-- The caller of a run and the owner and admins of the swarm may cancel it. Cancelling a run that has ended changes
-- nothing.
create or replace function private.cancel_run(run_id uuid, user_id uuid, is_service boolean) returns json
language plpgsql volatile
as $$
declare
  locked record;
begin
  select * into locked from private.lock_run_for_user(cancel_run.run_id, cancel_run.user_id, is_service);
  if not is_service and locked.member_role is null then
    perform private.reject_call('RUN_NOT_FOUND');
  elsif not is_service and locked.member_role not in ('owner', 'admin')
      and (locked.run).user_id is distinct from cancel_run.user_id then
    perform private.reject_call('FORBIDDEN');
  end if;
  perform private.request_cancel(cancel_run.run_id, 'cancelled');
  return private.render_run(cancel_run.run_id, cancel_run.user_id, is_service);
end
$$;
grant execute on function private.cancel_run(uuid, uuid, boolean) to sb_service;

-- Only the approver of a tool call decides, once and before it expires. Either all of the decisions apply or none.
create or replace function private.decide_tool_executions(call jsonb) returns json language plpgsql volatile
as $$
declare
  caller uuid := call ->> 'user_id';
  locked record;
  decision record;
  execution record;
begin
  select * into locked
  from private.lock_run_for_user((call ->> 'run_id')::uuid, caller, (call ->> 'is_service')::boolean);
  for decision in
    select item.ordinality - 1 as index, (item.value ->> 'tool_execution_id')::uuid as id,
      (item.value ->> 'approved')::boolean as approved, item.value ->> 'reason' as reason,
      item.value -> 'content' as content
    from jsonb_array_elements(call -> 'decisions') with ordinality as item (value, ordinality)
  loop
    select x.status, x.expires_at, x.approver_id, p.question is not null as is_question,
      p.question ->> 'kind' is not distinct from 'connect' as is_connect into execution
    from public.tool_executions x
    left join public.tool_execution_payloads p on p.tool_execution_id = x.id
    where x.id = decision.id and x.swarm_id = (locked.run).swarm_id and x.run_id = (locked.run).id
    for no key update of x;
    if not found then
      perform private.reject_call('VALIDATION_ERROR', jsonb_build_object(
        format('decisions.%s.tool_execution_id', decision.index), 'is not a tool execution of this run'));
    elsif execution.approver_id is distinct from caller then
      perform private.reject_call('FORBIDDEN');
    elsif execution.status <> 'pending_approval' then
      perform private.reject_call('APPROVAL_DECIDED');
    elsif execution.expires_at <= now() then
      perform private.reject_call('APPROVAL_EXPIRED');
    elsif execution.is_connect and decision.approved then
      perform private.reject_call('VALIDATION_ERROR', jsonb_build_object(
        format('decisions.%s.approved', decision.index), 'must be false: only the sign-in at the server goes on'));
    elsif decision.content is not null and not (execution.is_question and decision.approved) then
      perform private.reject_call('VALIDATION_ERROR', jsonb_build_object(
        format('decisions.%s.content', decision.index), 'is only for the answer to a question'));
    end if;
    if execution.is_question then
      -- The tool learns of a refusal, too, and returns the result of the call.
      update public.tool_execution_payloads p
      set answer = case when decision.approved
        then jsonb_build_object('action', 'accept', 'content', coalesce(decision.content, '{}'))
        else jsonb_build_object('action', 'decline') end
      where p.tool_execution_id = decision.id;
      update public.tool_executions x set status = 'running', decided_by = caller where x.id = decision.id;
      -- For this time only the node that holds the call open continues the run.
      update private.run_leases l set expires_at = now() + interval '5 seconds'
      where l.run_id = (locked.run).id and l.owner is not null and (locked.run).status = 'requires_action';
    elsif decision.approved then
      update public.tool_executions x set status = 'running', decided_by = caller where x.id = decision.id;
    else
      perform private.deny_tool(locked.run, decision.id, caller, 'TOOL_DENIED',
        coalesce(nullif(decision.reason, ''), 'The call was denied'));
    end if;
  end loop;
  return private.render_run((locked.run).id, caller, (call ->> 'is_service')::boolean);
end
$$;
grant execute on function private.decide_tool_executions(jsonb) to sb_service;

-- Continues the tool calls that wait until a person connects an account: those that asked for this connection, and the
-- one for which the person signed in.
create or replace function private.continue_connected(person_id uuid, connection_id uuid, execution_id uuid)
returns void language plpgsql volatile
as $$
declare
  waiting uuid[];
begin
  select array_agg(x.id) into waiting from public.tool_executions x
  join public.tool_execution_payloads p on p.tool_execution_id = x.id
  where x.approver_id = person_id and x.status = 'pending_approval' and p.question ->> 'kind' = 'connect'
    and (x.id = continue_connected.execution_id or p.question ->> 'connection_id' = connection_id::text);
  -- As every decision: the runs first.
  perform 1 from public.runs r
  where r.id in (select x.run_id from public.tool_executions x where x.id = any (waiting))
  order by r.id for no key update;
  with continued as (
    update public.tool_executions x set status = 'running', decided_by = person_id
    where x.id = any (waiting) and x.status = 'pending_approval' and x.expires_at > now()
    returning x.id)
  update public.tool_execution_payloads p set answer = '{"action": "accept", "content": {}}'
  from continued where p.tool_execution_id = continued.id;
end
$$;
grant execute on function private.continue_connected(uuid, uuid, uuid) to sb_service;

-- Only the starter of the run submits results, for each tool call once and before it expires. Either all of them apply
-- or none. The node that resumes the run records them.
create or replace function private.submit_tool_results(call jsonb) returns json language plpgsql volatile
as $$
declare
  caller uuid := call ->> 'user_id';
  locked record;
  result record;
  execution record;
begin
  select * into locked
  from private.lock_run_for_user((call ->> 'run_id')::uuid, caller, (call ->> 'is_service')::boolean);
  if locked.member_role is null and not (call ->> 'is_service')::boolean then
    perform private.reject_call('RUN_NOT_FOUND');
  elsif (locked.run).user_id is distinct from caller then
    perform private.reject_call('FORBIDDEN');
  end if;
  for result in
    select item.ordinality - 1 as index, (item.value ->> 'tool_execution_id')::uuid as id,
      item.value -> 'output' as output, item.value ->> 'error' as error
    from jsonb_array_elements(call -> 'results') with ordinality as item (value, ordinality)
  loop
    select x.status, x.expires_at into execution from public.tool_executions x
    where x.id = result.id and x.swarm_id = (locked.run).swarm_id and x.run_id = (locked.run).id
    for no key update;
    if not found then
      perform private.reject_call('VALIDATION_ERROR', jsonb_build_object(
        format('results.%s.tool_execution_id', result.index), 'is not a tool execution of this run'));
    elsif execution.status = 'pending_approval' then
      perform private.reject_call('VALIDATION_ERROR', jsonb_build_object(
        format('results.%s.tool_execution_id', result.index), 'waits for an approval and not for a result'));
    elsif execution.status <> 'pending_client' then
      perform private.reject_call('TOOL_RESULT_SUBMITTED');
    elsif execution.expires_at <= now() then
      perform private.reject_call('CLIENT_TOOL_EXPIRED');
    end if;
    update public.tool_executions x set status = 'running', decided_by = caller,
      duration_ms = least((extract(epoch from now() - x.started_at) * 1000)::bigint, 2147483647),
      error = case when result.error is not null
        then jsonb_build_object('code', 'CLIENT_TOOL_FAILED', 'message', result.error, 'retryable', false) end
    where x.id = result.id;
    update public.tool_execution_payloads p set output = nullif(result.output, 'null')
    where p.tool_execution_id = result.id;
  end loop;
  return private.render_run((locked.run).id, caller, (call ->> 'is_service')::boolean);
end
$$;
grant execute on function private.submit_tool_results(jsonb) to sb_service;

-- The starter of a run for a call of a tool that acts for the starter: what a token of theirs would say now, apart from
-- the session, with the key that started the run. Null where nobody may be acted for: the account is gone or banned,
-- the agent no longer answers the starter, the app no longer vouches for it or its tool, the starter's key was revoked,
-- or others take part and the starter has not approved the call.
create or replace function private.open_starter(execution_id uuid, inactivity_seconds integer) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select jsonb_build_object('id', u.id, 'email', u.email, 'app_metadata', u.app_metadata,
      'user_metadata', u.user_metadata, 'is_anonymous', u.is_anonymous, 'run_id', r.id, 'swarm_id', r.swarm_id,
      'agent_id', x.agent_id, 'tool_id', x.tool_id, 'session_id', s.id,
      'aal', case when s.id is null then 'aal1' else coalesce(l.aal, 'aal1') end,
      'api_key', case when k.id is not null then jsonb_build_object('id', k.id, 'scopes', k.scopes,
        'resources', k.resources, 'aal', held.aal) end)
    from public.tool_executions x
    join public.runs r on r.swarm_id = x.swarm_id and r.id = x.run_id
    join auth.users u on u.id = r.user_id
    join public.agents a on a.id = x.agent_id
    join public.tools t on t.id = x.tool_id
    join private.run_leases l on l.run_id = r.id
    left join auth.sessions s on s.id = l.session_id and s.user_id = u.id
      and (s.not_after is null or s.not_after > now())
      and (inactivity_seconds = 0
           or coalesce(s.refreshed_at, s.created_at) + make_interval(secs => inactivity_seconds) > now())
    left join public.api_keys k on k.id = l.api_key_id
    left join auth.sessions held on held.id = k.id and (held.not_after is null or held.not_after > now())
    where x.id = open_starter.execution_id and x.status = 'running'
      and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
      and private.may_tool_act(t, (select at.is_vouched from public.agent_tools at
        where at.agent_id = a.id and at.tool_id = t.id), a, u.id)
      and (l.api_key_id is null or held.id is not null)
      and exists (select 1 from private.list_speakers(r.swarm_id, r.user_id) as sa where sa.agent_id = a.id)
      and (x.decided_by = u.id or not private.must_starter_approve(r.swarm_id, u.id)));
end
$$;
grant execute on function private.open_starter(uuid, integer) to sb_service;
