-- Nodes execute runs under leases. The holder of a lease writes through private.advance_runs, which checks the fence
-- first. Locks are taken in one order: swarm, run, lease, agents, messages.

-- How long a run took; null until it has ended. A column of the table for reads that name it, such as those that list
-- the slowest runs of a time. Nothing is stored for it: the indexes of swarm and time find the runs to compare.
create or replace function public.duration_ms(run public.runs) returns bigint
language sql immutable
as $$ select (extract(epoch from run.finished_at - run.started_at) * 1000)::bigint $$;
grant execute on function public.duration_ms(public.runs) to authenticated, service_role;

-- Returns an event as it is sent and stored; one statement stores all events of a transaction. An SQL function that is
-- declared no stricter than the functions it calls, so that PostgreSQL inlines it.
create or replace function private.build_run_event(
  run public.runs, seq integer, type text, data jsonb, agent_id uuid, restricted boolean default false
)
returns jsonb language sql stable
as $$
  select jsonb_build_object('seq', seq, 'type', type, 'agent_id', agent_id, 'restricted', restricted,
    'data', jsonb_build_object('run_id', run.id, 'swarm_id', run.swarm_id) || data)
$$;

create or replace function private.append_run_event(
  run_id uuid, type text, data jsonb, agent_id uuid, restricted boolean
) returns integer
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
  insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data)
  select r.id, (select coalesce(max(e.seq), 0) + 1 from public.run_events e where e.run_id = r.id), r.swarm_id,
    append_run_event.agent_id, append_run_event.restricted, append_run_event.type,
    jsonb_build_object('run_id', r.id, 'swarm_id', r.swarm_id) || append_run_event.data
  from public.runs r where r.id = append_run_event.run_id
  returning seq
$$;
grant execute on function private.append_run_event(uuid, text, jsonb, uuid, boolean) to sb_service;

-- The frameworks of the agents that may speak in a run.
create or replace function private.list_run_frameworks(run public.runs) returns text[]
language sql stable
as $$
  select coalesce(array_agg(distinct coalesce(run.request -> 'overrides' ->> 'framework', v.framework, a.framework)),
    '{}')
  from private.list_speakers(run.swarm_id, run.user_id) as sa
  join public.agents a on a.id = sa.agent_id
  left join private.run_leases l on l.run_id = run.id
  left join public.agent_versions v on v.agent_id = a.id
    and v.number = coalesce((run.request ->> 'agent_version')::integer, sa.agent_version)
  where l.speaker_ids is null or a.id = any (l.speaker_ids)
$$;

-- How many seqs beyond the last one that is safely stored a node may show to readers. Whoever continues the run of a
-- lost node begins above them, so that no seq is used twice.
create or replace function private.max_unstored_seqs() returns integer language sql immutable
as $$ select 100000 $$;
grant execute on function private.max_unstored_seqs() to sb_service;

-- Whether another node may continue a run whose lease has expired. Not when it was taken over twice, was cancelled, or
-- nobody has taken it over for ten minutes, or for the time limit of its swarm if that is longer; nor when an older
-- version of the service executed it and did not store its progress.
create or replace function private.can_take_over(run public.runs, lease private.run_leases) returns boolean
language plpgsql stable
as $$
begin
  return (select lease.expires_at < now() and lease.expires_at > now() - (
      select greatest(600000, case when jsonb_typeof(s.settings -> 'timeout_ms') = 'number'
        then least((s.settings ->> 'timeout_ms')::numeric, 604800000) end) * interval '1 millisecond'
      from public.swarms s where s.id = run.swarm_id)
    and lease.takeovers < 2 and lease.cancel_requested_at is null
    and (exists (select 1 from private.run_progress p where p.run_id = run.id)
         or not exists (select 1 from public.run_turns t
                        where t.swarm_id = run.swarm_id and t.run_id = run.id
                          and t.status not in ('waiting', 'thinking', 'responding'))
            and not exists (select 1 from public.tool_executions x
                            where x.swarm_id = run.swarm_id and x.run_id = run.id)));
end
$$;

-- Gives the run of a lost node to another one. The lost node is fenced: it holds the run's row while it writes. A run
-- that its node has released, which has no owner, does not count as one that was taken over. Returns null when the run
-- cannot be taken over, or another transaction holds it.
create or replace function private.take_over_run(run_id uuid, owner text, lease_ms integer) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  run public.runs;
  new_fence bigint;
begin
  perform 1 from public.swarms s
  where s.id = (select r.swarm_id from public.runs r where r.id = take_over_run.run_id) for key share skip locked;
  if not found then
    return null;
  end if;
  select r.* into run from public.runs r
  where r.id = take_over_run.run_id and r.status = 'running' for no key update skip locked;
  if not found then
    return null;
  end if;
  update private.run_leases l
  set owner = take_over_run.owner, fence = l.fence + 1, takeovers = l.takeovers + (l.owner is not null)::integer,
    is_taken_over = true,
    expires_at = now() + take_over_run.lease_ms * interval '1 millisecond'
  where l.run_id = run.id and private.can_take_over(run, l)
  returning l.fence into new_fence;
  if new_fence is not null then
    insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data)
    select run.id, coalesce(max(e.seq), 0) + private.max_unstored_seqs() + 1, run.swarm_id, null, false, 'run.started',
      jsonb_build_object('run_id', run.id, 'swarm_id', run.swarm_id, 'status', 'running', 'is_resumed', true)
    from public.run_events e where e.run_id = run.id;
  end if;
  return new_fence;
end
$$;
grant execute on function private.take_over_run(uuid, text, integer) to sb_service;

-- Starts a run that waits, or takes over that of a lost node. Returns null when another run of the swarm is running or
-- is older, when another transaction is starting one, or when another node holds a call of the run open; a later poll
-- finds the run again.
create or replace function private.start_run(run_id uuid, owner text, lease_ms integer) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  waiting public.runs;
  new_fence bigint;
begin
  select * into waiting from public.runs r where r.id = start_run.run_id;
  if waiting.status = 'running' then
    return private.take_over_run(waiting.id, start_run.owner, start_run.lease_ms);
  end if;
  if not found or not (waiting.status = 'queued' or waiting.can_continue) then
    return null;
  end if;
  if waiting.can_continue and exists (
      select 1 from private.run_leases l
      where l.run_id = waiting.id and l.owner <> start_run.owner and l.expires_at > now()) then
    return null;
  end if;
  -- Tried, never waited for: whoever holds it is about to answer the same question for the same swarm.
  if not pg_try_advisory_xact_lock(hashtextextended(waiting.swarm_id::text, 25)) then
    return null;
  end if;
  if exists (select 1 from public.runs r where r.swarm_id = waiting.swarm_id and r.status = 'running')
     or exists (select 1 from public.runs r
                where r.swarm_id = waiting.swarm_id and (r.status = 'queued' or r.can_continue)
                  and (r.queued_at, r.id) < (waiting.queued_at, waiting.id)) then
    return null;
  end if;
  update public.runs r set status = 'running', started_at = coalesce(r.started_at, now()), can_continue = false,
    pending_waits = null
  where r.id = waiting.id and r.status = waiting.status and (r.status = 'queued' or r.can_continue);
  if not found then
    return null;
  end if;
  insert into private.run_leases as lease (run_id, owner, fence, expires_at)
  values (waiting.id, start_run.owner, 1, now() + start_run.lease_ms * interval '1 millisecond')
  on conflict on constraint run_leases_pkey do update
  -- A run that has waited has got further than when its node was lost: over months, it may lose more than two.
  set owner = excluded.owner, fence = lease.fence + 1, expires_at = excluded.expires_at, is_taken_over = false,
    takeovers = 0
  returning lease.fence into new_fence;
  perform private.append_run_event(waiting.id, 'run.started',
    jsonb_build_object('status', 'running', 'is_resumed', waiting.status <> 'queued'), null, false);
  return new_fence;
