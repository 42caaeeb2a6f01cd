-- Runs are carried out under leases. Whoever holds the lease writes through private.advance_run, which checks the fence
-- first. Locks are taken in one order: swarm, run, lease, agents, messages.

-- As it is shown and stored; storing is one statement for all events of a transaction.
-- Plain SQL that promises no more than what it calls, so that it is inlined.
create or replace function private.build_run_event(
  run public.runs, seq integer, type text, data jsonb, agent_id uuid, restricted boolean default false
)
returns jsonb language sql stable
as $$
  select jsonb_build_object('seq', seq, 'type', type, 'agent_id', agent_id, 'restricted', restricted,
    'data', jsonb_build_object('run_id', run.id, 'swarm_id', run.swarm_id) || data)
$$;

-- Deltas may already be stored: their first write may have been committed without an answer.
create or replace function private.store_run_events(run public.runs, events jsonb) returns void
language plpgsql volatile
as $$
begin
  insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data)
  select run.id, e.seq, run.swarm_id, e.agent_id, e.restricted, e.type,
    jsonb_build_object('run_id', run.id, 'swarm_id', run.swarm_id) || e.data
  from jsonb_to_recordset(events) as e (seq integer, type text, agent_id uuid, restricted boolean, data jsonb)
  on conflict on constraint run_events_pkey do nothing;
end
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

-- Approved means: the execution is `running` and has not started. A run whose every pending execution is decided may go
-- on.
create or replace function private.is_run_claimable(run public.runs) returns boolean language sql stable
as $$
  select run.status = 'queued'
    or (run.status = 'requires_action'
        and not exists (select 1 from public.tool_executions x
                        where x.swarm_id = run.swarm_id and x.run_id = run.id and x.status = 'pending_approval'))
$$;
grant execute on function private.is_run_claimable(public.runs) to sb_service;

-- Whether an agent of the swarm may speak in a run: one that the run names, else any of them, and the coordinator where
-- the strategy asks it. `frameworksOf` in server/src/agents/respond decides the same when a run is admitted. A single
-- expression, which PostgreSQL puts into the statement that uses it.
create or replace function private.may_speak(request jsonb, strategy text, coordinator_id uuid, agent_id uuid)
returns boolean
language sql immutable
as $$
  select coalesce(coalesce(nullif(request -> 'agent_ids', '[]'), request -> 'mentions') ? agent_id::text, true)
    or (strategy in ('handoff', 'selector', 'supervisor') and agent_id = coordinator_id)
$$;

create or replace function private.run_frameworks(run public.runs) returns text[]
language sql stable
as $$
  select coalesce(array_agg(distinct a.framework), '{}')
  from public.swarms s
  join public.swarm_agents sa on sa.swarm_id = s.id and sa.enabled
  join public.agents a on a.id = sa.agent_id
  where s.id = run.swarm_id and private.may_speak(run.request, run.strategy, s.coordinator_agent_id, a.id)
$$;

-- Null: another run of the swarm works or is older, or somebody else is starting one right now; a later look will find
-- it.
create or replace function private.start_run(run_id uuid, owner text, lease_ms integer) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  waiting public.runs;
  new_fence bigint;
begin
  select * into waiting from public.runs r where r.id = start_run.run_id;
  if not found or waiting.status not in ('queued', 'requires_action') then
    return null;
  end if;
  -- Tried, never waited for: whoever holds it is about to answer the same question for the same swarm.
  if not pg_try_advisory_xact_lock(hashtextextended(waiting.swarm_id::text, 25)) then
    return null;
  end if;
  if exists (select 1 from public.runs r where r.swarm_id = waiting.swarm_id and r.status = 'running')
     or exists (select 1 from public.runs r
                where r.swarm_id = waiting.swarm_id and r.status in ('queued', 'requires_action')
                  and (r.queued_at, r.id) < (waiting.queued_at, waiting.id) and private.is_run_claimable(r)) then
    return null;
  end if;
  update public.runs r set status = 'running', started_at = coalesce(r.started_at, now())
  where r.id = waiting.id and r.status = waiting.status and private.is_run_claimable(r);
  if not found then
    return null;
  end if;
  insert into private.run_leases as lease (run_id, owner, fence, expires_at)
  values (waiting.id, start_run.owner, 1, now() + start_run.lease_ms * interval '1 millisecond')
  on conflict on constraint run_leases_pkey do update
  set owner = excluded.owner, fence = lease.fence + 1, expires_at = excluded.expires_at
  returning lease.fence into new_fence;
  perform private.append_run_event(waiting.id, 'run.started',
    jsonb_build_object('status', 'running', 'is_resumed', waiting.status = 'requires_action'), null, false);
  return new_fence;
end
$$;
grant execute on function private.start_run(uuid, text, integer) to sb_service;

-- Oldest first, one per swarm. `rooms` says how many more runs the node may carry out for each framework of `bounded`;
-- a run that finds none stays queued. Ends when a room is used up: those behind, which do not need it, are claimed by
-- the next call. Most runs that wait are queued, so is_run_claimable, which PostgreSQL cannot inline, is not called for
-- them.
create or replace function private.claim_runs(
  owner text, lease_ms integer, max_runs integer, bounded text[] default '{}', rooms integer[] default '{}')
returns table (run_id uuid, fence bigint, frameworks text[])
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  candidate public.runs;
  claimed integer := 0;
  full_frameworks text[] := array(
    select place.framework from unnest(claim_runs.bounded, claim_runs.rooms) as place (framework, room)
      where place.room <= 0);
