-- Admission of runs: preflight_swarms, then admit_runs. Both take any number of calls and return one answer for each,
-- with a reason if the call is rejected. Some functions return rows of public.run_events; a migration that replaces
-- this table drops them first.

create or replace function private.build_rejection(code text, details jsonb default null) returns jsonb
language sql immutable parallel safe
as $$ select jsonb_build_object('code', code, 'details', details) $$;

-- Returns the answer to a rejected call; null without a rejection.
create or replace function private.build_answer(rejection jsonb) returns jsonb language sql immutable parallel safe
as $$ select case when rejection is not null then jsonb_build_object('rejection', rejection) end $$;

-- Returns the rejection of a caller who may not start runs in the swarm, else null. A swarm that exists and is closed
-- to the caller is rejected with FORBIDDEN, as writes of its rows are; the details name the caller's role in the swarm.
create or replace function private.check_caller(swarm_id uuid, user_id uuid, is_service boolean) returns jsonb
language plpgsql stable
as $$
declare
  membership text;
begin
  if is_service then
    return case
      when not exists (select 1 from public.swarms s where s.id = check_caller.swarm_id)
        then private.build_rejection('SWARM_NOT_FOUND')
      when not exists (select 1 from public.profiles p where p.id = check_caller.user_id)
        then private.build_rejection('VALIDATION_ERROR', '{"user_id": "names nobody"}') end;
  end if;
  select case m.status when 'active' then m.role else 'invited' end into membership from public.swarm_members m
  where m.swarm_id = check_caller.swarm_id
    and (m.user_id = check_caller.user_id
         or (m.user_id is null and m.invited_email = (
               select u.email from auth.users u
               where u.id = check_caller.user_id and u.proven_email = u.email and u.deleted_at is null)))
  order by m.status limit 1;
  return case
    when membership in ('owner', 'admin', 'member') then null
    when not exists (select 1 from public.swarms s where s.id = check_caller.swarm_id)
      then private.build_rejection('SWARM_NOT_FOUND')
    else private.build_rejection('FORBIDDEN', jsonb_build_object('membership', coalesce(membership, 'stranger'))) end;
end
$$;

-- Returns the rejection of a call that no agent of the swarm can answer, else null. Agents that only a grant lets speak
-- are none for a sender without one.
create or replace function private.check_agents(swarm_id uuid, agent_ids jsonb, sender_id uuid) returns jsonb
language plpgsql stable
as $$
declare
  enabled uuid[] := array(select sa.agent_id from public.swarm_agents sa
                          where sa.swarm_id = check_agents.swarm_id and sa.enabled);
begin
  return case
    when not exists (select 1 from public.swarms s where s.id = check_agents.swarm_id and s.status = 'active')
      then private.build_rejection('SWARM_NOT_ACTIVE')
    when jsonb_typeof(agent_ids) = 'array' and exists (
        select 1 from jsonb_array_elements_text(agent_ids) as named (id) where named.id::uuid <> all (enabled))
      then private.build_rejection('VALIDATION_ERROR',
        '{"agent_ids": "names an agent that is not enabled in the swarm"}')
    when cardinality(enabled) = 0 and exists (
        select 1 from private.private_swarms p where p.swarm_id = check_agents.swarm_id
          and not exists (select 1 from public.agents a where a.id = p.agent_id))
      then private.build_rejection('AGENT_NOT_FOUND')
    when cardinality(enabled) = 0 then private.build_rejection('NO_AGENTS')
    when not exists (select 1 from private.list_speakers(check_agents.swarm_id, sender_id) as sa
                     where jsonb_typeof(agent_ids) is distinct from 'array' or agent_ids ? sa.agent_id::text)
        and exists (select 1 from public.swarm_agents sa
                    join public.agents a on a.id = sa.agent_id
                    where sa.swarm_id = check_agents.swarm_id and sa.enabled
                      and (jsonb_typeof(agent_ids) is distinct from 'array' or agent_ids ? sa.agent_id::text)
                      and not exists (select 1 from public.swarm_members m where m.swarm_id = sa.swarm_id
                                        and m.user_id = a.user_id and m.status = 'active'))
      then private.build_rejection('PERMISSION_DENIED') end;
end
$$;

-- Returns what an Idempotency-Key or a client_message_id that was used before leads to: the earlier run or a rejection.
-- Null: the call is new. A call with its own conversation starts anew after its run was cancelled: its client repeats
-- it after a lost connection, which cancels the run.
create or replace function private.find_replay(user_id uuid, swarm_id uuid, key text, request_hash text,
  client_message_id text, message text)
returns jsonb language plpgsql stable
as $$
declare
  used private.idempotency_keys;
  sent public.messages;
  replayed uuid;
begin
  if key is not null then
    select * into used from private.idempotency_keys k
    where k.user_id = find_replay.user_id and k.key = find_replay.key and k.created_at > now() - interval '1 day'
      and not exists (select 1 from private.run_leases l join public.runs r on r.id = l.run_id
                      where l.run_id = k.run_id and l.cancel_requested_at is not null and r.request ? 'store');
    if found then
      return case when used.request_hash = decode(find_replay.request_hash, 'hex')
        then jsonb_build_object('replayed_run_id', used.run_id)
        else jsonb_build_object('rejection', private.build_rejection('IDEMPOTENCY_KEY_REUSED')) end;
    end if;
  end if;
  if client_message_id is null then
    return null;
  end if;
  select * into sent from public.messages m
  where m.swarm_id = find_replay.swarm_id and m.sender_id = find_replay.user_id
    and m.client_message_id = find_replay.client_message_id;
  if not found then
    return null;
  end if;
  select r.id into replayed from public.runs r
  where r.swarm_id = find_replay.swarm_id and r.message_id = sent.id order by r.created_at desc limit 1;
  return case when replayed is null or sent.content is distinct from find_replay.message
    then jsonb_build_object('rejection',
      private.build_rejection('VALIDATION_ERROR', '{"client_message_id": "was used for another message"}'))
    else jsonb_build_object('replayed_run_id', replayed) end;