end
$$;
grant execute on function private.start_run(uuid, text, integer) to sb_service;

-- Claims the runs of lost nodes, then the oldest run of each swarm, the oldest first. `capacities` says how many more
-- runs the node may execute for each framework of `bounded`, `user_capacities` for each user of `users`, and
-- `max_runs_per_user` for all other users; a run without capacity stays queued. Ends when the capacity of a framework
-- or a user is used up; the next call claims runs that do not need it.
create or replace function private.claim_runs(
  owner text, lease_ms integer, max_runs integer, bounded text[] default '{}', capacities integer[] default '{}',
  max_runs_per_user integer default null, users uuid[] default '{}', user_capacities integer[] default '{}')
returns table (run_id uuid, fence bigint, user_id uuid, frameworks text[])
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  candidate public.runs;
  claimed integer := 0;
  full_frameworks text[] := array(
    select place.framework from unnest(claim_runs.bounded, claim_runs.capacities) as place (framework, capacity)
      where place.capacity <= 0);
  full_users uuid[] := array(
    select place.id from unnest(claim_runs.users, claim_runs.user_capacities) as place (id, capacity)
      where place.capacity <= 0);
  -- Of the runs claimed here, each with its user.
  claimed_users uuid[] := '{}';
begin
  for candidate in
    -- Their share of a provider was granted when they started.
    (select r.* from private.run_leases l join public.runs r on r.id = l.run_id and r.status = 'running'
     where l.expires_at < now() and private.can_take_over(r, l)
     order by l.expires_at
     limit claim_runs.max_runs * 2)
    union all
    (select r.* from public.runs r
     where (r.status = 'queued' or r.can_continue)
       and not exists (select 1 from public.runs busy where busy.swarm_id = r.swarm_id and busy.status = 'running')
       and not exists (select 1 from public.runs older
                       where older.swarm_id = r.swarm_id and (older.status = 'queued' or older.can_continue)
                         and (older.queued_at, older.id) < (r.queued_at, r.id))
       and (r.user_id = any (full_users)) is not true
       and (cardinality(full_frameworks) = 0 or not exists (
         select 1 from public.swarm_agents sa
         join public.agents a on a.id = sa.agent_id
         left join private.run_leases l on l.run_id = r.id
         where sa.swarm_id = r.swarm_id and sa.enabled and a.framework = any (full_frameworks)
           and (l.speaker_ids is null or a.id = any (l.speaker_ids))))
     order by r.queued_at, r.id
     limit claim_runs.max_runs * 2)
  loop
    exit when claimed >= claim_runs.max_runs;
    claim_runs.fence := private.start_run(candidate.id, claim_runs.owner, claim_runs.lease_ms);
    continue when claim_runs.fence is null;
    claim_runs.run_id := candidate.id;
    claim_runs.user_id := candidate.user_id;
    claimed_users := claimed_users || candidate.user_id;
    claim_runs.frameworks := case when cardinality(claim_runs.bounded) > 0 then private.list_run_frameworks(candidate)
      else '{}' end;
    claim_runs.capacities := array(
      select place.capacity - (place.framework = any (claim_runs.frameworks))::integer
      from unnest(claim_runs.bounded, claim_runs.capacities) with ordinality as place (framework, capacity, at)
        order by place.at);
    claimed := claimed + 1;
    return next;
    exit when exists (select 1 from unnest(claim_runs.bounded, claim_runs.capacities) as place (framework, capacity)
                      where place.capacity <= 0 and place.framework <> all (full_frameworks));
    exit when candidate.user_id is not null
      and cardinality(array_positions(claimed_users, candidate.user_id)) >= coalesce(
        (select place.capacity from unnest(claim_runs.users, claim_runs.user_capacities) as place (id, capacity)
         where place.id = candidate.user_id), claim_runs.max_runs_per_user);
  end loop;
end
$$;
grant execute on function private.claim_runs(text, integer, integer, text[], integer[], integer, uuid[], integer[])
  to sb_service;

-- The error of a turn as it is shown. Messages of providers and tools can name the model, the settings and the text of
-- a conversation: with a grant, neither the owner of the agent nor whoever asks reads them.
create or replace function private.render_error(error jsonb, grant_id uuid) returns jsonb
language sql immutable parallel safe
as $$
  select case when grant_id is null or error is null then error
    else error || '{"message": "The agent could not answer"}' end
$$;

create or replace function private.render_usage(
  input_tokens bigint, cached_input_tokens bigint, output_tokens bigint, cost_usd numeric, estimated boolean
)
returns json language sql stable parallel safe
as $$
  select json_build_object('input_tokens', coalesce(input_tokens, 0),
    'cached_input_tokens', coalesce(cached_input_tokens, 0),
    'output_tokens', coalesce(output_tokens, 0), 'total_tokens', coalesce(input_tokens, 0) + coalesce(output_tokens, 0),
    'cost_usd', cost_usd, 'estimated', coalesce(estimated, false))
$$;

-- Returns the usage of a run: its turns and, with the strategy `selector`, the model calls that choose the speakers,
-- without those whose usage is hidden; null when all are. A plain SQL function, so that PostgreSQL inlines it.
create or replace function private.sum_run_usage(run_id uuid, swarm_id uuid, strategy text, created_at timestamptz,
  until timestamptz)
returns table (turn_count integer, usage json) language sql stable
as $$
  select count(u.turn_id)::integer, case when bool_and(u.hides_usage) is not true
    then private.render_usage(sum(u.input_tokens) filter (where not u.hides_usage)::bigint,
      sum(u.cached_input_tokens) filter (where not u.hides_usage)::bigint,
      sum(u.output_tokens) filter (where not u.hides_usage)::bigint,
      case when bool_or(u.cost_usd is null and u.input_tokens is not null and not u.hides_usage) then null
        else coalesce(sum(u.cost_usd) filter (where not u.hides_usage), 0) end,
      bool_or(u.estimated and not u.hides_usage)) end
  from (select t.id as turn_id, t.input_tokens, t.cached_input_tokens, t.output_tokens, t.cost_usd, t.estimated,
          t.hides_usage
        from public.run_turns t
        where t.swarm_id = sum_run_usage.swarm_id and t.run_id = sum_run_usage.run_id
        union all
        select null, c.input_tokens, c.cached_input_tokens, c.output_tokens, c.cost_usd, c.estimated,
          c.grant_id is not null
        from public.usage_records c
        where sum_run_usage.strategy = 'selector' and c.swarm_id = private.get_billed_swarm(sum_run_usage.swarm_id)
          and c.run_id = sum_run_usage.run_id and c.turn_id is null and c.created_at >= sum_run_usage.created_at
          and c.created_at <= sum_run_usage.until) as u
$$;

-- Returns the usage of a run that waits. The rows of suspended turns have none until these end.
create or replace function private.sum_waiting_usage(run public.runs) returns json language plpgsql stable
as $$
declare
  ended json := (
    select u.usage from private.sum_run_usage(run.id, run.swarm_id, run.strategy, run.created_at, now()) as u);