begin
  for candidate in
    select r.* from public.runs r
    where r.status in ('queued', 'requires_action') and (r.status = 'queued' or private.is_run_claimable(r))
      and not exists (select 1 from public.runs busy where busy.swarm_id = r.swarm_id and busy.status = 'running')
      and not exists (select 1 from public.runs older
                      where older.swarm_id = r.swarm_id and older.status in ('queued', 'requires_action')
                        and (older.queued_at, older.id) < (r.queued_at, r.id)
                        and (older.status = 'queued' or private.is_run_claimable(older)))
      and (cardinality(full_frameworks) = 0 or not exists (
        select 1 from public.swarms s
        join public.swarm_agents sa on sa.swarm_id = s.id and sa.enabled
        join public.agents a on a.id = sa.agent_id
        where s.id = r.swarm_id and a.framework = any (full_frameworks)
          and private.may_speak(r.request, r.strategy, s.coordinator_agent_id, a.id)))
    order by r.queued_at, r.id
    limit claim_runs.max_runs * 2
  loop
    exit when claimed >= claim_runs.max_runs;
    claim_runs.fence := private.start_run(candidate.id, claim_runs.owner, claim_runs.lease_ms);
    continue when claim_runs.fence is null;
    claim_runs.run_id := candidate.id;
    claim_runs.frameworks := case when cardinality(claim_runs.bounded) > 0 then private.run_frameworks(candidate)
      else '{}' end;
    claim_runs.rooms := array(
      select place.room - (place.framework = any (claim_runs.frameworks))::integer
      from unnest(claim_runs.bounded, claim_runs.rooms) with ordinality as place (framework, room, at)
        order by place.at);
    claimed := claimed + 1;
    return next;
    exit when exists (select 1 from unnest(claim_runs.bounded, claim_runs.rooms) as place (framework, room)
                      where place.room <= 0 and place.framework <> all (full_frameworks));
  end loop;
end
$$;
grant execute on function private.claim_runs(text, integer, integer, text[], integer[]) to sb_service;

create or replace function private.usage_body(
  input_tokens bigint, cached_input_tokens bigint, output_tokens bigint, cost_usd numeric, estimated boolean
)
returns json language sql stable parallel safe
as $$
  select json_build_object('input_tokens', coalesce(input_tokens, 0),
    'cached_input_tokens', coalesce(cached_input_tokens, 0),
    'output_tokens', coalesce(output_tokens, 0), 'total_tokens', coalesce(input_tokens, 0) + coalesce(output_tokens, 0),
    'cost_usd', cost_usd, 'estimated', coalesce(estimated, false))
$$;

-- What a run has used is what its turns have, and what the choice of its speakers has, which is nobody's turn. There is
-- one live run to a swarm, so what lies between its beginning and its end is little more than its own.
create or replace function private.run_usage(run public.runs) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select private.usage_body(sum(u.input_tokens)::bigint, sum(u.cached_input_tokens)::bigint,
      sum(u.output_tokens)::bigint,
      case when bool_or(u.cost_usd is null and u.input_tokens is not null) then null
        else coalesce(sum(u.cost_usd), 0) end,
      bool_or(u.estimated))
    from (select t.input_tokens, t.cached_input_tokens, t.output_tokens, t.cost_usd, t.estimated
          from public.run_turns t where t.swarm_id = run.swarm_id and t.run_id = run.id
          union all
          select c.input_tokens, c.cached_input_tokens, c.output_tokens, c.cost_usd, c.estimated
          from public.usage_records c
          where run.strategy = 'selector' and c.swarm_id = run.swarm_id and c.run_id = run.id and c.turn_id is null
            and c.created_at >= run.created_at and c.created_at <= coalesce(run.finished_at, now())) as u);
end
$$;

-- Pending tool calls of a run. The agent's owner and the swarm's owner and admins also see the input, as in
-- tool_execution_payloads.
create or replace function private.pending_approvals(run public.runs, viewer_id uuid, is_service boolean) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  sees_all boolean := is_service or exists (
    select 1 from public.swarm_members m
    where m.swarm_id = run.swarm_id and m.user_id = pending_approvals.viewer_id and m.status = 'active'
      and m.role in ('owner', 'admin'));
begin
  return (
    select coalesce(json_agg(case when sees_all or a.user_id = pending_approvals.viewer_id
        then json_build_object('tool_execution_id', x.id, 'tool_name', x.tool_name, 'agent_id', x.agent_id,
          'expires_at', x.expires_at, 'input', p.input)
        else json_build_object('tool_execution_id', x.id, 'tool_name', x.tool_name, 'agent_id', x.agent_id,
          'expires_at', x.expires_at) end
      order by x.created_at, x.id), '[]')
    from public.tool_executions x
    left join public.agents a on a.id = x.agent_id
    left join public.tool_execution_payloads p on p.tool_execution_id = x.id
    where x.swarm_id = run.swarm_id and x.run_id = run.id and x.status = 'pending_approval');
end
$$;

-- What everybody is told of a run: the answer of the call, the last event of its stream, the body of a later question.
create or replace function private.run_body(
  run_id uuid, viewer_id uuid default null, is_service boolean default false
) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return (select json_build_object(
    'run_id', r.id, 'swarm_id', r.swarm_id, 'status', r.status, 'stop_reason', r.stop_reason,
    'message', (select row_to_json(m) from public.messages m where m.id = r.message_id),
    'responses', coalesce((
      select json_agg(json_build_object(
          'message', row_to_json(m), 'agent_id', m.sender_id, 'agent_name', t.agent_name, 'turn_id', t.id,
          'framework', t.framework, 'model', t.model, 'finish_reason', t.finish_reason,
          'usage', private.usage_body(t.input_tokens, t.cached_input_tokens, t.output_tokens, t.cost_usd, t.estimated),
          'first_token_ms', t.first_token_ms, 'duration_ms', t.duration_ms,
          'tool_executions', coalesce((
            select json_agg(json_build_object('id', x.id, 'tool_name', x.tool_name, 'status', x.status,
              'duration_ms', x.duration_ms)
                            order by x.created_at, x.id)
            from public.tool_executions x where x.turn_id = t.id), '[]'),
          'warnings', t.warnings) order by m.seq)
      from public.run_turns t
      join public.messages m on m.id = t.message_id
      where t.swarm_id = r.swarm_id and t.run_id = r.id), '[]'),
    'errors', coalesce((
      select json_agg(json_build_object('agent_id', t.agent_id, 'turn_id', t.id, 'code', t.error ->> 'code',
          'message', t.error ->> 'message', 'retryable', coalesce((t.error ->> 'retryable')::boolean, false))
        order by t.position, t.id)
      from public.run_turns t
      where t.swarm_id = r.swarm_id and t.run_id = r.id and t.status = 'failed' and t.error is not null),
      case when r.error is null then '[]'::json
           else json_build_array(json_build_object('agent_id', null, 'turn_id', null, 'code', r.error ->> 'code',
             'message', r.error ->> 'message', 'retryable', coalesce((r.error ->> 'retryable')::boolean, false))) end),
    'usage', private.run_usage(r),
    'pending_approvals', case when r.status = 'requires_action'
      then private.pending_approvals(r, run_body.viewer_id, run_body.is_service) end,
    'created_at', r.created_at, 'completed_at', r.finished_at)
  from public.runs r where r.id = run_body.run_id);