end
$$;

-- Returns what the service needs to know of a swarm before it admits a run: one row for each call, by place. A call is
-- rejected, repeats an earlier run, or gets the swarm. Locks nothing.
create or replace function private.preflight_swarms(batch jsonb) returns json
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_material = off
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  return (
    select json_agg(json_build_object('place', e.place,
      'rejection', coalesce(access.rejection, replay.found -> 'rejection', answers.rejection),
      'replayed_run_id', replay.found -> 'replayed_run_id',
      'swarm', case when coalesce(access.rejection, replay.found, answers.rejection) is null then json_build_object(
        'is_manager', e.is_service or m.role in ('owner', 'admin'),
        'own_agent_ids', coalesce(placed.own_ids, '{}'),
        'strategy', s.strategy, 'coordinator_agent_id', s.coordinator_agent_id, 'settings', s.settings,
        'in_charge_agent_id', case when s.strategy = 'handoff' then private.find_agent_in_charge(s.id) end,
        'agents', placed.agents) end))
    from jsonb_to_recordset(batch) as e (place integer, swarm_id uuid, user_id uuid, is_service boolean, message text,
      agent_ids jsonb, client_message_id text, idempotency_key text, request_hash text, changes_agent boolean,
      has_client_tools boolean)
    left join public.swarms s on s.id = e.swarm_id
    left join public.swarm_members m
      on m.swarm_id = e.swarm_id and m.user_id = e.user_id and m.status = 'active' and m.role <> 'viewer'
    cross join lateral (select case when m.id is null or e.is_service
      then private.check_caller(e.swarm_id, e.user_id, e.is_service) end) as access (rejection)
    cross join lateral (select case
      when access.rejection is null and (e.idempotency_key is not null or e.client_message_id is not null)
      then private.find_replay(e.user_id, e.swarm_id, e.idempotency_key, e.request_hash, e.client_message_id, e.message)
      end) as replay (found)
    cross join lateral (
      select json_agg(json_build_object('id', a.id, 'name', a.name, 'framework', coalesce(v.framework, a.framework),
          'model', case when v.number is null then a.model else v.model end, 'position', sa.position)
          order by sa.position, sa.created_at, a.id),
        array_agg(sa.agent_id) filter (where sa.user_id = e.user_id),
        e.has_client_tools and bool_or(not sa.accepts_client_tools)
          or e.changes_agent and bool_or(sa.grant_id is not null
            and (jsonb_typeof(e.agent_ids) is distinct from 'array' or e.agent_ids ? sa.agent_id::text))
      from private.list_speakers(e.swarm_id, e.user_id) as sa
      join public.agents a on a.id = sa.agent_id
      left join public.agent_versions v on v.agent_id = a.id and v.number = sa.agent_version)
      as placed (agents, own_ids, is_denied)
    cross join lateral (select case
      when placed.is_denied then private.build_rejection('PERMISSION_DENIED')
      when access.rejection is null and replay.found is null
        and (s.status <> 'active' or placed.agents is null or jsonb_typeof(e.agent_ids) = 'array')
      then coalesce(private.check_agents(e.swarm_id, e.agent_ids, e.user_id),
        case when placed.agents is null then private.build_rejection('NO_AGENTS') end) end) as answers (rejection));
end
$$;
grant execute on function private.preflight_swarms(jsonb) to sb_service;

-- Locks the swarms whose callers may start runs, in order of their ids. `alone` are those in which this transaction
-- alone may start a run: whoever starts one holds that lock, so what is read below it holds until the end of the
-- transaction.
create or replace function private.lock_swarms(batch jsonb, waits boolean, out locked uuid[], out alone uuid[])
language plpgsql volatile
as $$
begin
  if waits then
    select coalesce(array_agg(l.id), '{}'), coalesce(array_agg(l.id) filter (where l.has_place
      and pg_try_advisory_xact_lock(hashtextextended(l.id::text, 25))), '{}')
    into locked, alone from (
      select s.id, e.has_place
      from jsonb_to_recordset(batch) as e (swarm_id uuid, user_id uuid, is_service boolean, has_place boolean)
      join public.swarms s on s.id = e.swarm_id
      where e.is_service or exists (select 1 from public.swarm_members m where m.swarm_id = s.id
        and m.user_id = e.user_id and m.status = 'active' and m.role <> 'viewer')
      for no key update of s) as l;
    return;
  end if;
  select coalesce(array_agg(l.id), '{}'), coalesce(array_agg(l.id) filter (where l.has_place
      and pg_try_advisory_xact_lock(hashtextextended(l.id::text, 25))), '{}')
    into locked, alone from (
    select s.id, e.has_place
    from jsonb_to_recordset(batch) as e (swarm_id uuid, user_id uuid, is_service boolean, has_place boolean)
    join public.swarms s on s.id = e.swarm_id
    where e.is_service or exists (select 1 from public.swarm_members m where m.swarm_id = s.id
      and m.user_id = e.user_id and m.status = 'active' and m.role <> 'viewer')
    order by s.id
    for no key update of s skip locked) as l;