begin
  if exists (select 1 from public.run_turns t
             where t.swarm_id = run.swarm_id and t.run_id = run.id and t.hides_usage) then
    return ended;
  end if;
  return (
    select private.render_usage(
      (ended ->> 'input_tokens')::bigint + coalesce(sum((t.usage ->> 'inputTokens')::bigint), 0)::bigint,
      (ended ->> 'cached_input_tokens')::bigint + coalesce(sum((t.usage ->> 'cachedInputTokens')::bigint), 0)::bigint,
      (ended ->> 'output_tokens')::bigint + coalesce(sum((t.usage ->> 'outputTokens')::bigint), 0)::bigint,
      (ended ->> 'cost_usd')::numeric + case when bool_or(t.cost_usd is null) then null
        else coalesce(sum(t.cost_usd), 0) end,
      (ended ->> 'estimated')::boolean or coalesce(bool_or((t.usage ->> 'isEstimated')::boolean), false))
    from (
      select suspended.turn -> 'usage' as usage, (suspended.turn ->> 'costUsd')::numeric as cost_usd
      from private.run_progress p
      cross join lateral (
        select jsonb_path_query(p.progress, '$.suspended[*]')
        union all
        -- A turn that waits for the turns of other agents has these with its calls.
        select jsonb_path_query(p.progress, '$.suspended[*].waiting[*].turn')) as suspended (turn)
      where p.run_id = run.id and jsonb_typeof(suspended.turn -> 'usage') = 'object') as t);
end
$$;

-- Tool calls of a run that wait with a status. Whoever decides on a call, the agent's owner, and the swarm's owner and
-- admins also see the input, as in tool_execution_payloads, and so does the starter of the run, whose client executes
-- calls that are `pending_client`. Calls of its sub-tasks are shown to those alone who decide on them or execute them.
create or replace function private.render_pending_calls(
  run public.runs, status text, viewer_id uuid, is_service boolean)
returns json language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  is_client constant boolean := is_service
    or (render_pending_calls.status = 'pending_client' and run.user_id = render_pending_calls.viewer_id);
  sees_all boolean := is_client
    or exists (
      select 1 from public.swarm_members m
      where m.swarm_id = run.swarm_id and m.user_id = render_pending_calls.viewer_id and m.status = 'active'
        and m.role in ('owner', 'admin'));
begin
  return (
    select coalesce(json_agg(case when p.private_to = render_pending_calls.viewer_id
          or p.private_to is null and (sees_all or x.approver_id = render_pending_calls.viewer_id
            or a.user_id = render_pending_calls.viewer_id)
        then case when p.question is null
          then json_build_object('tool_execution_id', x.id, 'tool_name', x.tool_name, 'agent_id', x.agent_id,
            'expires_at', x.expires_at, 'input', p.input)
          else json_build_object('tool_execution_id', x.id, 'tool_name', x.tool_name, 'agent_id', x.agent_id,
            'expires_at', x.expires_at, 'input', p.input, 'question', p.question) end
        else json_build_object('tool_execution_id', x.id, 'tool_name', x.tool_name, 'agent_id', x.agent_id,
          'expires_at', x.expires_at) end
      order by x.created_at, x.id), '[]')
    from public.tool_executions x
    left join public.agents a on a.id = x.agent_id
    left join public.tool_execution_payloads p on p.tool_execution_id = x.id
    where x.status = render_pending_calls.status and (x.swarm_id = run.swarm_id and x.run_id = run.id
      or x.run_id in (select private.list_sub_runs(run.id))
        and (is_client or private.is_approver(x, render_pending_calls.viewer_id))));
end
$$;

-- Whether a run works, or waits for nothing but sub-tasks that work. What has ended is about to be continued.
create or replace function private.is_at_work(run public.runs) returns boolean language plpgsql stable
as $$
begin
  return run.status not in ('requires_action', 'waiting') or run.can_continue
    or run.status = 'waiting' and not exists (
      select 1 from jsonb_array_elements(run.pending_waits) as w (wait)
      left join public.tool_executions x on x.id = (w.wait ->> 'tool_execution_id')::uuid
      left join public.runs r on r.id = x.sub_run_id
      where r.id is null or not private.is_at_work(r));
end
$$;

-- What a run waits for, with whether each of its sub-tasks works or waits for somebody.
create or replace function private.render_waits(run public.runs) returns jsonb language plpgsql stable
as $$
begin
  if run.pending_waits is null or not run.pending_waits @> '[{"kind": "sub_task"}]' then
    return run.pending_waits;
  end if;
  return (
    select jsonb_agg(w.wait || case when r.id is null then '{}'::jsonb
        else jsonb_build_object('is_at_work', private.is_at_work(r)) end order by w.position)
    from jsonb_array_elements(run.pending_waits) with ordinality as w (wait, position)
    left join public.tool_executions x on x.id = (w.wait ->> 'tool_execution_id')::uuid
    left join public.runs r on r.id = x.sub_run_id);
end
$$;

-- Returns the bodies of runs: the answer of the call, the last event of its stream, and the answer of later reads.
-- `is_ended`, as a constant, removes from the plan what only unfinished runs have.
create or replace function private.render_runs(ids uuid[], is_ended boolean, viewer_id uuid default null,
  is_service boolean default false)
returns table (run_id uuid, swarm_id uuid, status text, body json) language sql stable
as $$
  select r.id, r.swarm_id, r.status, json_build_object(
    'run_id', r.id, 'swarm_id', r.swarm_id, 'status', r.status, 'stop_reason', r.stop_reason,
    'message', (select row_to_json(m) from public.messages m where m.id = r.message_id),
    'responses', coalesce((
      select json_agg(json_build_object(
          'message', row_to_json(m), 'data', m.data, 'agent_id', m.sender_id, 'agent_name', t.agent_name,
          'turn_id', t.id, 'framework', case when t.grant_id is null then t.framework end,
          'model', case when t.grant_id is null then t.model end, 'finish_reason', t.finish_reason,
          'usage', case when not t.hides_usage then private.render_usage(t.input_tokens, t.cached_input_tokens,
            t.output_tokens, t.cost_usd, t.estimated) end,
          'first_token_ms', t.first_token_ms, 'duration_ms', t.duration_ms,
          'tool_executions', coalesce((
            select json_agg(json_build_object('id', x.id, 'tool_name', x.tool_name, 'status', x.status,
              'duration_ms', x.duration_ms)
                            order by x.created_at, x.id)
            from public.tool_executions x where x.turn_id = t.id), '[]'),
          'warnings', case when t.grant_id is null then t.warnings
            else private.list_asker_warnings(t.swarm_id) end) order by m.seq)
      from public.run_turns t
      join public.messages m on m.id = t.message_id
      where t.swarm_id = r.swarm_id and t.run_id = r.id), '[]'),
    'errors', coalesce((
      select json_agg(json_build_object('agent_id', t.agent_id, 'turn_id', t.id, 'code', t.error ->> 'code',
          'message', private.render_error(t.error, t.grant_id) ->> 'message',
          'retryable', coalesce((t.error ->> 'retryable')::boolean, false))
        order by t.position, t.id)
      from public.run_turns t
      where t.swarm_id = r.swarm_id and t.run_id = r.id and t.status = 'failed' and t.error is not null),
      case when r.error is null then '[]'::json
           else json_build_array(json_build_object('agent_id', null, 'turn_id', null, 'code', r.error ->> 'code',
             'message', r.error ->> 'message', 'retryable', coalesce((r.error ->> 'retryable')::boolean, false))) end),
    'usage', case when not is_ended and r.status in ('requires_action', 'waiting') then private.sum_waiting_usage(r)
      when not is_ended and r.finished_at is null then (
        select u.usage from private.sum_run_usage(r.id, r.swarm_id, r.strategy, r.created_at, now()) as u)
      when r.usage is not null then json_build_object('input_tokens', r.usage -> 'input_tokens',
        'cached_input_tokens', r.usage -> 'cached_input_tokens', 'output_tokens', r.usage -> 'output_tokens',
        'total_tokens', r.usage -> 'total_tokens', 'cost_usd', r.usage -> 'cost_usd', 'estimated',
          r.usage -> 'estimated') end,
    'pending_approvals', case when not is_ended and (r.status = 'requires_action'
        or r.pending_waits @> '[{"kind": "sub_task"}]')
      then private.render_pending_calls(r, 'pending_approval', render_runs.viewer_id, render_runs.is_service) end,
    'pending_client_calls', case when not is_ended and (r.status = 'requires_action'
        or r.pending_waits @> '[{"kind": "sub_task"}]')
      then private.render_pending_calls(r, 'pending_client', render_runs.viewer_id, render_runs.is_service) end,
    'pending_waits', case when not is_ended then private.render_waits(r) end,
    'created_at', r.created_at, 'completed_at', r.finished_at)
  from public.runs r where r.id = any (ids)