end
$$;
grant execute on function private.run_body(uuid, uuid, boolean) to sb_service;

-- An agent speaks in a swarm while it is enabled there and its owner still belongs to it.
create or replace function private.may_agent_speak(swarm_id uuid, agent_owner_id uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select 1 from public.swarm_members m
    join auth.users u on u.id = m.user_id
    where m.swarm_id = may_agent_speak.swarm_id and m.user_id = may_agent_speak.agent_owner_id and m.status = 'active'
      and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now()))
$$;

create or replace function private.tools_without_secrets(toolbox jsonb) returns jsonb language plpgsql stable
as $$
begin
  return case when toolbox = '[]' then toolbox
    else (select jsonb_agg(t.value - 'secrets_wrapped') from jsonb_array_elements(toolbox) as t) end;
end
$$;

-- The tools of an agent that are switched on at both ends and that its owner may see.
create or replace function private.agent_toolbox(agent_id uuid, agent_owner_id uuid) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    jsonb_agg(jsonb_build_object('id', t.id, 'owner_id', t.owner_id, 'name', t.name, 'description', t.description,
      'kind', t.kind, 'input_schema', t.input_schema, 'config', t.config, 'configuration', x.configuration,
      'requires_approval', t.requires_approval, 'timeout_ms', t.timeout_ms, 'max_output_chars', t.max_output_chars,
      'secrets_wrapped', (select translate(encode(s.secrets_wrapped, 'base64'), E'\n', '') from private.tool_secrets s
        where s.tool_id = t.id))
    order by t.name, t.id), '[]')
  from public.agent_tools x
  join public.tools t on t.id = x.tool_id
  where x.agent_id = agent_toolbox.agent_id and x.enabled and t.enabled
    and (t.owner_id is null or t.visibility = 'public' or t.owner_id = agent_toolbox.agent_owner_id
         or (t.visibility = 'shared' and exists (
               select 1 from public.swarm_members mine
               join public.swarm_members other on other.swarm_id = mine.swarm_id and other.status = 'active'
               where mine.user_id = agent_toolbox.agent_owner_id and mine.status = 'active'
                 and other.user_id = t.owner_id)))
$$;

-- The stage of a run: who is in the room, what was asked, what has been spent today. Null: the run is no longer the
-- caller's.
create or replace function private.load_run(run_id uuid, fence bigint) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return (select json_build_object(
    'run', json_build_object('id', r.id, 'swarm_id', r.swarm_id, 'user_id', r.user_id, 'message_id', r.message_id,
      'strategy', r.strategy, 'request', r.request),
    'last_seq', (select coalesce(max(e.seq), 0) from public.run_events e where e.run_id = r.id),
    'swarm', json_build_object('id', s.id, 'name', s.name, 'status', s.status, 'owner_id', s.owner_id,
      'coordinator_agent_id', s.coordinator_agent_id, 'settings', s.settings),
    'message', (select m.content from public.messages m where m.id = r.message_id),
    'agents', coalesce((
      select json_agg(json_build_object('id', a.id, 'name', a.name, 'role', coalesce(sa.role_override, a.role),
        'position', sa.position,
                        'framework', a.framework, 'model', a.model, 'settings', a.settings)
                      order by sa.position, sa.created_at, a.id)
      from public.swarm_agents sa
      join public.agents a on a.id = sa.agent_id
      where sa.swarm_id = r.swarm_id and sa.enabled and private.may_agent_speak(r.swarm_id, sa.user_id)), '[]'),
    'people', coalesce((
      select json_agg(json_build_object('id', m.user_id,
          'name', coalesce(nullif(p.full_name, ''), 'User ' || left(m.user_id::text, 8))) order by m.joined_at, m.id)
      from (select * from public.swarm_members m where m.swarm_id = r.swarm_id and m.status = 'active'
            order by m.joined_at, m.id limit 50) as m
      left join public.profiles p on p.id = m.user_id), '[]'),
    'payer_id', payer.id,
    'has_budget', private.has_budget(s, payer.id), 'may_go_on', private.may_run_go_on(r),
    'progress', (select p.progress from private.run_progress p where p.run_id = r.id),
    'decisions', coalesce((
      select json_agg(json_build_object('id', x.id, 'status', x.status, 'error', x.error))
      from public.tool_executions x
      where x.swarm_id = r.swarm_id and x.run_id = r.id and x.expires_at is not null), '[]'))
  from public.runs r
  join private.run_leases l on l.run_id = r.id and l.fence = load_run.fence
  join public.swarms s on s.id = r.swarm_id
  cross join lateral (
    select coalesce((select u.id from auth.users u where u.id::text = r.request ->> 'payer_id'),
      s.owner_id)) as payer (id)
  where r.id = load_run.run_id and r.status = 'running');
end
$$;
grant execute on function private.load_run(uuid, bigint) to sb_service;

-- The newest messages after one that is known, oldest first. What this transaction has said is among them.
create or replace function private.read_transcript(swarm_id uuid, after_seq bigint, max_messages integer) returns json
language plpgsql stable
-- A room that has grown since anybody counted must not be read as a whole for the sake of its last words.
set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
  return (
    select coalesce(json_agg(read order by read.seq), '[]')
    from (select n.id, n.seq, n.sender_type, n.sender_id, n.sender_name, n.content, n.reply_to_id, n.run_id
          from (select m.*, sum(coalesce(octet_length(m.content), 0))
            over (order by m.seq desc) - coalesce(octet_length(m.content), 0) as newer_bytes
                from (select * from public.messages m
                      where m.swarm_id = read_transcript.swarm_id and m.seq > read_transcript.after_seq
                      order by m.seq desc limit read_transcript.max_messages) as m) as n
          -- More than the longest of contexts holds is not sent for: rooms full of long messages would fill the memory
          -- of a node.
          where n.newer_bytes < 4000000) as read);