end
$$;

-- The ids of a JSON array. A single expression, which PostgreSQL puts into the assignment that uses it: a query for
-- one row costs several times as much.
create or replace function private.parse_uuids(ids jsonb) returns uuid[] language sql stable
as $$ select translate(ids::text, '[]"', '{}')::uuid[] $$;

-- Locks agents in order of their ids. `held` are those whose status this transaction may write: that lock is never
-- waited for, since many runs of one agent want it. `kept` are all that cannot be deleted meanwhile.
create or replace function private.lock_agents(ids jsonb, waits boolean, out held uuid[], out kept uuid[])
language plpgsql volatile
as $$
declare
  agent_ids uuid[] := private.parse_uuids(ids);
begin
  held := array(
    select a.id from public.agents a where a.id = any (agent_ids) order by a.id for no key update skip locked);
  if agent_ids <@ held then
    kept := held;
  elsif waits then
    kept := array(select a.id from public.agents a where a.id = any (agent_ids) order by a.id for key share);
  else
    kept := array(
      select a.id from public.agents a where a.id = any (agent_ids) order by a.id for key share skip locked);
  end if;
end
$$;

-- Locks the message counters of the swarms that no other transaction holds, and returns the swarms of the others: an
-- insert of a message would wait there.
create or replace function private.find_busy_counters(swarm_ids uuid[]) returns uuid[] language plpgsql volatile
as $$
declare
  locked uuid[] := array(
    select c.swarm_id from private.message_counters c where c.swarm_id = any (swarm_ids)
    for no key update skip locked);
begin
  if cardinality(locked) = cardinality(swarm_ids) then
    return '{}';
  end if;
  return array(select c.swarm_id from private.message_counters c
               where c.swarm_id = any (swarm_ids) and c.swarm_id <> all (locked));
end
$$;

-- Answers those of the calls whose Idempotency-Key was used before. Callers with the same key come one after the other;
-- nothing is locked before it is known that they may write to the swarm.
create or replace function private.answer_used_keys(batch jsonb, waits boolean) returns jsonb language plpgsql volatile
as $$
declare
  call record;
  answer jsonb;
  answers jsonb := '[]';
  lock_id bigint;
begin
  for call in
    select e.* from jsonb_to_recordset(batch) as e (place integer, swarm_id uuid, user_id uuid, is_service boolean,
      idempotency_key text, request_hash text)
    where e.idempotency_key is not null order by e.user_id, e.idempotency_key
  loop
    answer := jsonb_build_object('rejection', private.check_caller(call.swarm_id, call.user_id, call.is_service));
    if answer -> 'rejection' = 'null' then
      lock_id := hashtextextended(call.user_id || call.idempotency_key, 41);
      if waits then
        perform pg_advisory_xact_lock(lock_id);
        answer := null;
      else
        answer := case when not pg_try_advisory_xact_lock(lock_id) then '{"is_held": true}'::jsonb end;
      end if;
      answer := coalesce(answer, private.find_replay(call.user_id, call.swarm_id, call.idempotency_key,
        call.request_hash, null, null));
    end if;
    if answer is not null then
      answers := answers || jsonb_build_object('place', call.place, 'answer', answer);
    end if;
  end loop;
  return answers;
end
$$;

-- Whether the swarm's or the payer's budget of the day is used up, or the payer's number of runs.
create or replace function private.is_day_budget_spent(swarm public.swarms, payer_id uuid) returns boolean
language plpgsql stable
as $$
declare
  remaining record;
begin
  select * into remaining from private.compute_remaining_budget(swarm, is_day_budget_spent.payer_id, null, false);
  return coalesce(remaining.tokens <= 0 or remaining.cost_usd <= 0, false)
    or private.is_run_limit_reached(is_day_budget_spent.payer_id, null);
end
$$;

-- Returns why a call to a locked swarm is not taken whatever its queue looks like, else null.
create or replace function private.check_admission(call jsonb) returns jsonb language plpgsql stable
as $$
declare
  swarm public.swarms;
  caller uuid := call ->> 'user_id';
  payer uuid;
  rejection jsonb;
begin
  select s.* into swarm from public.swarms s where s.id = (call ->> 'swarm_id')::uuid;
  rejection := private.check_agents(swarm.id, call -> 'agent_ids', caller);
  if rejection is not null then
    return rejection;
  end if;
  for payer in
    select distinct coalesce(sa.payer_id, (call ->> 'payer_id')::uuid,
      case when (call -> 'is_service')::boolean then caller else swarm.owner_id end)
    from private.list_speakers(swarm.id, caller) as sa
  loop
    if private.has_budget(swarm, payer) and private.is_day_budget_spent(swarm, payer) then
      return private.build_rejection('BUDGET_EXCEEDED', case when payer not in (caller, swarm.owner_id)
        then '{"limit": "owner"}'::jsonb end);
    end if;
  end loop;
  return case
    when call ->> 'reply_to_id' is not null and not exists (
        select 1 from public.messages m where m.swarm_id = swarm.id and m.id = (call ->> 'reply_to_id')::uuid)
      then private.build_rejection('VALIDATION_ERROR', '{"reply_to_id": "is not a message of this swarm"}') end;
end
$$;