$$;

create or replace function private.render_run(
  run_id uuid, viewer_id uuid default null, is_service boolean default false)
returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  body json;
begin
  select b.body into body from private.render_runs(array[render_run.run_id], false, render_run.viewer_id,
    render_run.is_service) as b;
  if is_service or viewer_id is null or exists (
      select 1 from public.swarm_members m
      where m.swarm_id = (body ->> 'swarm_id')::uuid and m.user_id = viewer_id and m.status = 'active') then
    return body;
  end if;
  -- The owner of an agent who decides on a call of it in a conversation of somebody else.
  return json_build_object('run_id', body -> 'run_id', 'swarm_id', body -> 'swarm_id', 'status', body -> 'status',
    'stop_reason', body -> 'stop_reason', 'message', null, 'responses', '[]'::json, 'errors', '[]'::json,
    'usage', null, 'pending_approvals', body -> 'pending_approvals', 'pending_client_calls', null,
    'pending_waits', null, 'created_at', body -> 'created_at', 'completed_at', body -> 'completed_at');
end
$$;
grant execute on function private.render_run(uuid, uuid, boolean) to sb_service;

-- Whether others than a user are or were members of a swarm.
create or replace function private.is_shared(swarm_id uuid, user_id uuid) returns boolean language plpgsql stable
as $$
begin
  return exists (select 1 from private.shared_swarms s where s.swarm_id = is_shared.swarm_id)
    or not exists (select 1 from public.swarms s where s.id = is_shared.swarm_id and s.owner_id = is_shared.user_id);
end
$$;

-- Whether the starter of a run approves each call of a tool that acts for the starter: whoever else speaks in the
-- swarm, or has spoken where the agents still read it, must not make the starter act. Former admins may have left
-- guardrails, roles and a description. Agents speak for their owners, unless the app vouches for them. The bound is
-- that of `history_limit`, unless a summary tells of all messages.
create or replace function private.must_starter_approve(swarm_id uuid, starter_id uuid) returns boolean
language plpgsql stable
as $$
begin
  return private.is_shared(must_starter_approve.swarm_id, starter_id)
    -- Whoever speaks around a sub-task has written what it is asked, and reads its answer.
    or exists (
      select 1 from private.sub_tasks t
      where t.swarm_id = must_starter_approve.swarm_id and private.must_starter_approve(t.parent_swarm_id, starter_id))
    or exists (
      select 1 from private.list_speakers(must_starter_approve.swarm_id, starter_id) as sa
      join public.agents a on a.id = sa.agent_id
      where a.user_id <> starter_id and not a.acts_for_askers)
    or exists (
      select 1
      from (select * from public.messages m where m.swarm_id = must_starter_approve.swarm_id
            order by m.seq desc limit case when not exists (select 1 from public.conversation_summaries s
              where s.swarm_id = must_starter_approve.swarm_id) then 501 end) as m
      left join public.agents a on a.id = m.sender_agent_id
      where m.deleted_at is null and case m.sender_type when 'user' then m.sender_user_id is distinct from starter_id
        when 'agent' then (a.user_id = starter_id or a.acts_for_askers) is not true else false end);
end
$$;

-- Whether the starter approves each call of a tool of this kind because the agent is not their own, even if the app
-- vouches for the agent. Inlined.
create or replace function private.is_starter_asked(kind text, agent_owner_id uuid, starter_id uuid) returns boolean
language sql immutable
as $$ select kind = 'schedule' and agent_owner_id is distinct from starter_id $$;

-- Whether a tool that acts for the starter may write, as far as its definition tells: a tool of a function of the
-- database reads unless it says otherwise, and the method tells about HTTP.
create or replace function private.may_tool_write(kind text, config jsonb) returns boolean
language sql immutable
as $$
  select case kind when 'rpc' then coalesce(config -> 'writes' = 'true', false)
    when 'http' then coalesce(config ->> 'method' not in ('GET', 'HEAD'), true) else true end
$$;

-- Whether the starter approves each call of a tool because the swarm, or one around it, has messages of outside
-- senders: the tool may write, and what lets one of these senders in does not name it.
create or replace function private.is_outside_heard(swarm_id uuid, tool public.tools) returns boolean
language plpgsql stable
as $$
begin
  return private.may_tool_write(tool.kind, tool.config) and exists (
      select 1 from private.outside_senders o
      where o.swarm_id = is_outside_heard.swarm_id and tool.name <> all (o.allowed_tools))
    or exists (
      select 1 from private.sub_tasks t
      where t.swarm_id = is_outside_heard.swarm_id and private.is_outside_heard(t.parent_swarm_id, tool));
end
$$;

-- The agents that may speak in a swarm to a sender: enabled, and either their owner is an active member, or the sender
-- holds a grant, whose terms are then the columns from `grant_id` on; in a sub-task also the agents of the tool's
-- owner. The account of the owner is not banned. Decides who speaks, at the admission of a run and before every step.
-- Plain SQL that returns rows, so that it becomes a part of the statement that calls it.
create or replace function private.list_speakers(swarm_id uuid, sender_id uuid)
returns table (agent_id uuid, user_id uuid, role_override text, "position" integer, created_at timestamptz,
  grant_id uuid, payer_id uuid, agent_version integer, is_limited boolean, is_cost_limited boolean,
  accepts_client_tools boolean, approver text)
language sql stable
as $$
  select sa.agent_id, a.user_id, case when (g.held).id is null then sa.role_override end, sa.position, sa.created_at,
    (g.held).id, case (g.held).payer when 'owner' then a.user_id when 'asker' then list_speakers.sender_id end,
    (g.held).agent_version, private.is_limited(g.held),
    coalesce((g.held).cost_per_day, (g.held).total_cost_per_day) is not null, (g.held).accepts_client_tools,
    (g.held).approver
  from public.swarm_agents sa
  join public.agents a on a.id = sa.agent_id
  cross join lateral (
    select (select true from public.swarm_members m
            where m.swarm_id = sa.swarm_id and m.user_id = a.user_id and m.status = 'active') as is_seated
    offset 0) as owner
  cross join lateral (
    select case when owner.is_seated is null
      then private.find_terms(sa, a.user_id, list_speakers.sender_id) end as held
    offset 0) as g
  where sa.swarm_id = list_speakers.swarm_id and sa.enabled
    and (owner.is_seated or (g.held).agent_id is not null)
    and (select u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
         from auth.users u where u.id = a.user_id)
$$;

