-- Budgets that hold across runs, swarms and nodes; runs end when their starter loses the right to run; inputs of pending approvals.

-- One row per model call of a run with a budget, from before the call until its usage is in usage_records. While the call is in
-- flight, tokens and cost_usd are its estimate and usage is null; afterwards they are its real usage. The end of the run deletes
-- the rows. payer_id has no foreign key, because deleting an account would then wait for reservations and could deadlock with them.
create table private.budget_reservations (
  id uuid default private.new_id() constraint budget_reservations_pkey primary key,
  run_id uuid not null constraint budget_reservations_run_id_fkey references public.runs on delete cascade,
  swarm_id uuid not null,
  payer_id uuid not null,
  turn_id uuid,
  tokens bigint not null,
  cost_usd numeric not null,
  usage jsonb,
  created_at timestamptz not null default now()
);
create index budget_reservations_run_id_idx on private.budget_reservations (run_id);
create index budget_reservations_swarm_id_idx on private.budget_reservations (swarm_id);
create index budget_reservations_payer_id_idx on private.budget_reservations (payer_id);
alter table private.budget_reservations enable row level security;
create policy budget_reservations_service on private.budget_reservations to sb_service using (true) with check (true);
grant select, insert, update, delete on private.budget_reservations to sb_service;

-- A negative budget counts as 0, not as no budget.
create or replace function private.budget_amount(value jsonb) returns numeric language sql immutable parallel safe
as $$ select case when jsonb_typeof(value) = 'number' then greatest(value::numeric, 0) end $$;

create function private.has_budget(swarm public.swarms, payer_id uuid) returns boolean language sql stable
as $$
  select coalesce(jsonb_typeof(swarm.settings -> 'budget') = 'object', false)
    or exists (select 1 from public.user_settings u where u.user_id = has_budget.payer_id
                 and (u.daily_token_budget is not null or u.daily_cost_budget_usd is not null))
$$;

-- The smallest remainder of all budgets that apply: the payer's day, the swarm's day and, if a run is given, the run itself. Null means
-- no bound. Days are UTC days. A single statement reads both tables, so that usage which replaces a reservation counts once.
create function private.budget_left(swarm public.swarms, payer_id uuid, run public.runs, counts_open boolean,
  out tokens numeric, out cost_usd numeric)
language plpgsql stable
as $$
declare
  today timestamptz := date_trunc('day', now(), 'UTC');
  budget jsonb := swarm.settings -> 'budget';
begin
  select min(budgets.max_tokens - spent.tokens), min(budgets.max_cost_usd - spent.cost_usd) into tokens, cost_usd
  from (
    select 'payer' as kind, s.daily_token_budget::numeric as max_tokens, s.daily_cost_budget_usd as max_cost_usd
    from public.user_settings s where s.user_id = budget_left.payer_id
    union all
    values ('swarm', private.budget_amount(budget -> 'max_tokens_per_day'), private.budget_amount(budget -> 'max_cost_usd_per_day')),
      ('run', private.budget_amount(budget -> 'max_tokens'), private.budget_amount(budget -> 'max_cost_usd'))) as budgets
  cross join lateral (
    select coalesce(sum(used.tokens), 0) as tokens, coalesce(sum(used.cost_usd), 0) as cost_usd
    from (
      select u.input_tokens + u.output_tokens as tokens, u.cost_usd from public.usage_records u
      where budgets.kind = 'payer' and u.payer_id = budget_left.payer_id and u.created_at >= today
      union all
      select u.input_tokens + u.output_tokens, u.cost_usd from public.usage_records u
      where budgets.kind = 'swarm' and u.swarm_id = swarm.id and u.created_at >= today
      union all
      select u.input_tokens + u.output_tokens, u.cost_usd from public.usage_records u
      where budgets.kind = 'run' and u.swarm_id = swarm.id and u.run_id = run.id and u.created_at >= run.created_at
      union all
      select b.tokens, b.cost_usd from private.budget_reservations b
      where budgets.kind = 'payer' and b.payer_id = budget_left.payer_id and (counts_open or b.usage is not null)
      union all
      select b.tokens, b.cost_usd from private.budget_reservations b
      where budgets.kind = 'swarm' and b.swarm_id = swarm.id and (counts_open or b.usage is not null)
      union all
      select b.tokens, b.cost_usd from private.budget_reservations b
      where budgets.kind = 'run' and b.run_id = run.id and (counts_open or b.usage is not null)) as used) as spent
  where (budgets.max_tokens is not null or budgets.max_cost_usd is not null) and (budgets.kind <> 'run' or run.id is not null);