-- Whether a caller may interrupt the live run: by name only who could cancel it, or anybody where the swarm is set so.
create or replace function private.may_interrupt(call jsonb) returns boolean language plpgsql stable
as $$
begin
  return call ->> 'on_conflict' is null or (call -> 'is_service')::boolean or exists (
    select 1 from public.swarm_members m
    join public.swarms s on s.id = m.swarm_id
    join public.runs live on live.id = (call ->> 'live_id')::uuid
    where m.swarm_id = (call ->> 'swarm_id')::uuid and m.user_id = (call ->> 'user_id')::uuid and m.status = 'active'
      and (m.role in ('owner', 'admin') or m.user_id = live.user_id or s.settings ->> 'on_conflict' = 'interrupt'));
end
$$;

create or replace function private.is_message_blocked(call jsonb) returns boolean language plpgsql stable
as $$
begin
  return exists (
    select 1 from public.swarms s
    where s.id = (call ->> 'swarm_id')::uuid and s.settings -> 'moderation' -> 'enabled' = 'true'
      and s.settings -> 'moderation' ->> 'action' = 'block'
      and private.find_blocked_term(s.settings -> 'moderation' -> 'blocklist', call ->> 'message') is not null);
end
$$;

-- What the decisions about calls depend on, read once the swarms are locked: the call with the state of its swarm.
create or replace function private.read_admissions(batch jsonb, locked uuid[], alone uuid[]) returns jsonb
language plpgsql volatile
as $$
begin
  return (
    select jsonb_agg(c.call || jsonb_build_object(
      -- The first call to each swarm: an expression, because a window would be four more nodes of the plan.
      'is_locked', s.id is not null and c.call -> 'place' = jsonb_path_query_first(batch,
        '$[*] ? (@.swarm_id == $id)', jsonb_build_object('id', s.id)) -> 'place',
      'conflict', coalesce(c.call ->> 'on_conflict', case when s.settings ->> 'on_conflict'
        in ('enqueue', 'reject', 'interrupt') then s.settings ->> 'on_conflict' end, 'enqueue'),
      'live_id', live.id, 'front', queue.front, 'position', queue.waiting + 1,
      'starts', s.id = any (alone) and live.id is null and not queue.is_behind,
      'is_moderated', s.settings ? 'moderation',
      'needs_check', s.status <> 'active' or speakers.ids is null or s.settings ? 'budget'
        or (select true from private.list_day_budgets(coalesce((c.call ->> 'payer_id')::uuid,
              case when (c.call -> 'is_service')::boolean then (c.call ->> 'user_id')::uuid else s.owner_id end)))
        or speakers.payer_ids is not null and exists (
          select 1 from unnest(speakers.payer_ids) as payer (id), private.list_day_budgets(payer.id)),
      'grant_ids', speakers.grant_ids, 'granted_ids', coalesce(speakers.granted_ids, '{}'),
      -- Who would begin was found out before this transaction: it must still be so.
      'first_turn', case when c.call -> 'first_turn' -> 'speaker_ids' = to_jsonb(speakers.ids)
        then c.call -> 'first_turn' || jsonb_build_object('place', c.call -> 'place', 'run_id', c.call -> 'run_id',
          'swarm_id', s.id, 'user_id', c.call -> 'user_id', 'position', 0, 'seq', 3,
          'agent_version', c.call -> 'agent_version',
          'overrides', c.call -> 'request' -> 'overrides') end,
      'answer', null))
    from jsonb_array_elements(batch) as c (call)
    left join public.swarms s on s.id = (c.call ->> 'swarm_id')::uuid and s.id = any (locked)
    left join public.runs live on live.swarm_id = s.id and live.status = 'running'
    cross join lateral (
      select count(*) filter (where r.status = 'queued') as waiting,
        min(r.queued_at) filter (where r.status = 'queued') - interval '1 microsecond' as front,
        count(*) > 0 as is_behind
      from public.runs r where r.swarm_id = s.id and (r.status = 'queued' or r.can_continue)) as queue
    cross join lateral (
      select array_agg(sa.agent_id order by sa.position, sa.created_at, sa.agent_id),
        array_agg(sa.grant_id) filter (where sa.is_limited and is_named.value),
        array_agg(sa.agent_id) filter (where sa.grant_id is not null and is_named.value),
        array_agg(distinct sa.payer_id) filter (where sa.payer_id is not null)
      from private.list_speakers(s.id, (c.call ->> 'user_id')::uuid) as sa
      cross join lateral (select jsonb_typeof(c.call -> 'speaker_ids') is distinct from 'array'
        or c.call -> 'speaker_ids' ? sa.agent_id::text) as is_named (value))
      as speakers (ids, grant_ids, granted_ids, payer_ids));
end
$$;

-- The answer to a call of which no run comes, else null. Most calls pass with comparisons alone.
create or replace function private.decide_admission(call jsonb, queue_limit integer, waits boolean) returns jsonb
language plpgsql volatile
as $$
declare
  answer jsonb;
  conflict text := call ->> 'conflict';