create or replace function private.remove_tool_secrets(toolbox jsonb) returns jsonb language plpgsql stable
as $$
begin
  if toolbox = '[]' then
    return toolbox;
  end if;
  return (select jsonb_agg(t.value - 'secrets_wrapped') from jsonb_array_elements(toolbox) as t);
end
$$;

create or replace function private.are_co_members(one_id uuid, other_id uuid) returns boolean
language plpgsql stable
as $$
begin
  return exists (
    select 1 from public.swarm_members one
    join public.swarm_members other on other.swarm_id = one.swarm_id and other.status = 'active'
    where one.user_id = one_id and one.status = 'active' and other.user_id = other_id);
end
$$;

-- Whether the owner of an agent may see the tool. A single expression, like the one below, so that it becomes a part of
-- the statement that calls it.
create or replace function private.is_tool_usable(tool public.tools, agent_owner_id uuid) returns boolean
language sql stable
as $$
  select tool.owner_id is null or tool.visibility = 'public' or tool.owner_id = agent_owner_id
    or (tool.visibility = 'shared' and private.are_co_members(agent_owner_id, tool.owner_id))
$$;

create or replace function private.render_tool(tool public.tools, configuration jsonb, approver text,
  requires_approval boolean, secrets_wrapped bytea) returns jsonb
language sql stable
as $$
  select jsonb_build_object('id', tool.id, 'owner_id', tool.owner_id, 'name', tool.name,
    'description', tool.description, 'kind', tool.kind, 'input_schema', tool.input_schema, 'config', tool.config,
    'configuration', configuration, 'requires_approval', requires_approval, 'timeout_ms', tool.timeout_ms,
    'max_output_chars', tool.max_output_chars, 'max_retries', tool.max_retries, 'idempotent', tool.idempotent,
    'approver', approver, 'acts_for_starter', private.acts_for_starter(tool.kind, tool.config),
    'secrets_wrapped', translate(encode(secrets_wrapped, 'base64'), E'\n', ''))
$$;

-- The tools of an agent that are switched on at both ends, that its owner may see, and that work for the starter. Takes
-- columns, because a whole row has the texts of the agent.
create or replace function private.build_agent_tools(agent_id uuid, agent_owner_id uuid, acts_for_askers boolean,
  swarm_id uuid, starter_id uuid) returns jsonb
language plpgsql stable
as $$
begin
  -- Many agents have no tools, and the statement below is a large one to prepare.
  if not exists (select 1 from public.agent_tools x where x.agent_id = build_agent_tools.agent_id and x.enabled) then
    return '[]';
  end if;
  return (select coalesce(jsonb_agg(private.render_tool(t, x.configuration, x.approver, t.requires_approval
        or private.acts_for_starter(t.kind, t.config)
          and (private.must_starter_approve(build_agent_tools.swarm_id, starter_id)
            or private.is_outside_heard(build_agent_tools.swarm_id, t)
            or private.is_starter_asked(t.kind, agent_owner_id, starter_id)),
        s.secrets_wrapped) order by t.name, t.id), '[]')
    from public.agent_tools x
    join public.tools t on t.id = x.tool_id
    left join private.tool_secrets s on s.tool_id = t.id
    where x.agent_id = build_agent_tools.agent_id and x.enabled and t.enabled
      and private.is_tool_usable(t, agent_owner_id)
      and (not private.acts_for_starter(t.kind, t.config)
        or private.may_tool_act(t, x.is_vouched, agent_owner_id, acts_for_askers, starter_id)));
end
$$;

-- The same for the tools of a version. A tool with a definition is what it was then; it must still exist. It needs an
-- approval if it needs one now, too, so that an old version is no way around it; and it gets the current secrets unless
-- it has moved since, because secrets for one host are not sent to another.
create or replace function private.build_tools(assigned jsonb, agent_id uuid, agent_owner_id uuid,
  acts_for_askers boolean, swarm_id uuid, starter_id uuid) returns jsonb
language plpgsql stable
as $$
begin
  if assigned = '[]' then
    return '[]';
  end if;
  return (select coalesce(jsonb_agg(private.render_tool(t, x.configuration, x.approver,
        t.requires_approval or live.requires_approval or (t.config <> live.config and exists (
          select 1 from private.approval_servers a
          where a.owner_id = t.owner_id and a.server = private.get_credential_server(t)))
        or private.acts_for_starter(t.kind, t.config)
          and (private.must_starter_approve(build_tools.swarm_id, starter_id)
            or private.is_outside_heard(build_tools.swarm_id, t)
            or private.is_starter_asked(t.kind, agent_owner_id, starter_id)),
        case when t.config = live.config or private.get_tool_host(t.config) is not distinct from
          private.get_tool_host(live.config) then s.secrets_wrapped end)
      order by t.name, t.id), '[]')
    from jsonb_to_recordset(assigned) as x (tool_id uuid, name text, enabled boolean, configuration jsonb,
      approver text, is_vouched boolean, definition jsonb)
    join public.tools live on live.id = x.tool_id
    cross join lateral
      jsonb_populate_record(live, private.get_kept_definition(live, x.name, x.definition, agent_owner_id)) as t
    left join public.agent_tools assignment
      on assignment.agent_id = build_tools.agent_id and assignment.tool_id = live.id
    left join private.tool_secrets s on s.tool_id = live.id
    where x.enabled and t.enabled and private.is_tool_usable(live, agent_owner_id)
      and (not private.acts_for_starter(t.kind, t.config) or private.may_tool_act(t,
        x.is_vouched and assignment.is_vouched, agent_owner_id, acts_for_askers, starter_id)));
end
$$;

-- Returns what a lost node has left of its run, beside the stored progress; null when the run was not taken over.
-- `lost_calls` is the number of model calls of a turn that ended with their node since the progress was stored, if one
-- was made, and `lost_chars` the length of what was stored of their answers.
create or replace function private.build_recovery(run public.runs) returns json language plpgsql stable
as $$
declare
  kept private.run_progress;
  known_seq integer;
begin
  if not exists (select 1 from private.run_leases l where l.run_id = run.id and l.is_taken_over) then
    return null;
  end if;
  select p.* into kept from private.run_progress p where p.run_id = run.id;
  known_seq := coalesce((kept.progress ->> 'seq')::integer, 0);
  return json_build_object(
    -- A run that waited has stored its progress before that, and the time that it waits does not count.
    'elapsed_ms', case when kept.run_id is null or kept.progress ? 'seq'
      -- The clock may have been set back.
      then greatest(0, extract(epoch from now() - coalesce(kept.saved_at, run.started_at)) * 1000)::bigint else 0 end,
    'open_turns', (
      select coalesce(json_agg(json_build_object('id', t.id, 'message_id', t.message_id, 'agent_id', t.agent_id,
          'position', t.position, 'text', private.read_turn_text(run.id, t.id, null),
          'lost_calls', 1 + (select count(*) from public.run_events e
            where e.run_id = run.id and e.seq > known_seq and e.type = 'turn.restarted'
              and e.data ->> 'turn_id' = t.id::text),
          'lost_chars', (select coalesce(sum(length(piece.value)), 0) from public.run_events e
            cross join lateral jsonb_array_elements_text(e.data -> 'deltas') as piece
            where e.run_id = run.id and e.seq > known_seq and e.type in ('message.delta', 'reasoning.delta')
              and e.data ->> 'turn_id' = t.id::text))
        order by t.position, t.id), '[]')
      from public.run_turns t
      where t.swarm_id = run.swarm_id and t.run_id = run.id and t.status in ('waiting', 'thinking', 'responding')
        and t.agent_id is not null),
    'reservations', (
      select coalesce(json_agg(json_build_object('id', b.id, 'turn_id', b.turn_id, 'usage', b.usage)), '[]')
      from private.budget_reservations b where b.run_id = run.id));