end
$$;

-- Ignores calls in flight: they may cost less than they reserve, and a queued run starts later.
create or replace function private.check_day_budgets(swarm public.swarms, payer_id uuid) returns void language plpgsql stable
as $$
declare
  room record;
begin
  select * into room from private.budget_left(swarm, check_day_budgets.payer_id, null, false);
  if room.tokens <= 0 or room.cost_usd <= 0 then
    perform private.refuse_call('BUDGET_EXCEEDED');
  end if;
end
$$;

-- Reserves the estimated cost of a model call. Reduces max_output_tokens to what fits, and refuses the call when that is less than
-- least_output_tokens. Without a known price (input_cost_usd is null) only tokens bound the call, but a spent money budget refuses it.
-- Idempotent by id. Lock order: run, lease, payer, swarm.
create function private.reserve_budget(call jsonb) returns json
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  payer uuid := call ->> 'payer_id';
  input numeric := (call ->> 'input_tokens')::numeric;
  wanted numeric := (call ->> 'max_output_tokens')::numeric;
  input_cost numeric := coalesce((call ->> 'input_cost_usd')::numeric, 0);
  output_cost numeric := coalesce((call ->> 'output_cost_usd')::numeric, 0);
  granted numeric := wanted;
  run public.runs;
  swarm public.swarms;
  room record;
  held private.budget_reservations;
begin
  select r.* into run from public.runs r where r.id = (call ->> 'run_id')::uuid and r.status = 'running' for key share;
  -- Ending a run updates its lease before it deletes the reservations, so this lock prevents an insert after that delete.
  perform 1 from private.run_leases l where l.run_id = run.id and l.fence = (call ->> 'fence')::bigint for share;
  if not found then
    return json_build_object('outcome', 'lost', 'is_reserved', false, 'max_output_tokens', 0);
  end if;
  select s.* into swarm from public.swarms s where s.id = run.swarm_id;
  if not private.has_budget(swarm, payer) then
    return json_build_object('outcome', 'granted', 'is_reserved', false, 'max_output_tokens', wanted);
  end if;
  -- Serialises reservations of one payer and of one swarm.
  perform pg_advisory_xact_lock(hashtextextended(payer::text, 40));
  perform pg_advisory_xact_lock(hashtextextended(swarm.id::text, 40));
  select b.* into held from private.budget_reservations b where b.id = (call ->> 'id')::uuid;
  if found then
    return json_build_object('outcome', 'granted', 'is_reserved', true, 'max_output_tokens', held.tokens - input);
  end if;
  select * into room from private.budget_left(swarm, payer, run, true);
  if room.tokens is not null then
    granted := least(granted, floor(room.tokens) - input);
  end if;
  if room.cost_usd <= 0 or input_cost > room.cost_usd then
    granted := 0;
  elsif room.cost_usd is not null and output_cost > 0 then
    granted := least(granted, floor((room.cost_usd - input_cost) * wanted / output_cost));
  end if;
  if granted < least(wanted, (call ->> 'least_output_tokens')::numeric) then
    return json_build_object('outcome', 'refused', 'is_reserved', false, 'max_output_tokens', 0);
  end if;
  insert into private.budget_reservations (id, run_id, swarm_id, payer_id, turn_id, tokens, cost_usd)
  values ((call ->> 'id')::uuid, run.id, swarm.id, payer, (call ->> 'turn_id')::uuid, input + granted,
    input_cost + case when wanted > 0 then output_cost * granted / wanted else 0 end);
  return json_build_object('outcome', 'granted', 'is_reserved', true, 'max_output_tokens', granted);
end
$$;
grant execute on function private.reserve_budget(jsonb) to sb_service;

-- With usage: replaces the estimate by the real usage. Without: deletes the reservations, because the calls reached no provider or the
-- same transaction writes their usage record.
create function private.settle_reservations(run public.runs, step jsonb) returns jsonb language plpgsql volatile
as $$
declare
  used jsonb := nullif(step -> 'usage', 'null');
  ids uuid[] := array(select given.id::uuid from jsonb_array_elements_text(step -> 'ids') as given (id));