begin
  if call -> 'is_locked' <> 'true' then
    answer := private.build_answer(private.check_caller((call ->> 'swarm_id')::uuid, (call ->> 'user_id')::uuid,
      (call -> 'is_service')::boolean));
    -- A single call has waited for the swarm, which was deleted meanwhile.
    return coalesce(answer, case when waits then private.build_answer(private.build_rejection('SWARM_NOT_FOUND'))
      else '{"is_held": true}' end);
  end if;
  if call ->> 'client_message_id' is not null then
    answer := private.find_replay((call ->> 'user_id')::uuid, (call ->> 'swarm_id')::uuid, null, null,
      call ->> 'client_message_id', call ->> 'message');
  end if;
  if answer is null and (call -> 'needs_check' = 'true' or call -> 'agent_ids' <> 'null'
      or call -> 'reply_to_id' <> 'null') then
    answer := private.build_answer(private.check_admission(call));
  end if;
  if answer is not null then
    return answer;
  elsif (call -> 'position')::integer > queue_limit
      or (call ->> 'regenerates' is not null and private.list_replaced_runs(call) <> '[]')
      or (conflict = 'reject' and (call -> 'live_id' <> 'null' or (call -> 'position')::integer > 1)) then
    return private.build_answer(private.build_rejection('SWARM_BUSY'));
  elsif conflict = 'interrupt' and call -> 'live_id' <> 'null' and not private.may_interrupt(call) then
    return private.build_answer(private.build_rejection('FORBIDDEN'));
  elsif call -> 'is_moderated' = 'true' and private.is_message_blocked(call) then
    return private.build_answer(private.build_rejection('CONTENT_BLOCKED',
      '{"message": "has a term that this swarm does not allow"}'));
  end if;
  return null;
end
$$;

-- Decides about calls to swarms that are locked: an answer where no run comes of a call, else whether the run starts,
-- and whether its first turn begins with it. `alone` are the swarms in which this transaction alone may start runs.
create or replace function private.decide_admissions(batch jsonb, locked uuid[], alone uuid[], queue_limit integer,
  waits boolean)
returns jsonb language plpgsql volatile
as $$
declare
  calls jsonb := private.read_admissions(batch, locked, alone);
begin
  for i in 0 .. jsonb_array_length(calls) - 1 loop
    calls := jsonb_set(calls, array[i, 'answer']::text[],
      coalesce(private.decide_admission(calls -> i, queue_limit, waits), 'null'));
  end loop;
  return calls;
end
$$;

-- Marks calls as held that depend on a row which another transaction holds.
create or replace function private.mark_held_calls(calls jsonb, field text, busy uuid[]) returns jsonb
language plpgsql stable
as $$
begin
  if busy = '{}' then
    return calls;
  end if;
  return (select jsonb_agg(case when c.value -> 'answer' = 'null' and (c.value ->> field)::uuid = any (busy)
    then c.value || '{"answer": {"is_held": true}}' else c.value end) from jsonb_array_elements(calls) as c);
end
$$;

-- Asks the live runs of swarms to stop, for calls that interrupt them. Returns the runs that another transaction holds.
create or replace function private.interrupt_runs(ids uuid[], waits boolean) returns uuid[] language plpgsql volatile
as $$
declare
  locked uuid[] := ids;
begin
  if not waits then
    locked := array(select r.id from public.runs r join private.run_leases l on l.run_id = r.id
                    where r.id = any (ids) order by r.id for no key update of r, l skip locked);
  end if;
  perform private.request_cancel(live.id, 'interrupted') from unnest(locked) as live (id);
  return array(select live.id from unnest(ids) as live (id) where live.id <> all (locked));
end
$$;

-- The message of the caller that a call answers again, by its client_message_id or its id; null when there is none.
create or replace function private.find_regenerated(call jsonb) returns public.messages language plpgsql stable
as $$
declare
  swarm uuid := call ->> 'swarm_id';
  caller uuid := call ->> 'user_id';
  name text := call ->> 'regenerates';
  sent public.messages;
begin
  select m.* into sent from public.messages m
  where m.swarm_id = swarm and m.sender_id = caller and m.client_message_id = name and m.deleted_at is null;
  if not found and name ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    select m.* into sent from public.messages m
    where m.swarm_id = swarm and m.sender_user_id = caller and m.id = name::uuid and m.deleted_at is null;
  end if;
  return sent;
end
$$;

-- The runs that a call replaces: those of the message that it answers again, and of later messages of the caller with
-- the same metadata.
create or replace function private.find_replaced_runs(call jsonb, sent public.messages) returns setof public.runs
language plpgsql stable rows 5
as $$
begin
  return query select r.* from public.messages m
  join public.runs r on r.swarm_id = m.swarm_id and r.message_id = m.id
  where m.swarm_id = sent.swarm_id and m.seq >= sent.seq and m.sender_user_id = sent.sender_user_id
    and (m.id = sent.id or m.metadata @> (call -> 'metadata'));
end
$$;

-- The runs that a call replaces and that have not ended.
create or replace function private.list_replaced_runs(call jsonb) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if call ->> 'regenerates' is null then
    return '[]';
  elsif call ->> 'swarm_id' is null then
    call := call || jsonb_build_object('swarm_id', private.find_private_swarm(call));
  end if;
  return (select coalesce(jsonb_agg(r.id), '[]')
          from private.find_replaced_runs(call, private.find_regenerated(call)) as r
          where r.status not in ('completed', 'partial', 'failed', 'cancelled'));
end
$$;
grant execute on function private.list_replaced_runs(jsonb) to sb_service;

-- Prepares the messages that calls answer again: deletes their answers, and what the caller asked later, and stores
-- another text. A message that does not exist is sent.
create or replace function private.reopen_messages(calls jsonb) returns jsonb language plpgsql volatile
as $$
declare
  call jsonb;
  sent public.messages;
  replaced_ids uuid[];
  reopened jsonb := '[]';
  context text;