end
$$;

-- The agent to which the conversation of a swarm was handed over last; null when none was. The agent may be gone.
create or replace function private.find_agent_in_charge(swarm_id uuid) returns uuid language plpgsql stable
as $$
begin
  return (select (t.handoff ->> 'agent_id')::uuid from public.run_turns t
    where t.swarm_id = find_agent_in_charge.swarm_id and t.handoff is not null order by t.finished_at desc limit 1);
end
$$;

-- The latest questions of agents to others, with the messages that answer them.
create or replace function private.list_questions(swarm_id uuid) returns json language plpgsql stable
as $$
begin
  return (
    select coalesce(json_agg(json_build_object('message_id', q.message_id, 'asked', q.asked)), '[]')
    from (select t.message_id, t.asked from public.run_turns t
          where t.swarm_id = list_questions.swarm_id and t.asked is not null
          order by t.started_at desc limit 100) as q);
end
$$;

-- Whether an agent speaks in a run that has been admitted: by a grant only if the grant has counted the run, because
-- whoever owns the swarm can add the agent while the run waits. A single expression, which PostgreSQL puts into the
-- statement that calls it.
create or replace function private.is_run_speaker(run_id uuid, agent_id uuid, grant_id uuid) returns boolean
language sql stable
as $$
  select grant_id is null or (select l.granted_ids is null or agent_id = any (l.granted_ids)
    from private.run_leases l where l.run_id = is_run_speaker.run_id) is not false
$$;

-- Returns what a node needs to execute the runs that are running. A run that has just been admitted has no progress and
-- no decisions; as a constant, `is_new` removes from the plan what reads them.
create or replace function private.load_runs(ids uuid[], is_new boolean) returns table (run_id uuid, context json)
language sql stable
as $$
  select r.id, json_build_object(
    'run', json_build_object('id', r.id, 'swarm_id', r.swarm_id, 'user_id', r.user_id, 'message_id', r.message_id,
      'strategy', r.strategy, 'request', r.request),
    'last_seq', (select coalesce(max(e.seq), 0) from public.run_events e where e.run_id = r.id),
    'swarm', json_build_object('id', s.id, 'name', s.name, 'description', s.description, 'status', s.status,
      'owner_id', coalesce(task.owner_id, s.owner_id), 'coordinator_agent_id', s.coordinator_agent_id,
      'settings', s.settings,
      'is_private', exists (select from private.private_swarms p where p.swarm_id = s.id)),
    'message', (select m.content from public.messages m where m.id = r.message_id),
    'agents', coalesce(speakers.agents, '[]'),
    'people', coalesce((
      select json_agg(json_build_object('id', m.user_id,
          'name', coalesce(nullif(p.full_name, ''), 'User')) order by m.joined_at, m.id)
      from (select * from public.swarm_members m where m.swarm_id = r.swarm_id and m.status = 'active'
            order by m.joined_at, m.id limit 50) as m
      left join public.profiles p on p.id = m.user_id), '[]'),
    'in_charge_agent_id', case when r.strategy = 'handoff' then private.find_agent_in_charge(r.swarm_id) end,
    'questions', case when r.strategy = 'supervisor' then private.list_questions(r.swarm_id) else '[]'::json end,
    'payer_id', payer.id,
    'has_budget', r.request ? 'budget' or s.parent_run_id is not null
      or coalesce(jsonb_typeof(s.settings -> 'budget') = 'object', false)
      or coalesce((select true from private.list_day_budgets(payer.id)), false)
      or coalesce(speakers.has_budget, false),
    'guardrails', private.build_guardrails(r.swarm_id, r.user_id, (r.request ->> 'agent_version')::integer),
    'may_go_on', is_new or (private.may_run_continue(r) and private.is_starter_active(r)),
    'progress', case when not is_new then (select p.progress from private.run_progress p where p.run_id = r.id) end,
    'max_unstored_seqs', private.max_unstored_seqs(),
    'recovery', case when not is_new then private.build_recovery(r) end,
    'decisions', case when is_new then '[]'::json else coalesce((
      -- A submitted result is read here; until then a waiting call has no output.
      select json_agg(json_build_object('id', x.id, 'status', x.status, 'error', x.error, 'duration_ms', x.duration_ms,
        'output', p.output, 'answer', p.answer, 'question_id', p.question -> 'id'))
      from public.tool_executions x
      left join public.tool_execution_payloads p on p.tool_execution_id = x.id and x.status = 'running'
      -- Those that have waited, and those that have not ended.
      where x.swarm_id = r.swarm_id and x.run_id = r.id and x.status in ('running', 'denied', 'timed_out')), '[]') end)
  from public.runs r
  join public.swarms s on s.id = r.swarm_id
  left join private.sub_tasks task on s.parent_run_id is not null and task.swarm_id = s.id
  cross join lateral (
    select coalesce(case when r.request ? 'payer_id'
      then (select u.id from auth.users u where u.id = (r.request ->> 'payer_id')::uuid) end, task.payer_id, s.owner_id)
    -- A column for list_day_budgets: PostgreSQL does not inline a function whose argument has a subquery.
    offset 0) as payer (id)
  cross join lateral (
    select json_agg(case when v.number is null
        then json_build_object('id', a.id, 'name', a.name, 'role', coalesce(sa.role_override, a.role),
          'position', sa.position, 'framework', a.framework, 'model', a.model, 'settings', a.settings,
          'user_id', a.user_id, 'payer_id', sa.payer_id, 'grant_id', sa.grant_id,
          'accepts_client_tools', coalesce(sa.accepts_client_tools, true),
          -- The coordinator reads its own prompt when it selects who speaks next.
          'system_prompt', case when r.strategy = 'selector' then a.system_prompt end)
        else json_build_object('id', a.id, 'name', a.name, 'role', v.role, 'position', sa.position,
          'framework', v.framework, 'model', v.model, 'settings', v.settings, 'user_id', a.user_id,
          'payer_id', sa.payer_id, 'grant_id', sa.grant_id,
          'accepts_client_tools', coalesce(sa.accepts_client_tools, true),
          'system_prompt', case when r.strategy = 'selector' then v.system_prompt end) end
        order by sa.position, sa.created_at, a.id),
      bool_or(sa.is_cost_limited or coalesce((select true from private.list_day_budgets(sa.payer_id)), false))
        filter (where sa.payer_id is not null)
    from private.list_speakers(r.swarm_id, r.user_id) as sa
    join public.agents a on a.id = sa.agent_id
    left join public.agent_versions v on v.agent_id = a.id and v.number = sa.agent_version
    where private.is_run_speaker(r.id, sa.agent_id, sa.grant_id))
    as speakers (agents, has_budget)
  where r.id = any (ids) and r.status = 'running'
$$;

-- Returns a claimed run for the node that holds its lease; null for any other.
create or replace function private.load_run(run_id uuid, fence bigint) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return (select c.context from private.load_runs(array[load_run.run_id], false) as c
          join private.run_leases l on l.run_id = c.run_id and l.fence = load_run.fence);
end
$$;
grant execute on function private.load_run(uuid, bigint) to sb_service;

-- The latest messages of a swarm after a seq, and up to another one if there is one, column by column and the latest
-- first, so that types are looked up once for each column and not for each row. More than the longest of contexts holds
-- is not read: swarms full of long messages would fill the memory of a node. While each message is short enough for all
-- of them to fit, the sizes are not added up, which costs as much as reading the messages.
create or replace function private.read_messages(swarm_id uuid, after_seq bigint, max_messages integer,
  up_to_seq bigint default null)