begin
  if used is null then
    delete from private.budget_reservations b where b.id = any (ids) and b.run_id = run.id;
  else
    update private.budget_reservations b
    set usage = used, cost_usd = coalesce((used ->> 'cost_usd')::numeric, 0),
      tokens = coalesce((used ->> 'input_tokens')::bigint, 0) + coalesce((used ->> 'output_tokens')::bigint, 0)
    where b.id = any (ids) and b.run_id = run.id;
  end if;
  return jsonb_build_object('events', '[]'::jsonb);
end
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

-- Sum of the settled calls of a turn whose node was lost. Null when none was settled.
create function private.settled_usage(run_id uuid, turn_id uuid) returns jsonb language sql stable
as $$
  select jsonb_build_object(
    'input_tokens', sum((b.usage ->> 'input_tokens')::bigint),
    'cached_input_tokens', sum((b.usage ->> 'cached_input_tokens')::bigint),
    'output_tokens', sum((b.usage ->> 'output_tokens')::bigint),
    'reasoning_tokens', sum((b.usage ->> 'reasoning_tokens')::bigint),
    'cost_usd', case when bool_and(b.usage ->> 'cost_usd' is not null) then sum((b.usage ->> 'cost_usd')::numeric) end,
    'estimated', bool_or((b.usage ->> 'estimated')::boolean))
  from private.budget_reservations b
  where b.run_id = settled_usage.run_id and b.turn_id = settled_usage.turn_id and b.usage is not null
  having count(*) > 0
$$;

alter table public.runs drop constraint runs_stop_reason_known;
alter table public.runs add constraint runs_stop_reason_known check (stop_reason in (
  'all_replied', 'no_reply_needed', 'max_turns', 'max_tool_steps', 'budget_exceeded', 'timeout', 'loop_detected', 'no_progress',
  'cancelled', 'interrupted', 'starter_removed', 'provider_error', 'content_filtered', 'approval_expired', 'worker_lost'));

-- Does not apply to the service role.
create function private.may_start_runs(swarm_id uuid, user_id uuid) returns boolean language sql stable
as $$
  select exists (select 1 from public.swarm_members m where m.swarm_id = may_start_runs.swarm_id and m.user_id = may_start_runs.user_id
                   and m.status = 'active' and m.role <> 'viewer')
$$;

-- Whether the starter of a run may still start runs in the swarm. An auto_respond run answers all messages that were stored before
-- it started, so the right of any of their authors is enough.
create function private.may_run_go_on(run public.runs) returns boolean language sql stable
as $$
  select run.request ?| array['payer_id', 'by_service'] or private.may_start_runs(run.swarm_id, run.user_id)
    or (run.request ->> 'source' = 'auto_respond' and exists (
          select 1 from public.messages first
          join public.messages later on later.swarm_id = first.swarm_id and later.seq > first.seq and later.sender_type = 'user'
            and later.created_at <= coalesce(run.started_at, now())
          where first.swarm_id = run.swarm_id and first.id = run.message_id
            and private.may_start_runs(later.swarm_id, later.sender_user_id)))
$$;

-- Only the service role can store a message for a user who is not a member: by_service exempts such a run from the check above.
create or replace function private.queue_auto_responses() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked record;
  new_run_id uuid;
begin
  for asked in
    select distinct on (n.swarm_id) n.swarm_id, n.id as message_id, n.sender_user_id, s.strategy, to_jsonb(n) as message
    from new_rows n
    join public.swarms s on s.id = n.swarm_id
    where n.sender_type = 'user' and n.run_id is null and n.deleted_at is null
      and s.status = 'active' and s.settings -> 'auto_respond' = 'true'
      and exists (select 1 from public.swarm_agents sa where sa.swarm_id = s.id and sa.enabled)
    order by n.swarm_id, n.seq desc
  loop
    perform 1 from public.runs r
    where r.swarm_id = asked.swarm_id and r.status = 'queued' and r.request ->> 'source' = 'auto_respond'
    for no key update;
    continue when found;
    insert into public.runs (swarm_id, user_id, message_id, strategy, request)
    values (asked.swarm_id, asked.sender_user_id, asked.message_id, asked.strategy,
      case when private.may_start_runs(asked.swarm_id, asked.sender_user_id) then '{"source": "auto_respond"}'::jsonb
        else '{"source": "auto_respond", "by_service": true}' end)
    returning id into new_run_id;
    insert into private.run_leases (run_id) values (new_run_id);
    perform private.append_run_event(new_run_id, 'message.created',
      jsonb_build_object('message_id', asked.message_id, 'message', asked.message), null, false);
    perform private.append_run_event(new_run_id, 'run.queued', jsonb_build_object('status', 'queued', 'position', (
      select count(*) from public.runs r where r.swarm_id = asked.swarm_id and r.status = 'queued')), null, false);
  end loop;
  return null;