begin
  for call in select c.value from jsonb_array_elements(calls) as c loop
    if call ->> 'regenerates' is not null then
      sent := private.find_regenerated(call);
      if sent.id is null then
        call := call || jsonb_build_object('client_message_id', call -> 'regenerates');
      else
        context := set_config('swarmbase.context', jsonb_build_object('actor', case when (call -> 'is_service')::boolean
          then '{"type": "service", "id": null}' else jsonb_build_object('type', 'user', 'id', call -> 'user_id')
          end)::text, true);
        replaced_ids := array(select m.id from private.find_replaced_runs(call, sent) as r
          join public.messages m on m.swarm_id = r.swarm_id and (m.id = r.message_id or m.run_id = r.id)
          where m.id <> sent.id and m.deleted_at is null);
        delete from public.messages m where m.id = any (replaced_ids);
        update public.messages m set content = call ->> 'message', mentions = private.parse_uuids(call -> 'mentions')
        where m.id = sent.id and m.content <> call ->> 'message';
        call := call || jsonb_build_object('sent_id', sent.id, 'is_reopened', true);
      end if;
    end if;
    reopened := reopened || call;
  end loop;
  return reopened;
end
$$;

-- Stores the messages of calls. The service role is the actor of messages that it sends for a user.
create or replace function private.insert_sent_messages(calls jsonb) returns boolean language plpgsql volatile
as $$
declare
  for_service boolean;
  context text;
begin
  foreach for_service in array case when calls @? '$[*] ? (@.is_service == true)' then array[false, true]
    else array[false] end
  loop
    context := set_config('swarmbase.context', case when for_service then '{"actor": {"type": "service", "id": null}}'
      else '{"acts_as_sender": true}' end, true);
    insert into public.messages (id, swarm_id, sender_type, sender_user_id, content, reply_to_id, mentions, metadata,
      client_message_id)
    select e.sent_id, e.swarm_id, 'user', e.user_id, e.message, e.reply_to_id, e.mentions, e.metadata,
      e.client_message_id
    from jsonb_to_recordset(calls) as e (sent_id uuid, swarm_id uuid, user_id uuid, is_service boolean, message text,
      reply_to_id uuid, mentions uuid[], metadata jsonb, client_message_id text, is_reopened boolean)
    where e.is_service = for_service and e.is_reopened is null;
  end loop;
  return true;
end
$$;

-- Stores runs and their leases, and returns the first events of each: the message, and that the run started or is
-- queued.
create or replace function private.insert_runs(calls jsonb, owner text, lease_ms integer) returns public.run_events[]
language plpgsql volatile
as $$
declare
  events public.run_events[];
begin
  with asked as materialized (
    select e.*, s.strategy, to_jsonb(m) as sent
    from jsonb_to_recordset(calls) as e (place integer, run_id uuid, sent_id uuid, swarm_id uuid, user_id uuid,
      request jsonb, cause jsonb, speaker_ids uuid[], granted_ids uuid[], conflict text, front timestamptz,
      starts boolean, position integer, session_id uuid, aal text, api_key_id uuid)
    join public.swarms s on s.id = e.swarm_id
    join public.messages m on m.id = e.sent_id
  ), stored as (
    insert into public.runs (id, swarm_id, user_id, client_id, message_id, strategy, request, cause, queued_at, status,
      started_at)
    select e.run_id, e.swarm_id, e.user_id,
      case when e.api_key_id is not null
        then (select k.client_id from public.api_keys k where k.id = e.api_key_id) end,
      e.sent_id, e.strategy, e.request, e.cause,
      -- A run that interrupts comes before those that wait.
      case when e.conflict = 'interrupt' then least(e.front, now()) else now() end,
      case when e.starts then 'running' else 'queued' end, case when e.starts then now() end
    from asked e
  ), leased as (
    insert into private.run_leases (run_id, owner, fence, expires_at, speaker_ids, granted_ids, session_id,
      aal, api_key_id)
    select e.run_id, case when e.starts then insert_runs.owner end, e.starts::integer,
      case when e.starts then now() + lease_ms * interval '1 millisecond' end, e.speaker_ids, e.granted_ids,
      e.session_id, e.aal, e.api_key_id
    from asked e
  )
  select array_agg(private.build_event(e.run_id, e.swarm_id, 1, 'message.created',
      jsonb_build_object('message_id', e.sent_id, 'message', e.sent), null))
    || array_agg(private.build_event(e.run_id, e.swarm_id, 2, case when e.starts
      then 'run.started' else 'run.queued' end,
      case when e.starts then '{"status": "running", "is_resumed": false}'
        else jsonb_build_object('status', 'queued', 'position', e.position) end, null))
  into events from asked e;
  if calls @? '$[*].api_key_id ? (@ != null)' then
    insert into private.key_runs (run_id, api_key_id)
    select e.run_id, e.api_key_id from jsonb_to_recordset(calls) as e (run_id uuid, api_key_id uuid)
    where e.api_key_id is not null;
  end if;
  if calls @? '$[*].idempotency_key ? (@ != null)' then
    insert into private.idempotency_keys as used (user_id, key, request_hash, run_id)
    select e.user_id, e.idempotency_key, decode(e.request_hash, 'hex'), e.run_id
    from jsonb_to_recordset(calls) as e (run_id uuid, user_id uuid, idempotency_key text, request_hash text)
    where e.idempotency_key is not null
    on conflict on constraint idempotency_keys_user_id_key do update
    set request_hash = excluded.request_hash, run_id = excluded.run_id, created_at = now();
  end if;
  return events;
end
$$;