end
$$;

-- Does not apply to the service role.
create or replace function private.may_start_runs(swarm_id uuid, user_id uuid) returns boolean language sql stable
as $$
  select exists (select 1 from public.swarm_members m
    where m.swarm_id = may_start_runs.swarm_id and m.user_id = may_start_runs.user_id
                   and m.status = 'active' and m.role <> 'viewer')
$$;

-- Whether the starter of a run may still start runs in the swarm. An auto_respond run answers all messages that were
-- stored before it started, so the right of any of their authors is enough.
create or replace function private.may_run_go_on(run public.runs) returns boolean language sql stable
as $$
  select run.request ?| array['payer_id', 'by_service'] or private.may_start_runs(run.swarm_id, run.user_id)
    or (run.request ->> 'source' = 'auto_respond' and exists (
          select 1 from public.messages first
          join public.messages later on later.swarm_id = first.swarm_id and later.seq > first.seq
            and later.sender_type = 'user'
            and later.created_at <= coalesce(run.started_at, now())
          where first.swarm_id = run.swarm_id and first.id = run.message_id
            and private.may_start_runs(later.swarm_id, later.sender_user_id)))
$$;

create or replace function private.take_step(run public.runs, step jsonb) returns jsonb language plpgsql volatile
as $$
begin
  case step ->> 'op'
    -- What was shown before it is stored comes from the caller.
    when 'events' then return jsonb_build_object('events', step -> 'events');
    when 'start_turn' then return private.start_turn(run, step);
    when 'turn_status' then return private.change_turn_status(run, step);
    when 'finish_turn' then return private.finish_turn(run, step);
    when 'start_tool' then return private.start_tool(run, step);
    when 'finish_tool' then return private.finish_tool(run, step);
    when 'resume_turn' then return private.resume_turn(run, step);
    when 'add_usage' then return private.add_usage(run, step);
    when 'settle_reservations' then return private.settle_reservations(run, step);
    when 'pause' then return private.pause_run(run, step);
  end case;
end
$$;

-- Returns the results of steps that were committed before, or null when they were not. Steps are committed together, so
-- one stored event of a step proves that all were. Steps that produce no event are idempotent. `seqs` is the number of
-- seqs reserved for a step.
create or replace function private.recall_steps(run public.runs, steps jsonb) returns jsonb[] language plpgsql stable
as $$
declare
  step jsonb;
  result jsonb;
  results jsonb[] := '{}';
  is_stored boolean := false;
begin
  for step in select value from jsonb_array_elements(steps) loop
    result := jsonb_build_object('events', coalesce((
      select jsonb_agg(jsonb_build_object('seq', e.seq, 'type', e.type, 'agent_id', e.agent_id,
        'restricted', e.restricted, 'data', e.data) order by e.seq)
      from public.run_events e
      where e.run_id = run.id and e.seq >= (step ->> 'seq')::integer
        and e.seq < (step ->> 'seq')::integer + (step ->> 'seqs')::integer), '[]'));
    is_stored := is_stored or result -> 'events' <> '[]';
    if step ->> 'op' in ('start_turn', 'resume_turn') then
      -- Without its row the turn did not start. `busy` makes the caller send start_turn again.
      result := case when exists (select 1 from public.run_turns t where t.id = (step ->> 'turn_id')::uuid)
        then private.resume_turn(run, step) else '{"outcome": "busy"}' end || result;
    end if;
    results := results || result;
  end loop;
  return case when is_stored then results end;
end
$$;

-- The one door for whoever carries a run out: many steps, one transaction, nothing at all once the run is somebody
-- else's.
create or replace function private.advance_run(
  run_id uuid, swarm_id uuid, fence bigint, steps jsonb, is_repeated boolean default false
)
returns json language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  run public.runs;
  lease private.run_leases;
  step jsonb;
  result jsonb;
  results jsonb[] := '{}';
  recalled jsonb[];
  events jsonb := '[]';
  op text;
  last_event jsonb;
  body json;
  is_durable boolean := false;
  read_after bigint;
  read_limit integer;
begin
  perform 1 from public.swarms s where s.id = advance_run.swarm_id for key share;
  select * into run from public.runs r where r.id = advance_run.run_id for no key update;
  select * into lease from private.run_leases l where l.run_id = advance_run.run_id;
  if run.id is null or lease.fence is distinct from advance_run.fence or run.status <> 'running' then
    return json_build_object('is_lost', true, 'cancel_reason', null, 'results', '[]'::json);
  end if;
  if advance_run.is_repeated then
    recalled := private.recall_steps(run, steps);
  end if;
  -- In one order, because another run may be about to lock the same agents.
  if recalled is null then
    perform 1 from public.agents a
    where a.id in (select (s.value ->> 'agent_id')::uuid from jsonb_array_elements(steps) as s)
    order by a.id for no key update;
  end if;
  for step in select value from jsonb_array_elements(steps) loop
    op := step ->> 'op';
    if recalled is not null then
      result := recalled[cardinality(results) + 1];
    elsif op = 'finish_run' then
      select f.event, f.body into last_event, body from private.finish_run(run, step) as f;
      events := events || last_event;
      result := jsonb_build_object('events', jsonb_build_array(last_event - 'data'));
    else
      result := private.take_step(run, step);
      events := events || (result -> 'events');
      if op = 'events' then
        result := '{"events": []}';
      end if;
    end if;
    if op = 'start_turn' then
      read_after := (step ->> 'after_seq')::bigint;
      read_limit := (step ->> 'history_limit')::integer;
    end if;
    results := results || result;
    is_durable := is_durable or op not in ('events', 'start_turn', 'turn_status', 'resume_turn');
  end loop;
  if events <> '[]' then
    perform private.store_run_events(run, events);
  end if;
  -- What has to survive is written by a later step; one that follows a crash finds its turn missing and gives the run
  -- up.
  if not is_durable then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  return json_build_object('is_lost', false,
    'cancel_reason', case when lease.cancel_requested_at is not null
      then coalesce(lease.cancel_reason, 'cancelled') end,
    'results', to_json(results), 'body', body,
    'messages', case when read_limit > 0 then private.read_transcript(run.swarm_id, read_after, read_limit) end);