end
$$;

drop function private.keep_runs(uuid[], bigint[], integer);
create function private.keep_runs(run_ids uuid[], fences bigint[], lease_ms integer)
returns table (run_id uuid, is_lost boolean, cancel_reason text, swarm_status text, may_go_on boolean, gone_turn_ids uuid[])
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update private.run_leases l set expires_at = now() + keep_runs.lease_ms * interval '1 millisecond'
  where l.run_id in (
    select held.run_id from private.run_leases held
    join unnest(keep_runs.run_ids, keep_runs.fences) as mine (id, fence) on mine.id = held.run_id and mine.fence = held.fence
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

-- As before, and deletes the reservations of the run.
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
  set status = step ->> 'status', stop_reason = step ->> 'stop_reason', error = nullif(step -> 'error', 'null'), finished_at = now(),
    turn_count = (select count(*) from public.run_turns t where t.swarm_id = run.swarm_id and t.run_id = run.id),
    usage = private.run_usage(r)::jsonb
  where r.id = run.id
  returning * into ended;
  update private.run_leases l set owner = null, expires_at = null where l.run_id = run.id;
  delete from private.run_progress p where p.run_id = run.id;
  delete from private.budget_reservations b where b.run_id = run.id;
  body := private.run_body(run.id);
  if ended.status in ('completed', 'partial') then
    perform private.emit_event('swarm.completed', json_build_object('swarm_id', run.swarm_id, 'run_id', run.id, 'status', ended.status,
        'stop_reason', ended.stop_reason, 'message_id', ended.message_id,
        'response_message_ids', jsonb_path_query_array(body::jsonb, '$.responses[*].message.id'),
        'usage', ended.usage, 'duration_ms', (extract(epoch from ended.finished_at - ended.created_at) * 1000)::bigint),
      private.swarm_audience(run.swarm_id));
  end if;
  event := private.build_run_event(run, (step ->> 'seq')::integer, 'run.' || ended.status, body::jsonb, null);
end
$$;

-- As before, and records the usage of settled calls. Reservations of calls in flight are deleted by finish_run.
create or replace function private.close_run(run public.runs, status text, stop_reason text, error jsonb, finish_reason text, turn_reason text)
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
                 where t.swarm_id = run.swarm_id and t.run_id = run.id and t.status in ('queued', 'thinking', 'responding'))
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
      'seq', next_seq, 'status', outcome, 'content', private.trimmed(turn.said), 'finish_reason', close_run.finish_reason,
      'metadata', jsonb_build_object('partial', true), 'error', close_run.error, 'reason', close_run.turn_reason,
      'usage', private.settled_usage(run.id, turn.id), 'payer_id', (
        select b.payer_id from private.budget_reservations b where b.run_id = run.id and b.turn_id = turn.id limit 1))) -> 'events');
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
        jsonb_build_object('code', 'WORKER_LOST', 'message', 'The node that carried out this run went away', 'retryable', true,
          'provider_status', null), 'error', 'worker_lost');
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
      select json_agg(json_build_object('id', a.id, 'name', a.name, 'role', coalesce(sa.role_override, a.role), 'position', sa.position,
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
    select coalesce((select u.id from auth.users u where u.id::text = r.request ->> 'payer_id'), s.owner_id)) as payer (id)
  where r.id = load_run.run_id and r.status = 'running');
end
$$;