-- Returns one answer for each call, and whether events wait for webhooks. The answer of a started run has all that a
-- node needs to execute it.
create or replace function private.answer_admissions(answers jsonb, calls jsonb, turns jsonb,
  events public.run_events[]) returns json
language plpgsql volatile
as $$
declare
  started uuid[];
  admitted json;
  others jsonb := '[]';
begin
  if calls is not null then
    started := private.parse_uuids(jsonb_path_query_array(calls, '$[*] ? (@.starts == true).run_id'));
    select json_agg(json_build_object('place', e.place, 'run_id', e.run_id, 'fence', case when e.starts then 1 end,
      'interrupted_run_id', case when e.conflict = 'interrupt' then e.live_id end,
      'events', (
        select json_agg(json_build_object('seq', v.seq, 'type', v.type, 'agent_id', v.agent_id, 'restricted', false,
          'data', v.data) order by v.seq)
        from unnest(events) as v where v.run_id = e.run_id), 'context', c.context,
      'first_turn', case when t.outcome = 'started' then json_build_object('agent', t.agent,
        'conversation', private.read_conversation(e.run_id, e.swarm_id, e.user_id, jsonb_build_array(e.first_turn), 0))
        end))
    into admitted
    from jsonb_to_recordset(calls) as e (place integer, run_id uuid, swarm_id uuid, user_id uuid, starts boolean,
      conflict text, live_id uuid, first_turn jsonb)
    left join jsonb_to_recordset(turns) as t (place integer, outcome text, agent jsonb) on t.place = e.place
    -- Not flattened into the join, which would build the context of every run for every call.
    left join (select * from private.load_runs(started, true) offset 0) as c on c.run_id = e.run_id;
  end if;
  if answers <> '[]' then
    others := (select jsonb_agg(a.value -> 'answer' || jsonb_build_object('place', a.value -> 'place'))
               from jsonb_array_elements(answers) as a);
  end if;
  return json_build_object('admitted', coalesce(admitted, '[]'), 'has_events', exists (select 1 from private.events),
    'others', others);
end
$$;

-- Admits runs: any number of calls, each to another swarm. Returns one answer for each call, by place: the run, the
-- earlier run that it repeats, a rejection, or `is_held` where a lock is taken. One call waits for locks; more than one
-- never do. Locks are taken in the order of decision 0005 over the whole set. A call that names an agent instead of a
-- swarm goes to its private swarm, or to a new one for its own conversation.
create or replace function private.admit_runs(batch jsonb, owner text, lease_ms integer, queue_limit integer)
returns json
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_material = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  waits boolean := jsonb_array_length(batch) = 1;
  calls jsonb := batch;
  answers jsonb := '[]';
  locks record;
  agents record;
  busy uuid[];
  events public.run_events[];
  first_turns jsonb;
  turns record;
  is_stored boolean;
begin
  if not waits then
    -- Whatever is waited for all the same fails the statement, and the calls come again one by one.
    perform set_config('lock_timeout', '100ms', true);
  end if;
  if batch @? '$[*].agent_id ? (@ != null)' then
    calls := private.open_private_swarms(batch, waits);
    answers := jsonb_path_query_array(calls, '$[*] ? (exists (@.answer))');
    calls := nullif(jsonb_path_query_array(calls, '$[*] ? (!exists (@.answer))'), '[]');
  end if;
  if calls @? '$[*].idempotency_key ? (@ != null)' then
    answers := answers || private.answer_used_keys(calls, waits);
    calls := (select jsonb_agg(c.value) from jsonb_array_elements(calls) as c
              where not answers @> jsonb_build_array(jsonb_build_object('place', c.value -> 'place')));
  end if;
  if calls is null then
    return private.answer_admissions(answers, null, null, null);
  end if;
  locks := private.lock_swarms(calls, waits);
  calls := private.decide_admissions(calls, locks.locked, locks.alone, queue_limit, waits);
  if calls @? '$[*] ? (@.is_new_swarm == true).answer.rejection' then
    -- Rolls the new swarm back.
    perform private.reject_admission(calls -> 0 -> 'answer' -> 'rejection');
  end if;
  if calls @? '$[*] ? (@.conflict == "interrupt" && @.live_id != null && @.answer == null)' then
    busy := private.interrupt_runs(array(
      select (c.value ->> 'live_id')::uuid from jsonb_array_elements(calls) as c
      where c.value ->> 'conflict' = 'interrupt' and c.value -> 'answer' = 'null' and c.value -> 'live_id' <> 'null'),
      waits);
    calls := private.mark_held_calls(calls, 'live_id', busy);
  end if;
  agents := private.lock_agents(jsonb_path_query_array(calls,
    '$[*] ? (@.answer == null && @.starts == true).first_turn.agent_id'), waits);
  if not waits then
    busy := private.find_busy_counters(array(
      select (c.value ->> 'swarm_id')::uuid from jsonb_array_elements(calls) as c where c.value -> 'answer' = 'null'));
    calls := private.mark_held_calls(calls, 'swarm_id', busy);
  end if;
  if calls @? '$[*].grant_ids ? (@ != null)' then
    calls := private.charge_grants(calls);
    if calls @? '$[*] ? (@.is_new_swarm == true).answer.rejection' then
      perform private.reject_admission(calls -> 0 -> 'answer' -> 'rejection');
    end if;
  end if;
  if calls @? '$[*].answer ? (@ != null)' then
    answers := answers || jsonb_path_query_array(calls, '$[*] ? (@.answer != null)');
    calls := nullif(jsonb_path_query_array(calls, '$[*] ? (@.answer == null)'), '[]');
  end if;
  if calls is not null then
    if calls @? '$[*].regenerates ? (@ != null)' then
      calls := private.reopen_messages(calls);
    end if;
    is_stored := private.insert_sent_messages(calls);
    events := private.insert_runs(calls, owner, lease_ms);
    -- The turn of an agent that is being deleted begins later, if at all.
    first_turns := jsonb_path_query_array(calls, '$[*] ? (@.starts == true).first_turn ? (@.agent_id == $kept[*])',
      jsonb_build_object('kept', agents.kept));
    turns := private.begin_turns(first_turns, agents.held);
    events := events || turns.events;
    is_stored := private.insert_events(events);
    return private.answer_admissions(answers, calls, turns.answers, events);
  end if;
  return private.answer_admissions(answers, null, null, null);