end
$$;
grant execute on function private.advance_run(uuid, uuid, bigint, jsonb, boolean) to sb_service;

-- What the runs of a node are saying, each under its own fence. Waits for nobody: whoever holds a run or its swarm just
-- now is about to change it, and what was not stored comes again. Sent twice it is stored once.
create or replace function private.store_deltas(batch jsonb) returns json
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  verdicts json;
begin
  perform set_config('synchronous_commit', 'off', true);
  with asked as materialized (
    select a.run_id, a.fence, a.events from jsonb_to_recordset(batch) as a (run_id uuid, fence bigint, events jsonb)
  ), held as materialized (
    select r.id, r.swarm_id, a.events
    from asked a
    join private.run_leases l on l.run_id = a.run_id and l.fence = a.fence
    join public.runs r on r.id = a.run_id and r.status = 'running'
    join public.swarms s on s.id = r.swarm_id
    for key share of s skip locked for no key update of r skip locked
  ), stored as (
    insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data)
    select h.id, e.seq, h.swarm_id, e.agent_id, e.restricted, e.type, e.data
    from held h
    cross join lateral jsonb_to_recordset(h.events)
      as e (seq integer, type text, agent_id uuid, restricted boolean, data jsonb)
    on conflict on constraint run_events_pkey do nothing
  )
  select json_agg(json_build_object('run_id', a.run_id, 'is_stored', h.id is not null,
    'is_lost', l.fence is distinct from a.fence or r.status is distinct from 'running',
    'cancel_reason', case when l.cancel_requested_at is not null then coalesce(l.cancel_reason, 'cancelled') end))
  into verdicts
  from asked a
  left join held h on h.id = a.run_id
  left join public.runs r on r.id = a.run_id
  left join private.run_leases l on l.run_id = a.run_id;
  return coalesce(verdicts, '[]');
end
$$;
grant execute on function private.store_deltas(jsonb) to sb_service;

