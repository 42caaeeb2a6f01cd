-- Control of a run after its admission: cancellation, decisions on its tool calls and their results, signals, access to
-- its stream. A rejected call raises an error, so that nothing of the attempt stays; the detail of the error is JSON
-- with the code and, where there is one, a message for each field.

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
          where sa.swarm_id = r.swarm_id and a.user_id = e.user_id)
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

-- Locks the run for a caller who controls it. A caller who neither reads the run nor decides on one of its tool calls,
-- or of its sub-tasks, gets RUN_NOT_FOUND.
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
      select 1 from private.list_pending_executions(lock_run_for_user.user_id) as pending (id)
      join public.tool_executions x on x.id = pending.id
        and (x.run_id = lock_run_for_user.run_id
          or x.run_id in (select private.list_sub_runs(lock_run_for_user.run_id)))) then
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

-- The run that a tool call belongs to: the given one, or that of a sub-task below it, which this locks.
create or replace function private.lock_run_of_call(run public.runs, execution_id uuid) returns public.runs
language plpgsql volatile
as $$
declare
  below public.runs;
begin
  select r.* into below from public.tool_executions x join public.runs r on r.id = x.run_id
  where x.id = execution_id and x.run_id in (select private.list_sub_runs(run.id)) for no key update of r;
  if found then
    return below;
  end if;
  return run;
end
$$;
grant execute on function private.lock_run_of_call(public.runs, uuid) to sb_service;

-- Only the approver of a tool call decides, once and before it expires. Either all of the decisions apply or none. The
-- calls of sub-tasks are decided as those of the run.
create or replace function private.decide_tool_executions(call jsonb) returns json language plpgsql volatile
as $$
declare
  caller uuid := call ->> 'user_id';
  -- Whoever asks does not learn whose the agent is.
  decider uuid;
  locked record;
  run public.runs;
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
    run := private.lock_run_of_call(locked.run, decision.id);
    decider := case when locked.member_role is not null or run.user_id = caller then caller end;
    select x.status, x.expires_at, private.is_approver(x, caller) as is_approver, p.question is not null as is_question,
      p.question ->> 'kind' is not distinct from 'connect' as is_connect into execution
    from public.tool_executions x
    left join public.tool_execution_payloads p on p.tool_execution_id = x.id
    where x.id = decision.id and x.swarm_id = run.swarm_id and x.run_id = run.id
    for no key update of x;
    if not found then
      perform private.reject_call('VALIDATION_ERROR', jsonb_build_object(
        format('decisions.%s.tool_execution_id', decision.index), 'is not a tool execution of this run'));
    elsif execution.is_approver is not true then
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
      update public.tool_executions x set status = 'running', decided_by = decider where x.id = decision.id;
      -- For this time only the node that holds the call open continues the run.
      update private.run_leases l set expires_at = now() + interval '5 seconds'
      where l.run_id = run.id and l.owner is not null and run.status = 'requires_action';
    elsif decision.approved then
      update public.tool_executions x set status = 'running', decided_by = decider where x.id = decision.id;
    else
      perform private.deny_tool(run, decision.id, decider, 'TOOL_DENIED',
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
    where x.id = any (waiting) and x.status = 'pending_approval' and coalesce(x.expires_at > now(), true)
    returning x.id)
  update public.tool_execution_payloads p set answer = '{"action": "accept", "content": {}}'
  from continued where p.tool_execution_id = continued.id;
end
$$;
grant execute on function private.continue_connected(uuid, uuid, uuid) to sb_service;

-- Only the starter of the run submits results, for each tool call once and before it expires. Either all of them apply
-- or none. The node that resumes the run records them. Those for calls of sub-tasks are submitted to the run.
create or replace function private.submit_tool_results(call jsonb) returns json language plpgsql volatile
as $$
declare
  caller uuid := call ->> 'user_id';
  locked record;
  run public.runs;
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
    run := private.lock_run_of_call(locked.run, result.id);
    select x.status, x.expires_at into execution from public.tool_executions x
    where x.id = result.id and x.swarm_id = run.swarm_id and x.run_id = run.id
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
      duration_ms = least(greatest(0, extract(epoch from now() - x.started_at) * 1000)::bigint, 2147483647),
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

-- After a call that a run waited for has ended: shows what is left, and lets the run continue when nothing is. The
-- transaction has locked the run.
create or replace function private.settle_suspended_run() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update public.runs r
  set status = case when open.is_asking then 'requires_action' when open.waits is not null then 'waiting'
      else r.status end,
    pending_waits = open.waits, can_continue = not open.is_asking and open.waits is null
  from (
    select coalesce(bool_or(x.status <> 'waiting'), false) as is_asking,
      jsonb_path_query_array((select shown.pending_waits from public.runs shown where shown.id = new.run_id),
        '$[*] ? (@.tool_execution_id == $ids[*])', jsonb_build_object('ids', coalesce(
          jsonb_agg(x.id) filter (where x.status = 'waiting'), '[]'))) as waits
    from public.tool_executions x
    where x.swarm_id = new.swarm_id and x.run_id = new.run_id
      and x.status in ('pending_approval', 'pending_client', 'waiting')) as left_over
  cross join lateral (select left_over.is_asking, nullif(left_over.waits, '[]') as waits) as open
  where r.id = new.run_id and r.status in ('requires_action', 'waiting');
  return null;
end
$$;

-- Ends a wait with what the model reads, whoever comes first: returns false when the call no longer waits. The caller
-- has locked the run.
create or replace function private.end_wait(execution_id uuid, output jsonb, ended_by uuid) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update public.tool_executions x set status = 'running', decided_by = ended_by,
    duration_ms = least(greatest(0, extract(epoch from now() - x.started_at) * 1000)::bigint, 2147483647)
  where x.id = execution_id and x.status = 'waiting';
  if found then
    update public.tool_execution_payloads p set output = end_wait.output where p.tool_execution_id = execution_id;
  end if;
  return found;