create or replace function private.admit_runs(batch jsonb, owner text, lease_ms integer) returns json
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
-- Planned for as many rows as a batch may have, which must not read whole tables, or a whole room, for the sake of a few.
set enable_seqscan = off set enable_bitmapscan = off set jit = off
-- Whatever somebody manages to lock after all: everybody of the batch then comes alone, and only who has to wait waits.
set plan_cache_mode = force_generic_plan set lock_timeout = '100ms'
as $$
declare
  held uuid[];
  unwritten uuid[];
  taken uuid[];
  speaker_ids uuid[];
  contexts jsonb;
  answers json;
begin
  held := array(
    select s.id
    from jsonb_to_recordset(batch) as e (swarm_id uuid, user_id uuid, agent_id uuid)
    join public.swarms s on s.id = e.swarm_id and s.status = 'active' and not s.settings ?| array['budget', 'moderation']
    join public.agents a on a.id = e.agent_id
    where exists (select 1 from public.swarm_members m
                  where m.swarm_id = s.id and m.user_id = e.user_id and m.status = 'active' and m.role <> 'viewer')
      and not exists (select 1 from public.user_settings u
                      where u.user_id = s.owner_id and (u.daily_token_budget is not null or u.daily_cost_budget_usd is not null))
    for no key update of s, a skip locked);
  -- Who starts a run of a swarm holds this lock: what is seen below it is so until the end of the transaction.
  held := array(select h.id from unnest(held) as h (id) where pg_try_advisory_xact_lock(hashtextextended(h.id::text, 25)));
  -- Who writes to a swarm holds its counter, and may take long over it.
  unwritten := array(select c.swarm_id from private.message_counters c where c.swarm_id = any (held) for no key update skip locked);
  held := array(select h.id from unnest(held) as h (id)
                where h.id = any (unwritten) or not exists (select 1 from private.message_counters c where c.swarm_id = h.id));
  if held = '{}' then
    return null;
  end if;
  select array_agg(e.swarm_id), array_agg(e.agent_id),
    jsonb_object_agg(e.agent_id, jsonb_build_object('run_id', e.run_id, 'swarm_id', e.swarm_id))
  into taken, speaker_ids, contexts
  from jsonb_to_recordset(batch) as e (run_id uuid, swarm_id uuid, agent_id uuid, speaker_ids uuid[])
  where e.swarm_id = any (held)
    and not exists (select 1 from public.runs r where r.swarm_id = e.swarm_id and r.status = 'running')
    and not exists (select 1 from public.runs r where r.swarm_id = e.swarm_id and r.status in ('queued', 'requires_action'))
    and not exists (select 1 from public.run_turns t where t.agent_id = e.agent_id and t.status in ('queued', 'thinking', 'responding'))
    -- Who would begin was found out before this transaction: it must still be so.
    and e.speaker_ids = array(
      select sa.agent_id from public.swarm_agents sa
      where sa.swarm_id = e.swarm_id and sa.enabled and private.may_agent_speak(sa.swarm_id, sa.user_id)
      order by sa.position, sa.created_at, sa.agent_id);
  if taken is null then
    return null;
  end if;

  perform set_config('swarmbase.context', private.context_by_agent(contexts, 'run_started'), true);
  insert into public.messages (id, swarm_id, sender_type, sender_user_id, content, mentions, metadata)
  select e.sent_id, e.swarm_id, 'user', e.user_id, e.message, e.mentions, e.metadata
  from jsonb_to_recordset(batch) as e (sent_id uuid, swarm_id uuid, user_id uuid, message text, mentions uuid[], metadata jsonb)
  where e.swarm_id = any (taken)
  order by e.swarm_id;
  with asked as materialized (
    select e.run_id, e.sent_id, e.user_id, e.request, e.turn_id, e.reply_id, s.id as swarm_id, s.strategy, a.id as agent_id,
      a.name as agent_name, a.framework, coalesce(a.model, e.default_models ->> a.framework, 'default') as model, a.status,
      jsonb_build_object('name', a.name, 'role', coalesce(sa.role_override, a.role), 'framework', a.framework, 'model', a.model,
        'system_prompt', a.system_prompt, 'settings', a.settings) as config,
      jsonb_build_object('id', a.id, 'user_id', a.user_id, 'tools', private.agent_toolbox(a.id, a.user_id)) as own,
      to_jsonb(m) as message
    from jsonb_to_recordset(batch) as e (run_id uuid, sent_id uuid, swarm_id uuid, user_id uuid, request jsonb, turn_id uuid,
      reply_id uuid, agent_id uuid, default_models jsonb)
    join public.swarms s on s.id = e.swarm_id
    join public.swarm_agents sa on sa.swarm_id = e.swarm_id and sa.agent_id = e.agent_id
    join public.agents a on a.id = e.agent_id
    join public.messages m on m.id = e.sent_id
    where e.swarm_id = any (taken)
  ), begun as (
    insert into public.runs (id, swarm_id, user_id, message_id, strategy, request, status, started_at)
    select e.run_id, e.swarm_id, e.user_id, e.sent_id, e.strategy, e.request, 'running', now() from asked e
  ), leased as (
    insert into private.run_leases (run_id, owner, fence, expires_at)
    select e.run_id, admit_runs.owner, 1, now() + admit_runs.lease_ms * interval '1 millisecond' from asked e
  ), opened as (
    insert into public.run_turns (id, run_id, swarm_id, agent_id, agent_name, position, status, framework, model, message_id, started_at)
    select e.turn_id, e.run_id, e.swarm_id, e.agent_id, e.agent_name, 0, 'thinking', e.framework, e.model, e.reply_id, now() from asked e
  ), noted as (
    insert into private.turn_snapshots (turn_id, config)
    select e.turn_id, e.config || jsonb_build_object('tools', private.tools_without_secrets(e.own -> 'tools')) from asked e
  ), changed as (
    update public.agents a set status = 'thinking' where a.id = any (speaker_ids) and a.status <> 'thinking'
  ), shown as materialized (
    select e.run_id, e.swarm_id, happened.seq, happened.agent_id, happened.type,
      jsonb_build_object('run_id', e.run_id, 'swarm_id', e.swarm_id) || happened.data as data
    from asked e
    cross join lateral (values
      (1, 'message.created', null::uuid, jsonb_build_object('message_id', e.sent_id, 'message', e.message)),
      (2, 'run.started', null, '{"status": "running", "is_resumed": false}'),
      (3, 'turn.started', e.agent_id, jsonb_build_object('turn_id', e.turn_id, 'message_id', e.reply_id, 'agent_id', e.agent_id,
        'agent_name', e.agent_name, 'model', e.model)),
      (4, 'agent.status_changed', e.agent_id, case when e.status <> 'thinking' then jsonb_build_object('agent_id', e.agent_id,
        'status', 'thinking', 'previous_status', e.status, 'reason', 'run_started', 'changed_at', now()) end))
      as happened (seq, type, agent_id, data)
    where happened.data is not null
  ), kept as (
    insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data)
    select s.run_id, s.seq, s.swarm_id, s.agent_id, false, s.type, s.data from shown s
  )
  select json_agg(json_build_object('run_id', e.run_id, 'agent', e.config || e.own, 'events', (
      select json_agg(json_build_object('seq', s.seq, 'type', s.type, 'agent_id', s.agent_id, 'restricted', false, 'data', s.data)
                      order by s.seq)
      from shown s where s.run_id = e.run_id)))
  into answers from asked e;
  -- What private.load_run and private.read_transcript tell, of runs that have just begun and have no budget to keep to. The
  -- messages come column by column, the latest first, so that types are looked up once for each column and not for each row.
  return json_build_object('runs', answers, 'has_events', exists (select 1 from private.events), 'scenes', (
    select json_agg(json_build_object('scene', json_build_object(
        'run', json_build_object('id', e.run_id, 'swarm_id', s.id, 'user_id', e.user_id, 'message_id', e.sent_id,
          'strategy', s.strategy, 'request', e.request),
        'last_seq', 4,
        'swarm', json_build_object('id', s.id, 'name', s.name, 'status', s.status, 'owner_id', s.owner_id,
          'coordinator_agent_id', s.coordinator_agent_id, 'settings', s.settings),
        'message', e.message, 'agents', room.agents, 'people', room.people, 'payer_id', s.owner_id, 'has_budget', false,
        'may_go_on', true, 'progress', null, 'decisions', '[]'::json),
      'messages', room.messages))
    from jsonb_to_recordset(batch) as e (run_id uuid, swarm_id uuid, user_id uuid, sent_id uuid, request jsonb, message text,
      speaker_ids uuid[], history_limit integer)
    join public.swarms s on s.id = e.swarm_id
    cross join lateral (select
      (select json_agg(json_build_object('id', a.id, 'name', a.name, 'role', coalesce(sa.role_override, a.role), 'position', sa.position,
                         'framework', a.framework, 'model', a.model, 'settings', a.settings)
                       order by array_position(e.speaker_ids, a.id))
       from public.swarm_agents sa join public.agents a on a.id = sa.agent_id
       where sa.swarm_id = s.id and sa.agent_id = any (e.speaker_ids)) as agents,
      (select json_agg(json_build_object('id', m.user_id,
           'name', coalesce(nullif(p.full_name, ''), 'User ' || left(m.user_id::text, 8))) order by m.joined_at, m.id)
       from (select * from public.swarm_members m where m.swarm_id = s.id and m.status = 'active'
             order by m.joined_at, m.id limit 50) as m
       left join public.profiles p on p.id = m.user_id) as people,
      (select json_build_object('id', array_agg(n.id), 'seq', array_agg(n.seq), 'sender_type', array_agg(n.sender_type),
           'sender_id', array_agg(n.sender_id), 'sender_name', array_agg(n.sender_name), 'content', array_agg(n.content),
           'reply_to_id', array_agg(n.reply_to_id), 'run_id', array_agg(n.run_id))
       from (select m.id, m.seq, m.sender_type, m.sender_id, m.sender_name, m.content, m.reply_to_id, m.run_id,
               sum(coalesce(octet_length(m.content), 0)) over (order by m.seq desc) - coalesce(octet_length(m.content), 0) as newer_bytes
             from (select * from public.messages m where m.swarm_id = s.id order by m.seq desc limit e.history_limit) as m) as n
       where n.newer_bytes < 4000000) as messages) as room
    where e.swarm_id = any (taken)));