-- The run waits for a human: its swarm is free, its lease is given back, what it needs to go on is kept.
create or replace function private.pause_run(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
declare
  execution jsonb;
  events jsonb := '[]';
  next_seq integer := (step ->> 'seq')::integer;
  speaker_id uuid;
  until timestamptz := now() + (step ->> 'ttl_ms')::bigint * interval '1 millisecond';
begin
  -- Whoever cancels a run that works leaves it to the worker: one that then waited would wait for nothing.
  if exists (select 1 from private.run_leases l where l.run_id = run.id and l.cancel_requested_at is not null) then
    return jsonb_build_object('outcome', 'cancelled', 'events', '[]'::jsonb);
  end if;
  for execution in select value from jsonb_array_elements(step -> 'executions') loop
    speaker_id := (select a.id from public.agents a where a.id = (execution ->> 'agent_id')::uuid);
    insert into public.tool_executions (id, run_id, turn_id, swarm_id, agent_id, tool_id, tool_name, tool_call_id,
      status, expires_at)
    values ((execution ->> 'id')::uuid, run.id, (execution ->> 'turn_id')::uuid, run.swarm_id, speaker_id,
      (select t.id from public.tools t where t.id = (execution ->> 'tool_id')::uuid), execution ->> 'tool_name',
      execution ->> 'tool_call_id', 'pending_approval', until);
    insert into public.tool_execution_payloads (tool_execution_id, swarm_id, agent_id, input)
    values ((execution ->> 'id')::uuid, run.swarm_id, speaker_id, execution -> 'input');
    events := events || private.build_run_event(run, next_seq, 'tool.approval_required', jsonb_build_object(
      'tool_execution_id', execution -> 'id', 'turn_id', execution -> 'turn_id', 'agent_id', execution -> 'agent_id',
      'tool_name', execution -> 'tool_name', 'input', execution -> 'input', 'expires_at', until), speaker_id, true);
    next_seq := next_seq + 1;
  end loop;
  insert into private.run_progress as kept (run_id, progress) values (run.id, step -> 'progress')
  on conflict on constraint run_progress_pkey do update set progress = excluded.progress;
  update public.runs r set status = 'requires_action' where r.id = run.id;
  update private.run_leases l set owner = null, expires_at = null where l.run_id = run.id;
  return jsonb_build_object('events', events);
end
$$;

-- The body apart from its event, because jsonb keeps no order of keys.
-- Deletes the reservations of the run.
create or replace function private.finish_run(run public.runs, step jsonb, out event jsonb, out body json)
language plpgsql volatile
as $$
declare
  ended public.runs;
  leftover record;
begin
  -- There should be none: an end is an end, whatever was forgotten on the way.
  for leftover in
    update public.run_turns t set status = 'cancelled', finish_reason = 'cancelled', finished_at = now()
    where t.swarm_id = run.swarm_id and t.run_id = run.id and t.status in ('queued', 'thinking', 'responding')
    returning t.agent_id
  loop
    perform private.project_agent_status(run, leftover.agent_id, 'cancelled');
  end loop;
  update public.tool_executions x set status = 'cancelled', finished_at = now()
  where x.swarm_id = run.swarm_id and x.run_id = run.id and x.status in ('pending_approval', 'running');
  update public.runs r
  set status = step ->> 'status', stop_reason = step ->> 'stop_reason', error = nullif(step -> 'error', 'null'),
    finished_at = now(),
    turn_count = (select count(*) from public.run_turns t where t.swarm_id = run.swarm_id and t.run_id = run.id),
    usage = private.run_usage(r)::jsonb
  where r.id = run.id
  returning * into ended;
  update private.run_leases l set owner = null, expires_at = null where l.run_id = run.id;
  delete from private.run_progress p where p.run_id = run.id;
  delete from private.budget_reservations b where b.run_id = run.id;
  body := private.run_body(run.id);
  if ended.status in ('completed', 'partial') then
    perform private.emit_event('swarm.completed',
      json_build_object('swarm_id', run.swarm_id, 'run_id', run.id, 'status', ended.status,
        'stop_reason', ended.stop_reason, 'message_id', ended.message_id,
        'response_message_ids', jsonb_path_query_array(body::jsonb, '$.responses[*].message.id'),
        'usage', ended.usage, 'duration_ms', (extract(epoch from ended.finished_at - ended.created_at) * 1000)::bigint),
      private.swarm_audience(run.swarm_id));
  end if;
  event := private.build_run_event(run, (step ->> 'seq')::integer, 'run.' || ended.status, body::jsonb, null);
end
$$;

-- Ends a run that nobody carries out: queued, waiting for a human, or left behind by a node that died. What its turns
-- had said by then is in the stored deltas and becomes a message with a mark. The caller holds the run's row. Far from
-- the seqs that a dead node may have shown and not stored. Records the usage of settled calls; finish_run deletes the
-- reservations of calls in flight.
create or replace function private.close_run(
  run public.runs, status text, stop_reason text, error jsonb, finish_reason text, turn_reason text
)
returns void language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  turn record;
  next_seq integer := (select coalesce(max(e.seq), 0) from public.run_events e where e.run_id = run.id)
    + case when turn_reason = 'worker_lost' then 100000 else 1 end;
  outcome text := case when turn_reason = 'worker_lost' then 'failed' else 'cancelled' end;
  final text;
  events jsonb := '[]';
begin
  update private.run_leases l set fence = l.fence + 1, owner = null, expires_at = null where l.run_id = run.id;
  perform 1 from public.agents a
  where a.id in (select t.agent_id from public.run_turns t
                 where t.swarm_id = run.swarm_id and t.run_id = run.id
                   and t.status in ('queued', 'thinking', 'responding'))
  order by a.id for no key update;
  for turn in
    select t.id, t.agent_id,
      (select string_agg(piece.value, '' order by e.seq, piece.ordinality)
       from public.run_events e
       cross join lateral jsonb_array_elements_text(e.data -> 'deltas') with ordinality as piece
       where e.run_id = run.id and e.type = 'message.delta' and e.data ->> 'turn_id' = t.id::text) as said
    from public.run_turns t
    where t.swarm_id = run.swarm_id and t.run_id = run.id and t.status in ('queued', 'thinking', 'responding')
    order by t.position, t.id
  loop
    events := events || (private.finish_turn(run, jsonb_build_object('turn_id', turn.id, 'agent_id', turn.agent_id,
      'seq', next_seq, 'status', outcome, 'content', private.trimmed(turn.said),
        'finish_reason', close_run.finish_reason,
      'metadata', jsonb_build_object('partial', true), 'error', close_run.error, 'reason', close_run.turn_reason,
      'usage', private.settled_usage(run.id, turn.id), 'payer_id', (
        select b.payer_id from private.budget_reservations b where b.run_id = run.id and b.turn_id = turn.id limit 1)))
          -> 'events');
    next_seq := next_seq + 5;
  end loop;
  final := case when close_run.status = 'failed' and exists (
                  select 1 from public.run_turns t join public.messages m on m.id = t.message_id
                  where t.swarm_id = run.swarm_id and t.run_id = run.id) then 'partial'
                else close_run.status end;
  events := events || (private.finish_run(run, jsonb_build_object('seq', next_seq, 'status', final,
    'stop_reason', close_run.stop_reason, 'error', close_run.error))).event;
  perform private.store_run_events(run, events);
end
$$;
grant execute on function private.close_run(public.runs, text, text, jsonb, text, text) to sb_service;

-- Ends many runs that came to an ordinary end: one turn, which spoke, without tools. Waits for nobody and takes only
-- what is as plain as it should be; whatever it leaves out of its answer, nothing was written for. Of those it takes,
-- it does what private.finish_turn and private.finish_run do, in the same order, for all at once.
create or replace function private.end_runs(batch jsonb) returns json
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
-- Planned for as many rows as a batch may have, which must not read whole tables for the sake of a few.
set enable_seqscan = off set plan_cache_mode = force_generic_plan
set lock_timeout = '100ms' set jit = off
as $$
declare
  held uuid[];
  taken uuid[];
  speaker_ids uuid[];
  silent_ids uuid[];
  before jsonb;
  contexts jsonb;
  answers json;
begin
  held := array(
    select r.id
    from jsonb_to_recordset(batch) as e (run_id uuid, fence bigint, agent_id uuid)
    join private.run_leases l on l.run_id = e.run_id and l.fence = e.fence and l.cancel_requested_at is null
    -- Where speakers are chosen by a model, that is used too.
    join public.runs r on r.id = e.run_id and r.status = 'running' and r.strategy <> 'selector'
    join public.swarms s on s.id = r.swarm_id and not s.settings ? 'moderation'
    join public.agents a on a.id = e.agent_id
    for key share of s skip locked for no key update of r, a skip locked);
  -- Who writes to a swarm holds its counter, and may take long over it.
  held := array(
    select r.id from public.runs r join private.message_counters c on c.swarm_id = r.swarm_id
    where r.id = any (held)
    for no key update of c skip locked);
  if held = '{}' then
    return null;
  end if;
  -- Looked at once the locks are held: an agent that speaks elsewhere too keeps the status which that gives it.
  select array_agg(t.run_id), array_agg(a.id), array_agg(a.id) filter (where a.status <> 'responding'),
    jsonb_object_agg(a.id, a.status), jsonb_object_agg(a.id,
      jsonb_build_object('run_id', t.run_id, 'swarm_id', t.swarm_id))
  into taken, speaker_ids, silent_ids, before, contexts
  from jsonb_to_recordset(batch) as e (run_id uuid, turn_id uuid)
  join public.run_turns t on t.id = e.turn_id and t.run_id = e.run_id and t.status in ('thinking', 'responding')
  join public.agents a on a.id = t.agent_id
  where t.run_id = any (held)
    and not exists (select 1 from public.run_turns o
                    where o.agent_id = t.agent_id and o.status in ('queued', 'thinking', 'responding') and o.id <> t.id)
    and not exists (select 1 from public.run_turns o
      where o.swarm_id = t.swarm_id and o.run_id = t.run_id and o.id <> t.id)
    and not exists (select 1 from public.tool_executions x where x.turn_id = t.id);
  if taken is null then
    return null;
  end if;

  if silent_ids is not null then
    -- Short as it was, everybody who watches the agent is to see it.
    perform set_config('swarmbase.context', private.context_by_agent(contexts, 'first_token'), true);
    update public.agents a set status = 'responding' where a.id = any (silent_ids);
  end if;
  perform set_config('swarmbase.context', private.context_by_agent(contexts, 'run_completed'), true);
  insert into public.messages (id, swarm_id, sender_type, sender_agent_id, sender_name, content, run_id, turn_id,
    finish_reason)
  select t.message_id, t.swarm_id, 'agent', t.agent_id, t.agent_name, left(e.content, 100000), t.run_id, t.id,
    e.finish_reason
  from jsonb_to_recordset(batch) as e (run_id uuid, turn_id uuid, content text, finish_reason text)
  join public.run_turns t on t.id = e.turn_id
  where e.run_id = any (taken)
  order by t.swarm_id;
  update public.agents a set status = 'idle' where a.id = any (speaker_ids);

  with asked as materialized (
    select e.*
    from jsonb_to_recordset(batch) as e (run_id uuid, turn_id uuid, seq integer, end_seq integer, deltas jsonb,
      finish_reason text,
      stop_reason text, warnings jsonb, attempts integer, framework text, model text, first_token_ms integer,
        duration_ms integer,
      input_tokens bigint, cached_input_tokens bigint, output_tokens bigint, reasoning_tokens bigint, cost_usd numeric,
      estimated boolean, payer_id uuid)
    where e.run_id = any (taken)
  ), turned as (
    update public.run_turns t
    set status = 'completed', finish_reason = e.finish_reason, warnings = e.warnings, attempts = e.attempts,
      framework = e.framework,
      model = e.model, first_token_ms = coalesce(t.first_token_ms, e.first_token_ms), duration_ms = e.duration_ms,
      input_tokens = e.input_tokens, cached_input_tokens = e.cached_input_tokens, output_tokens = e.output_tokens,
      reasoning_tokens = e.reasoning_tokens, estimated = e.estimated, cost_usd = e.cost_usd, finished_at = now()
    from asked e where t.id = e.turn_id
    returning t.*, private.usage_body(t.input_tokens, t.cached_input_tokens, t.output_tokens, t.cost_usd,
      t.estimated) as usage
  ), ended as (
    update public.runs r
    set status = 'completed', stop_reason = e.stop_reason, finished_at = now(), turn_count = 1,
      usage = to_jsonb(t.usage)
    from asked e join turned t on t.id = e.turn_id where r.id = e.run_id
    returning r.id, r.swarm_id, r.user_id, r.message_id, r.stop_reason, r.created_at, r.finished_at
  ), freed as (
    update private.run_leases l set owner = null, expires_at = null where l.run_id = any (taken)
  ), used as (
    insert into public.usage_records (payer_id, user_id, swarm_id, run_id, turn_id, agent_id, framework, model,
      input_tokens, cached_input_tokens, output_tokens, reasoning_tokens, cost_usd, estimated)
    select u.id, r.user_id, t.swarm_id, t.run_id, t.id, t.agent_id, t.framework, t.model, t.input_tokens,
      t.cached_input_tokens, t.output_tokens, t.reasoning_tokens, t.cost_usd, t.estimated
    from turned t
    join asked e on e.turn_id = t.id
    join ended r on r.id = t.run_id
    join auth.users u on u.id = e.payer_id
  ), told as materialized (
    select e.seq, e.end_seq, e.deltas, t.run_id, t.swarm_id, t.agent_id, t.id as turn_id, t.agent_name,
      t.finish_reason, t.usage,
      t.warnings, m.id as message_id, to_jsonb(m) as message, before ->> t.agent_id::text as status_before,
      json_build_object(
        'run_id', r.id, 'swarm_id', r.swarm_id, 'status', 'completed', 'stop_reason', r.stop_reason,
        'message', (select row_to_json(q) from public.messages q where q.id = r.message_id),
        'responses', json_build_array(json_build_object(
          'message', row_to_json(m), 'agent_id', m.sender_id, 'agent_name', t.agent_name, 'turn_id', t.id,
          'framework', t.framework, 'model', t.model, 'finish_reason', t.finish_reason, 'usage', t.usage,
          'first_token_ms', t.first_token_ms, 'duration_ms', t.duration_ms, 'tool_executions', '[]'::json,
            'warnings', t.warnings)),
        'errors', '[]'::json, 'usage', t.usage, 'pending_approvals', null, 'created_at', r.created_at,
          'completed_at', r.finished_at) as body
    from turned t
    join asked e on e.turn_id = t.id
    join ended r on r.id = t.run_id
    join public.messages m on m.id = t.message_id
  ), shown as materialized (
    select s.run_id, s.swarm_id, happened.seq, s.agent_id, happened.type,
      jsonb_build_object('run_id', s.run_id, 'swarm_id', s.swarm_id) || happened.data as data
    from told s
    cross join lateral (values
      (s.seq, 'agent.status_changed', case when s.status_before <> 'responding'
        then jsonb_build_object('agent_id', s.agent_id,
        'status', 'responding', 'previous_status', s.status_before, 'reason', 'first_token', 'changed_at', now()) end),
      (s.seq + 1, 'message.created', jsonb_build_object('message_id', s.message_id, 'turn_id', s.turn_id,
        'message', s.message)),
      (s.seq + 2, 'turn.completed', jsonb_build_object('turn_id', s.turn_id, 'agent_id', s.agent_id,
        'agent_name', s.agent_name,
        'status', 'completed', 'finish_reason', s.finish_reason, 'usage', s.usage, 'warnings', s.warnings)),
      (s.seq + 4, 'agent.status_changed', jsonb_build_object('agent_id', s.agent_id, 'status', 'idle',
        'previous_status', 'responding', 'reason', 'run_completed', 'changed_at', now()))) as happened (seq, type, data)
    where happened.data is not null
  ), kept as (
    insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data)
    select s.run_id, s.seq, s.swarm_id, s.agent_id, false, s.type, s.data from shown s
    union all
    select t.run_id, t.end_seq, t.swarm_id, null, false, 'run.completed', t.body::jsonb from told t
    union all
    select t.run_id, d.seq, t.swarm_id, d.agent_id, d.restricted, d.type, d.data
    from told t cross join lateral jsonb_to_recordset(t.deltas)
      as d (seq integer, type text, agent_id uuid, restricted boolean, data jsonb)
  )
  select json_agg(json_build_object('run_id', t.run_id, 'body', t.body,
    'has_next', exists (select 1 from public.runs w
      where w.swarm_id = t.swarm_id and w.status in ('queued', 'requires_action')),
    'events', (
      select json_agg(json_build_object('seq', s.seq, 'type', s.type, 'agent_id', s.agent_id, 'restricted', false,
        'data', s.data)
                      order by s.seq)
      from shown s where s.run_id = t.run_id)))
  into answers from told t;

  insert into private.events (type, data, audience)
  select 'swarm.completed', json_build_object('swarm_id', r.swarm_id, 'run_id', r.id, 'status', r.status,
    'stop_reason', r.stop_reason,
      'message_id', r.message_id, 'response_message_ids', (select jsonb_agg(t.message_id) from public.run_turns t
        where t.swarm_id = r.swarm_id and t.run_id = r.id),
      'usage', r.usage, 'duration_ms', (extract(epoch from r.finished_at - r.created_at) * 1000)::bigint),
    room.audience
  from public.runs r
  cross join lateral (select private.swarm_audience(r.swarm_id)) as room (audience)
  where r.id = any (taken) and private.is_subscribed('swarm.completed', room.audience);
  return json_build_object('ended', answers, 'has_events', exists (select 1 from private.events));