end
$$;
grant execute on function private.end_wait(uuid, jsonb, uuid) to sb_service;

create or replace function private.describe_signal(name text, data jsonb, sent_by text, member_id uuid, sent_at
  timestamptz)
returns jsonb language sql immutable
as $$
  select jsonb_build_object('ended_by', 'signal', 'at', sent_at, 'name', name, 'sent_by', sent_by, 'data', data)
    || case when member_id is null then '{}' else jsonb_build_object('member_id', member_id) end
$$;

-- Locks the runs of the sub-tasks below a run that the caller has locked: from the top, as whoever cancels it does. A
-- run that is locked begins no further one.
create or replace function private.lock_sub_runs(run_id uuid) returns void language plpgsql volatile
as $$
declare
  ids uuid[] := array[run_id];
begin
  while ids <> '{}' loop
    ids := array(
      select r.id from private.sub_tasks t join public.runs r on r.id = t.run_id and r.finished_at is null
      where t.parent_run_id = any (ids) order by r.id for no key update of r);
  end loop;
end
$$;

-- Ends the oldest wait of a run, or of its sub-tasks, for an event of this name. Without one, the signal of the starter
-- or the service role is kept for the next; other members, as far as they may write, end a wait that says so, and
-- nothing else. With an idempotency key, once.
create or replace function private.signal_run(call jsonb) returns json
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  caller uuid := call ->> 'user_id';
  is_service constant boolean := (call ->> 'is_service')::boolean;
  -- The service role need not name anybody.
  key_owner uuid := coalesce(caller, (select r.user_id from public.runs r where r.id = (call ->> 'run_id')::uuid));
  key constant text := call ->> 'idempotency_key';
  locked record;
  replay jsonb;
  sent_by text;
  execution_id uuid;
begin
  if key is not null then
    perform pg_advisory_xact_lock(hashtextextended(key_owner || key, 41));
  end if;
  select * into locked from private.lock_run_for_user((call ->> 'run_id')::uuid, caller, is_service);
  sent_by := case when is_service then 'service' when (locked.run).user_id = caller then 'starter' else 'member' end;
  if not is_service and locked.member_role is null then
    perform private.reject_call('RUN_NOT_FOUND');
  elsif locked.member_role = 'viewer' and not is_service then
    perform private.reject_call('FORBIDDEN');
  end if;
  replay := private.find_replay(key_owner, (locked.run).swarm_id, key, call ->> 'request_hash', null, null);
  if replay ? 'rejection' then
    perform private.reject_admission(replay -> 'rejection');
  elsif replay is not null then
    return private.render_run((locked.run).id, caller, is_service);
  elsif (locked.run).status in ('completed', 'partial', 'failed', 'cancelled') then
    perform private.reject_call('RUN_ENDED');
  end if;
  -- What begins to wait at this moment either waits when this has the locks, or finds the signal that is kept.
  perform private.lock_sub_runs((locked.run).id);
  select x.id into execution_id
  from public.runs r
  cross join lateral jsonb_array_elements(r.pending_waits) with ordinality as w (wait, position)
  join public.tool_executions x on x.id = (w.wait ->> 'tool_execution_id')::uuid
  where (r.id = (locked.run).id or r.id in (select private.list_sub_runs((locked.run).id)))
    and w.wait ->> 'kind' = 'event' and w.wait ->> 'name' = call ->> 'name' and x.status = 'waiting'
    and coalesce(x.expires_at > now(), true)
    and (sent_by <> 'member' or w.wait ->> 'from' = 'members' and r.id = (locked.run).id)
  order by r.id <> (locked.run).id, r.id, w.position limit 1;
  if execution_id is not null then
    perform private.end_wait(execution_id, private.describe_signal(call ->> 'name', call -> 'data', sent_by,
      case when sent_by = 'member' then caller end, now()), caller);
  elsif sent_by = 'member' then
    perform private.reject_call('FORBIDDEN');
  elsif (select count(*) >= 100 from private.run_signals n where n.run_id = (locked.run).id) then
    perform private.reject_call('SIGNAL_LIMIT_REACHED');
  else
    insert into private.run_signals (run_id, name, data, sent_by)
    values ((locked.run).id, call ->> 'name', call -> 'data', sent_by);
  end if;
  if key is not null and key_owner is not null then
    insert into private.idempotency_keys (user_id, key, request_hash, run_id)
    values (key_owner, key, decode(call ->> 'request_hash', 'hex'), (locked.run).id)
    on conflict on constraint idempotency_keys_user_id_key do update
    set request_hash = excluded.request_hash, run_id = excluded.run_id, created_at = now();
  end if;
  return private.render_run((locked.run).id, caller, is_service);
end
$$;
grant execute on function private.signal_run(jsonb) to sb_service;

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
        'resources', k.resources, 'client_id', k.client_id, 'aal', held.aal) end)
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
        where at.agent_id = a.id and at.tool_id = t.id), a.user_id, a.acts_for_askers, u.id)
      and (l.api_key_id is null or held.id is not null)
      and exists (select 1 from private.list_speakers(r.swarm_id, r.user_id) as sa where sa.agent_id = a.id)
      and (x.decided_by = u.id or not (private.must_starter_approve(r.swarm_id, u.id)
        or private.is_outside_heard(r.swarm_id, t)
        or private.is_starter_asked(t.kind, a.user_id, u.id))));
end
$$;
grant execute on function private.open_starter(uuid, integer) to sb_service;