returns table (messages json) language sql stable
as $$
  select case when bool_or(n.is_long) then private.read_long_messages(read_messages.swarm_id, read_messages.after_seq,
      read_messages.max_messages, read_messages.up_to_seq)
    else json_build_object('id', json_agg(n.id), 'seq', json_agg(n.seq), 'sender_type', json_agg(n.sender_type),
      'sender_id', json_agg(n.sender_id), 'sender_name', json_agg(n.sender_name),
      'content', json_agg(n.content) filter (where not n.is_long), 'run_id', json_agg(n.run_id)) end
  from (select m.id, m.seq, m.sender_type, m.sender_id, m.sender_name, m.content, m.run_id,
          (coalesce(octet_length(m.content), 0) * read_messages.max_messages::bigint >= 4000000) is not false as is_long
        from public.messages m
        where m.swarm_id = read_messages.swarm_id and m.seq > read_messages.after_seq
          and (read_messages.up_to_seq is null or m.seq <= read_messages.up_to_seq)
        order by m.seq desc limit read_messages.max_messages) as n
$$;

-- The same for messages of which not all may be read.
create or replace function private.read_long_messages(swarm_id uuid, after_seq bigint, max_messages integer,
  up_to_seq bigint)
returns json language plpgsql stable
as $$
begin
  return (
    select json_build_object('id', array_agg(n.id), 'seq', array_agg(n.seq), 'sender_type', array_agg(n.sender_type),
      'sender_id', array_agg(n.sender_id), 'sender_name', array_agg(n.sender_name), 'content', array_agg(n.content),
      'run_id', array_agg(n.run_id))
    from (select m.*, sum(m.bytes) over (order by m.seq desc rows unbounded preceding) - m.bytes as newer_bytes
          from (select m.id, m.seq, m.sender_type, m.sender_id, m.sender_name, m.content, m.run_id,
                  coalesce(octet_length(m.content), 0) as bytes
                from public.messages m
                where m.swarm_id = read_long_messages.swarm_id and m.seq > read_long_messages.after_seq
                  and (read_long_messages.up_to_seq is null or m.seq <= read_long_messages.up_to_seq)
                order by m.seq desc limit read_long_messages.max_messages) as m) as n
    where n.newer_bytes < 4000000);
end
$$;

-- Does not apply to the service role.
create or replace function private.may_start_runs(swarm_id uuid, user_id uuid) returns boolean language plpgsql stable
as $$
begin
  return (select exists (select 1 from public.swarm_members m
      where m.swarm_id = may_start_runs.swarm_id and m.user_id = may_start_runs.user_id
                     and m.status = 'active' and m.role <> 'viewer'));
end
$$;

-- Whether the agents of a swarm answer whoever writes, because all of their owners take part. One whose owner does not
-- answers by the grant of the sender.
create or replace function private.answers_everybody(swarm_id uuid) returns boolean language plpgsql stable
as $$
begin
  return not exists (
    select 1 from public.swarm_agents sa join public.agents a on a.id = sa.agent_id
    where sa.swarm_id = answers_everybody.swarm_id and sa.enabled and not exists (
      select 1 from public.swarm_members m
      where m.swarm_id = sa.swarm_id and m.user_id = a.user_id and m.status = 'active'));
end
$$;

-- Whether the starter of a run may still start runs in the swarm. Where the agents answer everybody, an auto_respond
-- run answers all messages that were stored before it started, so the right of any of their authors is enough.
create or replace function private.may_run_continue(run public.runs) returns boolean language plpgsql stable
as $$
begin
  return (select run.request ?| array['payer_id', 'by_service'] or private.may_start_runs(run.swarm_id, run.user_id)
      or (run.request ->> 'source' = 'sub_task' and exists (
            select 1 from private.sub_tasks t
            join public.runs outer_run on outer_run.id = t.parent_run_id and outer_run.finished_at is null
            where t.run_id = run.id and private.may_run_continue(outer_run)))
      or (run.request ->> 'source' = 'auto_respond' and private.answers_everybody(run.swarm_id) and exists (
            select 1 from public.messages first
            join public.messages later on later.swarm_id = first.swarm_id and later.seq > first.seq
              and later.sender_type = 'user'
              and later.created_at <= coalesce(run.started_at, now())
            where first.swarm_id = run.swarm_id and first.id = run.message_id
              and private.may_start_runs(later.swarm_id, later.sender_user_id))));
end
$$;

-- Whether the account that started a run, and its API key, are active. Asked when a run that was queued, has waited or
-- lost its node continues, which can be months later. A run of several keys has the id of none.
create or replace function private.is_starter_active(run public.runs) returns boolean language plpgsql stable
as $$
begin
  return run.user_id is null or exists (
    select 1 from auth.users u
    join private.run_leases l on l.run_id = run.id
    left join auth.sessions held on held.id = l.api_key_id and (held.not_after is null or held.not_after > now())
    where u.id = run.user_id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
      and (l.api_key_id is null or l.api_key_id = run.id or held.id is not null));
end
$$;

-- The key of the session lock that the holder of leases has while it lives.
create or replace function private.get_session_key(owner text) returns bigint language sql immutable
as $$ select hashtextextended(owner, 53) $$;
grant execute on function private.get_session_key(text) to sb_service;

-- The keys of all session locks of nodes, and of other advisory locks that have one key.
create or replace function private.list_session_keys() returns bigint[] language sql stable
as $$
  select coalesce(array_agg((l.classid::bigint << 32) | l.objid::bigint), '{}') from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
$$;
grant execute on function private.list_session_keys() to sb_service;

-- Returns for all runs of a node whether the node still owns them, and whether they are cancelled or lost their swarm
-- or an agent. Also renews their leases; a locked row is renewed by the next call. `held_ms` is how long the node holds
-- the run from now on. Nodes call it every second. Without a session, only a lease that is renewed shows that the node
-- lives.
create or replace function private.renew_run_leases(run_ids uuid[], fences bigint[], lease_ms integer)
returns table (run_id uuid, is_lost boolean, held_ms integer, cancel_reason text, swarm_status text,
  may_go_on boolean, gone_turn_ids uuid[])
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  sessions constant bigint[] := private.list_session_keys();
begin
  update private.run_leases l set expires_at = now() + renew_run_leases.lease_ms * interval '1 millisecond'
  where l.run_id in (
    select held.run_id from private.run_leases held
    join unnest(renew_run_leases.run_ids, renew_run_leases.fences) as mine (id, fence)
      on mine.id = held.run_id and mine.fence = held.fence
    where held.expires_at < now() + renew_run_leases.lease_ms * interval '0.67 millisecond'
      or private.get_session_key(held.owner) <> all (sessions)
    for update of held skip locked);
  return query
  select mine.id, l.fence is distinct from mine.fence or r.status is distinct from 'running',
    (extract(epoch from l.expires_at - now()) * 1000)::integer,
    case when l.cancel_requested_at is not null then coalesce(l.cancel_reason, 'cancelled') end, s.status,
    coalesce(private.may_run_continue(r), false),
    array(select t.id from public.run_turns t
          where t.swarm_id = r.swarm_id and t.run_id = r.id and t.status in ('waiting', 'thinking', 'responding')
            and not exists (select 1 from private.list_speakers(t.swarm_id, r.user_id) as sa
                            where sa.agent_id = t.agent_id))
  from unnest(renew_run_leases.run_ids, renew_run_leases.fences) as mine (id, fence)
  left join public.runs r on r.id = mine.id
  left join private.run_leases l on l.run_id = mine.id
  left join public.swarms s on s.id = r.swarm_id;