end
$$;
grant execute on function private.end_runs(jsonb) to sb_service;

-- One question a second for all runs of a node: which of them are still its own, are to be cancelled, or lost their
-- swarm or an agent on the way. Their leases are renewed by the way; a row that somebody holds is renewed the next
-- time.
create or replace function private.keep_runs(run_ids uuid[], fences bigint[], lease_ms integer)
returns table (run_id uuid, is_lost boolean, cancel_reason text, swarm_status text, may_go_on boolean,
  gone_turn_ids uuid[])
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update private.run_leases l set expires_at = now() + keep_runs.lease_ms * interval '1 millisecond'
  where l.run_id in (
    select held.run_id from private.run_leases held
    join unnest(keep_runs.run_ids, keep_runs.fences) as mine (id, fence)
      on mine.id = held.run_id and mine.fence = held.fence
    where held.expires_at < now() + keep_runs.lease_ms * interval '0.67 millisecond'
    for update of held skip locked);
  return query
  select mine.id, l.fence is distinct from mine.fence or r.status is distinct from 'running',
    case when l.cancel_requested_at is not null then coalesce(l.cancel_reason, 'cancelled') end, s.status,
    coalesce(private.may_run_go_on(r), false),
    array(select t.id from public.run_turns t
          where t.swarm_id = r.swarm_id and t.run_id = r.id and t.status in ('queued', 'thinking', 'responding')
            and not exists (select 1 from public.swarm_agents sa
                            where sa.swarm_id = t.swarm_id and sa.agent_id = t.agent_id and sa.enabled
                              and private.may_agent_speak(sa.swarm_id, sa.user_id)))
  from unnest(keep_runs.run_ids, keep_runs.fences) as mine (id, fence)
  left join public.runs r on r.id = mine.id
  left join private.run_leases l on l.run_id = mine.id
  left join public.swarms s on s.id = r.swarm_id;