end
$$;
grant execute on function private.admit_runs(jsonb, text, integer, integer) to sb_service;

-- The same for calls with images, which are not a part of the batch, because its JSON is copied often. A call that
-- starts no run stores none.
create or replace function private.admit_runs_with_images(batch jsonb, owner text, lease_ms integer,
  queue_limit integer, images jsonb)
returns json language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  admitted json := private.admit_runs(batch, owner, lease_ms, queue_limit);
begin
  insert into private.run_images (run_id, position, name, media_type, data)
  select r.id, i.position, i.name, i.media_type, decode(i.data, 'base64')
  from jsonb_to_recordset(images) as i (run_id uuid, position integer, name text, media_type text, data text)
  join public.runs r on r.id = i.run_id;
  return admitted;
end
$$;
grant execute on function private.admit_runs_with_images(jsonb, text, integer, integer, jsonb) to sb_service;

-- One queued run answers all messages that are stored before it starts: those of one sender, unless the agents answer
-- everybody. Locks its row: if the run starts at this moment, this waits and then finds it started; if it starts later,
-- its turns see the message. Only the service role can store a message for a user who is not a member: by_service
-- exempts such a run from the check.
create or replace function private.queue_auto_responses() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
declare
  asked record;
  held record;
  queued_id uuid;
  new_run_id uuid;
begin
  for asked in
    select distinct on (n.swarm_id, apart.sender_id) n.swarm_id, n.id as message_id, n.sender_user_id, s.strategy,
      to_jsonb(n) as message
    from new_rows n
    join public.swarms s on s.id = n.swarm_id
    cross join lateral (
      select case when not private.answers_everybody(s.id) then n.sender_user_id end as sender_id) as apart
    where n.sender_type = 'user' and n.run_id is null and n.deleted_at is null
      and s.status = 'active' and s.settings -> 'auto_respond' = 'true'
      and exists (select 1 from public.swarm_agents sa where sa.swarm_id = s.id and sa.enabled)
    order by n.swarm_id, apart.sender_id, n.seq desc
  loop
    -- A key that stores the message asks the agents.
    if private.key_id() is not null then
      perform private.require_scopes('run');
      if private.check_key_target(private.key_id(), asked.swarm_id, null) is not null then
        perform private.reject_scope('read');
      end if;
    end if;
    select r.id into queued_id from public.runs r
    where r.swarm_id = asked.swarm_id and r.status = 'queued' and r.request ->> 'source' = 'auto_respond'
      and (r.user_id is not distinct from asked.sender_user_id or private.answers_everybody(asked.swarm_id))
    for no key update;
    if found then
      -- Tools act with the rights that all of the askers have: a key lowers those of a person, and two keys have none
      -- in common. No key has the id of the run.
      update private.run_leases l
      set api_key_id = case when l.api_key_id is null then private.key_id() else queued_id end
      where l.run_id = queued_id and private.key_id() <> coalesce(l.api_key_id, queued_id);
      continue;
    end if;
    select array_agg(sa.grant_id) filter (where sa.is_limited) as grant_ids,
      coalesce(array_agg(sa.agent_id) filter (where sa.grant_id is not null), '{}') as agent_ids,
      count(*) = 0 as is_nobody
    into held from private.list_speakers(asked.swarm_id, asked.sender_user_id) as sa;
    continue when held.is_nobody or private.charge_each_grant(held.grant_ids, asked.sender_user_id) is not null;
    insert into public.runs (swarm_id, user_id, client_id, message_id, strategy, request)
    values (asked.swarm_id, asked.sender_user_id,
      (select k.client_id from public.api_keys k where k.id = private.key_id()), asked.message_id, asked.strategy,
      jsonb_strip_nulls(jsonb_build_object('source', 'auto_respond', 'traceparent', private.get_traceparent(),
        'by_service', case when not private.may_start_runs(asked.swarm_id, asked.sender_user_id) then true end)))
    returning id into new_run_id;
    insert into private.run_leases (run_id, api_key_id, granted_ids)
    values (new_run_id, private.key_id(), held.agent_ids);
    insert into private.key_runs (run_id, api_key_id)
    select new_run_id, k.id from public.api_keys k where k.id = private.key_id();
    perform private.append_run_event(new_run_id, 'message.created',
      jsonb_build_object('message_id', asked.message_id, 'message', asked.message), null, false);
    perform private.append_run_event(new_run_id, 'run.queued', jsonb_build_object('status', 'queued', 'position', (
      select count(*) from public.runs r where r.swarm_id = asked.swarm_id and r.status = 'queued')), null, false);
  end loop;
  return null;
end
$$;