end
$$;

-- Pending tool calls of a run. The agent's owner and the swarm's owner and admins also see the input, as in tool_execution_payloads.
create function private.pending_approvals(run public.runs, viewer_id uuid, is_service boolean) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  sees_all boolean := is_service or exists (
    select 1 from public.swarm_members m
    where m.swarm_id = run.swarm_id and m.user_id = pending_approvals.viewer_id and m.status = 'active' and m.role in ('owner', 'admin'));
begin
  return (
    select coalesce(json_agg(case when sees_all or a.user_id = pending_approvals.viewer_id
        then json_build_object('tool_execution_id', x.id, 'tool_name', x.tool_name, 'agent_id', x.agent_id, 'expires_at', x.expires_at,
          'input', p.input)
        else json_build_object('tool_execution_id', x.id, 'tool_name', x.tool_name, 'agent_id', x.agent_id, 'expires_at', x.expires_at) end
      order by x.created_at, x.id), '[]')
    from public.tool_executions x
    left join public.agents a on a.id = x.agent_id
    left join public.tool_execution_payloads p on p.tool_execution_id = x.id
    where x.swarm_id = run.swarm_id and x.run_id = run.id and x.status = 'pending_approval');
end
$$;

drop function private.run_body(uuid);
create function private.run_body(run_id uuid, viewer_id uuid default null, is_service boolean default false) returns json
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
            select json_agg(json_build_object('id', x.id, 'tool_name', x.tool_name, 'status', x.status, 'duration_ms', x.duration_ms)
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

create or replace function private.cancel_run(run_id uuid, user_id uuid, is_service boolean) returns json language plpgsql volatile
as $$
declare
  steered record;
begin
  select * into steered from private.lock_run_for(cancel_run.run_id, cancel_run.user_id, is_service);
  if not is_service and (steered.member_role is null
      or (steered.member_role not in ('owner', 'admin') and (steered.run).user_id is distinct from cancel_run.user_id)) then
    perform private.refuse_call('FORBIDDEN');
  end if;
  perform private.request_cancel(cancel_run.run_id, 'cancelled');
  return private.run_body(cancel_run.run_id, cancel_run.user_id, is_service);
end
$$;

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
    select item.ordinality - 1 as place, (item.value ->> 'tool_execution_id')::uuid as id, (item.value ->> 'approved')::boolean as approved,
      item.value ->> 'reason' as reason
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