end
$$;
grant execute on function private.keep_runs(uuid[], bigint[], integer) to sb_service;

-- Ends what dead nodes left behind and denies what nobody decided in time. Answers with how much it did.
create or replace function private.sweep_runs(max_rows integer, out ended text[], out denied integer)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  found_lease record;
  found_execution record;
  run public.runs;
begin
  ended := '{}';
  denied := 0;
  for found_lease in
    select l.run_id, r.swarm_id from private.run_leases l join public.runs r on r.id = l.run_id and r.status = 'running'
    where l.expires_at < now() order by l.expires_at limit sweep_runs.max_rows
  loop
    perform 1 from public.swarms s where s.id = found_lease.swarm_id for key share skip locked;
    continue when not found;
    select r.* into run from public.runs r
    where r.id = found_lease.run_id and r.status = 'running' for no key update skip locked;
    continue when not found or not exists (
      select 1 from private.run_leases l where l.run_id = run.id and l.expires_at < now());
    begin
      perform private.close_run(run, 'failed', 'worker_lost',
        jsonb_build_object('code', 'WORKER_LOST', 'message', 'The node that carried out this run went away',
          'retryable', true, 'provider_status', null), 'error', 'worker_lost');
      ended := ended || (select r.status from public.runs r where r.id = run.id);
    exception when data_exception or integrity_constraint_violation or raise_exception then
      -- One that cannot be ended must not keep the others from it; it comes last the next time.
      raise warning 'run % cannot be ended: %', run.id, sqlerrm;
      update private.run_leases l set expires_at = now() where l.run_id = run.id;
      -- The node is gone, so its calls in flight cannot be settled.
      delete from private.budget_reservations b where b.run_id = run.id and b.usage is null;
    end;
  end loop;
  for found_execution in
    select x.id, x.run_id, x.swarm_id from public.tool_executions x
    where x.status = 'pending_approval' and x.expires_at < now() order by x.expires_at limit sweep_runs.max_rows
  loop
    select r.* into run from public.runs r where r.id = found_execution.run_id for no key update skip locked;
    continue when not found;
    perform private.deny_tool(run, found_execution.id, null, 'APPROVAL_EXPIRED', 'Nobody approved this call in time');
    denied := denied + 1;
  end loop;
end
$$;
grant execute on function private.sweep_runs(integer) to sb_service;

create or replace function private.prune_run_rows(retention interval, max_rows integer) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  pruned integer;
  gone integer;
begin
  delete from public.run_events e
  where e.ctid = any (array(
    select old.ctid from public.run_events old
    join public.runs r on r.id = old.run_id and r.status in ('completed', 'partial', 'failed', 'cancelled')
    where old.created_at < now() - prune_run_rows.retention and r.finished_at < now() - prune_run_rows.retention
    limit prune_run_rows.max_rows));
  get diagnostics pruned = row_count;
  delete from private.idempotency_keys k
  where k.ctid = any (array(select old.ctid from private.idempotency_keys old
                            where old.created_at < now() - interval '24 hours' limit prune_run_rows.max_rows));
  get diagnostics gone = row_count;
  return greatest(pruned, gone);
end
$$;
grant execute on function private.prune_run_rows(interval, integer) to sb_service;