end
$$;
grant execute on function private.renew_run_leases(uuid[], bigint[], integer) to sb_service;

-- Ends runs of lost nodes that no node may take over, and returns their statuses.
create or replace function private.end_lost_runs(max_rows integer) returns text[]
language plpgsql volatile
as $$
declare
  found_lease record;
  run public.runs;
  ended text[] := '{}';
begin
  for found_lease in
    select l.run_id, r.swarm_id, private.get_cancel_reason(l) as cancel_reason
    from private.run_leases l join public.runs r on r.id = l.run_id and r.status = 'running'
    where l.expires_at < now() and not private.can_take_over(r, l) order by l.expires_at limit end_lost_runs.max_rows
  loop
    perform 1 from public.swarms s where s.id = found_lease.swarm_id for key share skip locked;
    continue when not found;
    select r.* into run from public.runs r
    where r.id = found_lease.run_id and r.status = 'running' for no key update skip locked;
    continue when not found or not exists (
      select 1 from private.run_leases l where l.run_id = run.id and l.expires_at < now());
    begin
      if found_lease.cancel_reason is not null then
        perform private.close_cancelled_run(run, found_lease.cancel_reason);
      else
        perform private.close_run(run, 'failed', 'worker_lost',
          jsonb_build_object('code', 'WORKER_LOST', 'message', 'The node that carried out this run went away',
            'retryable', true, 'provider_status', null), 'error', 'worker_lost');
      end if;
      ended := ended || (select r.status from public.runs r where r.id = run.id);
    exception when data_exception or integrity_constraint_violation or raise_exception then
      -- One that cannot be ended must not keep the others from it; it comes last the next time.
      raise warning 'run % cannot be ended: %', run.id, sqlerrm;
      update private.run_leases l set expires_at = now() where l.run_id = run.id;
      -- The node is gone, so its calls in flight cannot be settled.
      delete from private.budget_reservations b where b.run_id = run.id and b.usage is null;
    end;
  end loop;
  return ended;
end
$$;

-- Ends runs of lost nodes that no node may take over, tool calls that waited too long for an approval or a client,
-- waits whose time has come, and those for sub-tasks that have ended or were deleted. Returns how many, and in how many
-- milliseconds the next of these calls is due.
create or replace function private.sweep_runs(max_rows integer, out ended text[], out expired integer,
  out next_due_ms double precision)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  found_execution record;
  run public.runs;
begin
  ended := private.end_lost_runs(sweep_runs.max_rows);
  expired := 0;
  for found_execution in
    (select x.id, x.run_id, x.status from public.tool_executions x
     where x.status in ('pending_approval', 'pending_client', 'waiting') and x.expires_at < now()
     order by x.expires_at limit sweep_runs.max_rows)
    union all
    (select x.id, x.run_id, x.status from public.tool_executions x
     where x.status in ('pending_approval', 'pending_client', 'waiting') and x.agent_id is null
     order by x.id limit sweep_runs.max_rows)
  loop
    select r.* into run from public.runs r where r.id = found_execution.run_id for no key update skip locked;
    continue when not found;
    case found_execution.status
      when 'waiting' then
        perform private.end_wait(found_execution.id, jsonb_build_object('ended_by', 'time', 'at', now()), null);
      when 'pending_client' then
        perform private.deny_tool(run, found_execution.id, null, 'CLIENT_TOOL_EXPIRED',
          'The client submitted no result in time');
      else
        perform private.deny_tool(run, found_execution.id, null, 'APPROVAL_EXPIRED',
          'Nobody approved this call in time');
    end case;
    expired := expired + 1;
  end loop;
  for run in
    select r.* from public.tool_executions x
    join public.runs r on r.id = x.sub_run_id and r.finished_at is not null
    where x.status = 'waiting' and x.sub_run_id is not null limit sweep_runs.max_rows
  loop
    expired := expired + private.answer_sub_task(run)::integer;
  end loop;
  for found_execution in
    select x.id, x.run_id from public.tool_executions x
    where x.status = 'waiting' and x.sub_run_id is not null
      and not exists (select 1 from public.runs r where r.id = x.sub_run_id) limit sweep_runs.max_rows
  loop
    perform 1 from public.runs r where r.id = found_execution.run_id for no key update skip locked;
    continue when not found;
    update public.tool_executions x
    set error = '{"code": "SUB_TASK_FAILED", "message": "The sub-task was deleted.", "retryable": false}'
    where x.id = found_execution.id and x.status = 'waiting';
    expired := expired + private.end_wait(found_execution.id, '""', null)::integer;
  end loop;
  perform private.announce_waiting_tasks(sweep_runs.max_rows);
  next_due_ms := least(
    (select extract(epoch from x.expires_at - clock_timestamp()) * 1000 from public.tool_executions x
     where x.status in ('pending_approval', 'pending_client', 'waiting') and x.expires_at is not null
     order by x.expires_at limit 1),
    (select extract(epoch from min(l.expires_at) - clock_timestamp()) * 1000 from private.run_leases l));
end
$$;
grant execute on function private.sweep_runs(integer) to sb_service;

-- Without a retention, the events are kept. Returns max_rows when more rows may be due.
create or replace function private.prune_run_rows(retention interval, max_rows integer) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  bound constant uuid := private.find_prune_bound('public.run_events',
    private.get_first_id(now() - prune_run_rows.retention));
  pruned integer := 0;
  gone integer;
begin
  if prune_run_rows.retention is not null then
    -- Ids of rows are unique within a partition only.
    delete from public.run_events e
    using (
      select old.run_id, old.seq from public.run_events old
      join public.runs r on r.id = old.run_id and r.status in ('completed', 'partial', 'failed', 'cancelled')
      where (bound is null or old.run_id < bound)
        and old.created_at < now() - prune_run_rows.retention and r.finished_at < now() - prune_run_rows.retention
      limit prune_run_rows.max_rows) as due
    where e.run_id = due.run_id and e.seq = due.seq;
    get diagnostics pruned = row_count;
  end if;
  delete from private.idempotency_keys k
  where k.ctid = any (array(select old.ctid from private.idempotency_keys old
                            where old.created_at < now() - interval '24 hours' limit prune_run_rows.max_rows));
  get diagnostics gone = row_count;
  -- The limits of grants count by day.
  delete from private.grant_usage used
  where used.ctid = any (array(select old.ctid from private.grant_usage old
                               where old.day < (now() at time zone 'UTC')::date - 1 limit prune_run_rows.max_rows));
  return greatest(pruned, gone);
end
$$;
grant execute on function private.prune_run_rows(interval, integer) to sb_service;

create or replace function private.prune_model_calls(retention interval, max_rows integer) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  pruned integer;
begin
  delete from public.model_calls c
  where c.ctid = any (array(
    select old.ctid from public.model_calls old
    -- A run that waits still needs the prompts that it has recorded.
    where old.created_at < now() - prune_model_calls.retention
      and not exists (select 1 from public.runs r where r.id = old.run_id and r.finished_at is null)
    limit prune_model_calls.max_rows));
  get diagnostics pruned = row_count;
  return pruned;
end
$$;
grant execute on function private.prune_model_calls(interval, integer) to sb_service;

-- Lets a read of runs embed the turns under a short name: `turns(*,model_calls(*),tool_executions(*))`.
create or replace function public.turns(run public.runs) returns setof public.run_turns language sql stable
as $$ select t.* from public.run_turns t where t.swarm_id = run.swarm_id and t.run_id = run.id $$;
grant execute on function public.turns(public.runs) to authenticated, service_role;
