-- How a run comes in, and how people steer it afterwards: admit, cancel, decide, follow. What is refused is raised, so
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

-- A swarm that exists and is closed to the caller is refused with FORBIDDEN, as writes of its rows are; SWARM_NOT_FOUND
-- is for one that does not exist. The detail says what the caller is in the swarm, so that the refusal can name the
-- rule. Nothing is locked before that is known.
create or replace function private.check_run_member(swarm_id uuid, user_id uuid, is_service boolean) returns void
language plpgsql stable
as $$
declare
  membership text;
begin
  if is_service then
    if not exists (select 1 from public.swarms s where s.id = check_run_member.swarm_id) then
      perform private.refuse_call('SWARM_NOT_FOUND');
    elsif not exists (select 1 from public.profiles p where p.id = check_run_member.user_id) then
      perform private.refuse_call('VALIDATION_ERROR', '{"user_id": "names nobody"}');
    end if;
    return;
  end if;
  select case m.status when 'active' then m.role else 'invited' end into membership from public.swarm_members m
  where m.swarm_id = check_run_member.swarm_id
    and (m.user_id = check_run_member.user_id
         or (m.user_id is null and m.invited_email = (
               select u.email from auth.users u
               where u.id = check_run_member.user_id and u.email_confirmed_at is not null and u.deleted_at is null)))
  order by m.status limit 1;
  if membership in ('owner', 'admin', 'member') then
    return;
  end if;
  if not exists (select 1 from public.swarms s where s.id = check_run_member.swarm_id) then
    perform private.refuse_call('SWARM_NOT_FOUND');
  end if;
  perform private.refuse_call('FORBIDDEN', jsonb_build_object('membership', coalesce(membership, 'stranger')));
end
$$;
grant execute on function private.check_run_member(uuid, uuid, boolean) to sb_service;

-- The run that the same call has made before; null when there is none. A key is good for a day.
create or replace function private.find_replayed_run(call jsonb) returns uuid language plpgsql stable
as $$
declare
  caller uuid := call ->> 'user_id';
  swarm uuid := call ->> 'swarm_id';
  used private.idempotency_keys;
  sent public.messages;
  replayed uuid;
begin
  select * into used from private.idempotency_keys k
  where k.user_id = caller and k.key = call ->> 'idempotency_key' and k.created_at > now() - interval '1 day'
    and k.run_id is not null;
  if found then
    if used.request_hash <> decode(call ->> 'request_hash', 'hex') then
      perform private.refuse_call('IDEMPOTENCY_KEY_REUSED');
    end if;
    return used.run_id;
  end if;
  select * into sent from public.messages m
  where m.swarm_id = swarm and m.sender_id = caller and m.client_message_id = call ->> 'client_message_id';
  if found then
    select r.id into replayed from public.runs r
    where r.swarm_id = swarm and r.message_id = sent.id order by r.created_at desc limit 1;
    if replayed is null or sent.content is distinct from call ->> 'message' then
      perform private.refuse_call('VALIDATION_ERROR', '{"client_message_id": "was used for another message"}');
    end if;
  end if;
  return replayed;
end
$$;
grant execute on function private.find_replayed_run(jsonb) to sb_service;

create or replace function private.check_swarm_answers(swarm_id uuid, agent_ids jsonb) returns void
language plpgsql stable
as $$
declare
  enabled uuid[];
begin
  if not exists (select 1 from public.swarms s where s.id = check_swarm_answers.swarm_id and s.status = 'active') then
    perform private.refuse_call('SWARM_NOT_ACTIVE');
  end if;
  enabled := array(select sa.agent_id from public.swarm_agents sa
                   where sa.swarm_id = check_swarm_answers.swarm_id and sa.enabled);
  if jsonb_typeof(agent_ids) = 'array'
     and exists (select 1 from jsonb_array_elements_text(agent_ids) as named (id)
       where named.id::uuid <> all (enabled)) then
    perform private.refuse_call('VALIDATION_ERROR', '{"agent_ids": "names an agent that is not enabled in the swarm"}');
  elsif cardinality(enabled) = 0 then
    perform private.refuse_call('NO_AGENTS');
  end if;
end
$$;
grant execute on function private.check_swarm_answers(uuid, jsonb) to sb_service;

-- What has to be known before a run can be admitted: whether it was already, or else who could answer and who would
-- begin.
create or replace function private.survey_swarm(call jsonb) returns json
-- Triggers and functions below are planned once for each search path that they are called under.
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  swarm uuid := call ->> 'swarm_id';
  caller uuid := call ->> 'user_id';
  is_service boolean := call ->> 'is_service';
  replayed uuid;
begin
  perform private.check_run_member(swarm, caller, is_service);
  if call ->> 'idempotency_key' is not null or call ->> 'client_message_id' is not null then
    replayed := private.find_replayed_run(call);
    if replayed is not null then
      return json_build_object('replayed_run_id', replayed);
    end if;
  end if;
  perform private.check_swarm_answers(swarm, call -> 'agent_ids');
  return (
    select json_build_object('replayed_run_id', null,
      'is_manager', is_service or exists (
        select 1 from public.swarm_members m
        where m.swarm_id = s.id and m.user_id = caller and m.status = 'active' and m.role in ('owner', 'admin')),
      'own_agent_ids', array(select sa.agent_id from public.swarm_agents sa
        where sa.swarm_id = s.id and sa.user_id = caller),
      'strategy', s.strategy, 'coordinator_agent_id', s.coordinator_agent_id, 'settings', s.settings,
      'agents', (
        select json_agg(json_build_object('id', a.id, 'name', a.name, 'framework', a.framework, 'model', a.model,
          'position', sa.position)
                        order by sa.position, sa.created_at, a.id)
        from public.swarm_agents sa join public.agents a on a.id = sa.agent_id
        where sa.swarm_id = s.id and sa.enabled))
    from public.swarms s where s.id = swarm);
end
$$;
grant execute on function private.survey_swarm(jsonb) to sb_service;

-- One call, one transaction: the caller may, the swarm can, the queue has room; then the message, the run and its first
-- events are stored, and the run is started when `owner` has room for it and nothing of its swarm comes first, with its
-- first turn where `first_turn` says whose; the answer then has all that private.load_run would tell. Calls with one
-- key, or in one swarm, come after each other.
create or replace function private.admit_run(call jsonb) returns json
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
  caller uuid := call ->> 'user_id';
  is_service boolean := call ->> 'is_service';
  key text := call ->> 'idempotency_key';
  first_turn jsonb := nullif(call -> 'first_turn', 'null');
  new_run_id uuid := private.new_id();
  swarm public.swarms;
  run public.runs;
  sent public.messages;
  speaker public.agents;
  speaker_role text;
  speaker_status text;
  replayed uuid;
  conflict text;
  waiting integer;
  front timestamptz;
  live uuid;
  is_behind boolean;
  is_alone boolean := false;
  starts boolean;
  enabled_ids uuid[];
  speaker_ids uuid[];
  toolbox jsonb;
  model text;
  events jsonb;
begin
  -- Nobody is told of a swarm, and nothing of it is locked, before it is known that they may write there.
  if is_service or key is not null then
    perform private.check_run_member((call ->> 'swarm_id')::uuid, caller, is_service);
  end if;
  if key is not null then
    insert into private.idempotency_keys as used (user_id, key, request_hash)
    values (caller, admit_run.call ->> 'idempotency_key', decode(call ->> 'request_hash', 'hex'))
    on conflict on constraint idempotency_keys_pkey do update
    set request_hash = excluded.request_hash, run_id = null, created_at = now()
    where used.created_at <= now() - interval '1 day' or used.run_id is null;
    if not found then
      return json_build_object('run_id', private.find_replayed_run(call), 'is_replay', true);
    end if;
  end if;
  select * into swarm from public.swarms s
  where s.id = (call ->> 'swarm_id')::uuid
    and (is_service or exists (select 1 from public.swarm_members m where m.swarm_id = s.id and m.user_id = caller
                               and m.status = 'active' and m.role <> 'viewer'))
  for no key update;
  if not found then
    perform private.check_run_member((call ->> 'swarm_id')::uuid, caller, is_service);
    perform private.refuse_call('SWARM_NOT_FOUND');
  end if;
  if call ->> 'client_message_id' is not null then
    replayed := private.find_replayed_run(call - 'idempotency_key');
    if replayed is not null then
      update private.idempotency_keys k set run_id = replayed
        where k.user_id = caller and k.key = admit_run.call ->> 'idempotency_key';
      return json_build_object('run_id', replayed, 'is_replay', true);
    end if;
  end if;

  if swarm.status <> 'active' then
    perform private.refuse_call('SWARM_NOT_ACTIVE');
  end if;
  select array_agg(sa.agent_id), array_agg(sa.agent_id order by sa.position, sa.created_at, sa.agent_id)
    filter (where first_turn is not null and private.may_agent_speak(swarm.id, sa.user_id))
  into enabled_ids, speaker_ids
  from public.swarm_agents sa where sa.swarm_id = swarm.id and sa.enabled;
  if enabled_ids is null or jsonb_typeof(call -> 'agent_ids') = 'array' then
    perform private.check_swarm_answers(swarm.id, call -> 'agent_ids');
  end if;
  if call ->> 'reply_to_id' is not null
     and not exists (select 1 from public.messages m
       where m.swarm_id = swarm.id and m.id = (call ->> 'reply_to_id')::uuid) then
    perform private.refuse_call('VALIDATION_ERROR', '{"reply_to_id": "is not a message of this swarm"}');
  end if;
  if swarm.settings ? 'budget'
     or exists (select 1 from public.user_settings u
                where u.user_id = case when is_service then caller else swarm.owner_id end
                  and (u.daily_token_budget is not null or u.daily_cost_budget_usd is not null)) then
    perform private.check_day_budgets(swarm, case when is_service then caller else swarm.owner_id end);
  end if;

  conflict := coalesce(call ->> 'on_conflict',
    case when swarm.settings ->> 'on_conflict' in ('enqueue', 'reject', 'interrupt')
      then swarm.settings ->> 'on_conflict' end,
    'enqueue');
  -- Who starts a run of the swarm holds this lock: what is seen below it is so until the end of the transaction.
  if call ->> 'owner' is not null then
    is_alone := pg_try_advisory_xact_lock(hashtextextended(swarm.id::text, 25));
  end if;
  select count(*) filter (where r.status = 'queued'),
    min(r.queued_at) filter (where r.status = 'queued') - interval '1 microsecond',
    coalesce(bool_or(private.is_run_claimable(r)), false),
    (select w.id from public.runs w where w.swarm_id = swarm.id and w.status = 'running')
  into waiting, front, is_behind, live
  from public.runs r where r.swarm_id = swarm.id and r.status in ('queued', 'requires_action');
  if waiting >= (call ->> 'queue_limit')::integer or (conflict = 'reject' and (live is not null or waiting > 0)) then
    perform private.refuse_call('SWARM_BUSY');
  end if;
  if conflict = 'interrupt' and live is not null then
    -- The swarm may be set so that everybody interrupts; else who could not cancel the run does not interrupt it.
    if call ->> 'on_conflict' is not null and not is_service and not exists (
         select 1 from public.swarm_members m join public.runs r on r.id = live
         where m.swarm_id = swarm.id and m.user_id = caller and m.status = 'active'
           and (m.role in ('owner', 'admin') or r.user_id = caller
             or swarm.settings ->> 'on_conflict' = 'interrupt')) then
      perform private.refuse_call('FORBIDDEN');
    end if;
    perform private.request_cancel(live, 'interrupted');
  end if;
  -- As private.start_run decides it, which is what everybody else goes through.
  starts := is_alone and live is null and not is_behind;
  if starts and first_turn is not null then
    -- Who would begin was found out before this transaction: it must still be so.
    if speaker_ids = array(select known.id::uuid
      from jsonb_array_elements_text(first_turn -> 'speaker_ids') as known (id)) then
      select a.* into speaker from public.agents a where a.id = (first_turn ->> 'agent_id')::uuid for no key update;
    end if;
    if speaker.id is not null then
      select case when count(*) < (first_turn ->> 'max_concurrent')::integer then
               case when bool_or(t.status = 'responding') then 'responding' else 'thinking' end end,
        (select coalesce(sa.role_override, speaker.role) from public.swarm_agents sa
          where sa.swarm_id = swarm.id and sa.agent_id = speaker.id)
      into speaker_status, speaker_role
      from public.run_turns t where t.agent_id = speaker.id and t.status in ('queued', 'thinking', 'responding');
    end if;
  end if;

  perform set_config('swarmbase.context', jsonb_build_object('run_id', new_run_id, 'actor', case
    when is_service then '{"type": "service", "id": null}'
      else jsonb_build_object('type', 'user', 'id', caller) end)::text, true);
  insert into public.messages (swarm_id, sender_type, sender_user_id, content, reply_to_id, mentions, metadata,
    client_message_id)
  values (swarm.id, 'user', caller, call ->> 'message', (call ->> 'reply_to_id')::uuid,
    array(select jsonb_array_elements_text(call -> 'mentions')::uuid),
    coalesce(nullif(call -> 'metadata', 'null'), '{}'), call ->> 'client_message_id')
  returning * into sent;
  -- Who interrupts comes before those who wait.
  insert into public.runs (id, swarm_id, user_id, message_id, strategy, request, queued_at, status, started_at)
  values (new_run_id, swarm.id, caller, sent.id, swarm.strategy, call -> 'request',
    case when conflict = 'interrupt' then least(front, now()) else now() end,
    case when starts then 'running' else 'queued' end, case when starts then now() end)
  returning * into run;
  insert into private.run_leases (run_id, owner, fence, expires_at)
  values (new_run_id, case when starts then call ->> 'owner' end, starts::integer,
    case when starts then now() + (call ->> 'lease_ms')::integer * interval '1 millisecond' end);
  if key is not null then
    update private.idempotency_keys k set run_id = new_run_id
    where k.user_id = caller and k.key = admit_run.call ->> 'idempotency_key';
  end if;
  events := jsonb_build_array(
    private.build_run_event(run, 1, 'message.created',
      jsonb_build_object('message_id', sent.id, 'message', to_jsonb(sent)), null),
    case when starts
      then private.build_run_event(run, 2, 'run.started', '{"status": "running", "is_resumed": false}', null)
      else private.build_run_event(run, 2, 'run.queued',
        jsonb_build_object('status', 'queued', 'position', waiting + 1), null) end);
  if speaker_status is not null then
    toolbox := private.agent_toolbox(speaker.id, speaker.user_id);
    model := coalesce(speaker.model, first_turn -> 'default_models' ->> speaker.framework, 'default');
    insert into public.run_turns (id, run_id, swarm_id, agent_id, agent_name, position, status, framework, model,
      message_id, started_at)
    values ((first_turn ->> 'turn_id')::uuid, new_run_id, swarm.id, speaker.id, speaker.name, 0, 'thinking',
      speaker.framework, model, (first_turn ->> 'message_id')::uuid, now());
    insert into private.turn_snapshots (turn_id, config)
    values ((first_turn ->> 'turn_id')::uuid,
      jsonb_build_object('name', speaker.name, 'role', speaker_role, 'framework', speaker.framework,
      'model', speaker.model, 'system_prompt', speaker.system_prompt, 'settings', speaker.settings,
        'tools', private.tools_without_secrets(toolbox)));
    events := events || private.build_run_event(run, 3, 'turn.started', jsonb_build_object(
      'turn_id', first_turn -> 'turn_id', 'message_id', first_turn -> 'message_id', 'agent_id', speaker.id,
      'agent_name', speaker.name, 'model', model), speaker.id);
    if speaker_status <> speaker.status then
      perform set_config('swarmbase.context', json_build_object('reason', 'run_started', 'run_id', new_run_id,
        'swarm_id', swarm.id, 'actor', json_build_object('type', 'agent', 'id', speaker.id))::text, true);
      update public.agents a set status = speaker_status where a.id = speaker.id;
      events := events || private.build_run_event(run, 4, 'agent.status_changed',
        jsonb_build_object('agent_id', speaker.id,
        'status', speaker_status, 'previous_status', speaker.status, 'reason', 'run_started', 'changed_at', now()),
        speaker.id);
    end if;
  end if;
  insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data)
  select new_run_id, e.seq, swarm.id, e.agent_id, false, e.type, e.data
  from jsonb_to_recordset(events) as e (seq integer, type text, agent_id uuid, data jsonb);
  return json_build_object('run_id', new_run_id, 'is_replay', false, 'fence', case when starts then 1 end,
    'scene', case when starts then private.load_run(new_run_id, 1) end,
    'interrupted_run_id', case when conflict = 'interrupt' then live end,
    'first_turn', case when toolbox is not null then json_build_object(
      'turn_id', first_turn -> 'turn_id', 'message_id', first_turn -> 'message_id',
      'agent', jsonb_build_object('id', speaker.id, 'name', speaker.name, 'user_id', speaker.user_id,
        'role', speaker_role, 'framework', speaker.framework, 'model', speaker.model,
        'system_prompt', speaker.system_prompt, 'settings', speaker.settings, 'tools', toolbox),
      'messages', private.read_transcript(swarm.id, 0, (first_turn ->> 'history_limit')::integer)) end,
    'events', events);
end
$$;
grant execute on function private.admit_run(jsonb) to sb_service;

-- What private.survey_swarm tells, of many calls that name no agents and have no key. Those in whose way anything
-- stands are left out: that function knows what to say.
create or replace function private.survey_swarms(batch jsonb) returns json
language plpgsql stable set search_path = pg_catalog, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
begin
  return (
    select json_agg(json_build_object('place', e.place, 'survey', json_build_object('replayed_run_id', null,
      'is_manager', m.role in ('owner', 'admin'),
      'own_agent_ids', array(select sa.agent_id from public.swarm_agents sa
        where sa.swarm_id = s.id and sa.user_id = e.user_id),
      'strategy', s.strategy, 'coordinator_agent_id', s.coordinator_agent_id, 'settings', s.settings,
        'agents', room.agents)))
    from jsonb_to_recordset(batch) as e (place integer, swarm_id uuid, user_id uuid)
    join public.swarms s on s.id = e.swarm_id and s.status = 'active'
    join public.swarm_members m on m.swarm_id = s.id and m.user_id = e.user_id and m.status = 'active'
      and m.role <> 'viewer'
    cross join lateral (
      select json_agg(json_build_object('id', a.id, 'name', a.name, 'framework', a.framework, 'model', a.model,
        'position', sa.position)
                      order by sa.position, sa.created_at, a.id) as agents
      from public.swarm_agents sa join public.agents a on a.id = sa.agent_id
      where sa.swarm_id = s.id and sa.enabled) as room
    where room.agents is not null);
end
$$;
grant execute on function private.survey_swarms(jsonb) to sb_service;

-- Admits many calls that are as plain as most are: one agent begins, and nothing of its swarm or of the agent is under
-- way. What it leaves out of its answer, nothing was written for: private.admit_run says what is to become of it. Waits
-- for nobody.
create or replace function private.admit_runs(batch jsonb, owner text, lease_ms integer) returns json
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
-- Planned for as many rows as a batch may have, which must not read whole tables, or a whole room, for the sake of a
-- few.
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
    join public.swarms s on s.id = e.swarm_id and s.status = 'active'
      and not s.settings ?| array['budget', 'moderation']
    join public.agents a on a.id = e.agent_id
    where exists (select 1 from public.swarm_members m
                  where m.swarm_id = s.id and m.user_id = e.user_id and m.status = 'active' and m.role <> 'viewer')
      and not exists (select 1 from public.user_settings u
                      where u.user_id = s.owner_id and (u.daily_token_budget is not null
                        or u.daily_cost_budget_usd is not null))
    for no key update of s, a skip locked);
  -- Who starts a run of a swarm holds this lock: what is seen below it is so until the end of the transaction.
  held := array(select h.id from unnest(held) as h (id)
    where pg_try_advisory_xact_lock(hashtextextended(h.id::text, 25)));
  -- Who writes to a swarm holds its counter, and may take long over it.
  unwritten := array(select c.swarm_id from private.message_counters c
    where c.swarm_id = any (held) for no key update skip locked);
  held := array(select h.id from unnest(held) as h (id)
                where h.id = any (unwritten) or not exists (select 1 from private.message_counters c
                  where c.swarm_id = h.id));
  if held = '{}' then
    return null;
  end if;
  select array_agg(e.swarm_id), array_agg(e.agent_id),
    jsonb_object_agg(e.agent_id, jsonb_build_object('run_id', e.run_id, 'swarm_id', e.swarm_id))
  into taken, speaker_ids, contexts
  from jsonb_to_recordset(batch) as e (run_id uuid, swarm_id uuid, agent_id uuid, speaker_ids uuid[])
  where e.swarm_id = any (held)
    and not exists (select 1 from public.runs r where r.swarm_id = e.swarm_id and r.status = 'running')
    and not exists (select 1 from public.runs r
      where r.swarm_id = e.swarm_id and r.status in ('queued', 'requires_action'))
    and not exists (select 1 from public.run_turns t
      where t.agent_id = e.agent_id and t.status in ('queued', 'thinking', 'responding'))
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
  from jsonb_to_recordset(batch) as e (sent_id uuid, swarm_id uuid, user_id uuid, message text, mentions uuid[],
    metadata jsonb)
  where e.swarm_id = any (taken)
  order by e.swarm_id;
  with asked as materialized (
    select e.run_id, e.sent_id, e.user_id, e.request, e.turn_id, e.reply_id, s.id as swarm_id, s.strategy,
      a.id as agent_id,
      a.name as agent_name, a.framework, coalesce(a.model, e.default_models ->> a.framework, 'default') as model,
        a.status,
      jsonb_build_object('name', a.name, 'role', coalesce(sa.role_override, a.role), 'framework', a.framework,
        'model', a.model, 'system_prompt', a.system_prompt, 'settings', a.settings) as config,
      jsonb_build_object('id', a.id, 'user_id', a.user_id, 'tools', private.agent_toolbox(a.id, a.user_id)) as own,
      to_jsonb(m) as message
    from jsonb_to_recordset(batch) as e (run_id uuid, sent_id uuid, swarm_id uuid, user_id uuid, request jsonb,
      turn_id uuid, reply_id uuid, agent_id uuid, default_models jsonb)
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
    insert into public.run_turns (id, run_id, swarm_id, agent_id, agent_name, position, status, framework, model,
      message_id, started_at)
    select e.turn_id, e.run_id, e.swarm_id, e.agent_id, e.agent_name, 0, 'thinking', e.framework, e.model, e.reply_id,
      now() from asked e
  ), noted as (
    insert into private.turn_snapshots (turn_id, config)
    select e.turn_id, e.config || jsonb_build_object('tools', private.tools_without_secrets(e.own -> 'tools'))
      from asked e
  ), changed as (
    update public.agents a set status = 'thinking' where a.id = any (speaker_ids) and a.status <> 'thinking'
  ), shown as materialized (
    select e.run_id, e.swarm_id, happened.seq, happened.agent_id, happened.type,
      jsonb_build_object('run_id', e.run_id, 'swarm_id', e.swarm_id) || happened.data as data
    from asked e
    cross join lateral (values
      (1, 'message.created', null::uuid, jsonb_build_object('message_id', e.sent_id, 'message', e.message)),
      (2, 'run.started', null, '{"status": "running", "is_resumed": false}'),
      (3, 'turn.started', e.agent_id, jsonb_build_object('turn_id', e.turn_id, 'message_id', e.reply_id,
        'agent_id', e.agent_id, 'agent_name', e.agent_name, 'model', e.model)),
      (4, 'agent.status_changed', e.agent_id, case when e.status <> 'thinking'
        then jsonb_build_object('agent_id', e.agent_id,
        'status', 'thinking', 'previous_status', e.status, 'reason', 'run_started', 'changed_at', now()) end))
      as happened (seq, type, agent_id, data)
    where happened.data is not null
  ), kept as (
    insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data)
    select s.run_id, s.seq, s.swarm_id, s.agent_id, false, s.type, s.data from shown s
  )
  select json_agg(json_build_object('run_id', e.run_id, 'agent', e.config || e.own, 'events', (
      select json_agg(json_build_object('seq', s.seq, 'type', s.type, 'agent_id', s.agent_id, 'restricted', false,
        'data', s.data)
                      order by s.seq)
      from shown s where s.run_id = e.run_id)))
  into answers from asked e;
  -- What private.load_run and private.read_transcript tell, of runs that have just begun and have no budget to keep to.
  -- The messages come column by column, the latest first, so that types are looked up once for each column and not for
  -- each row.
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
    from jsonb_to_recordset(batch) as e (run_id uuid, swarm_id uuid, user_id uuid, sent_id uuid, request jsonb,
      message text, speaker_ids uuid[], history_limit integer)
    join public.swarms s on s.id = e.swarm_id
    cross join lateral (select
      (select json_agg(json_build_object('id', a.id, 'name', a.name, 'role', coalesce(sa.role_override, a.role),
        'position', sa.position,
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
           'sender_id', array_agg(n.sender_id), 'sender_name', array_agg(n.sender_name),
           'content', array_agg(n.content), 'reply_to_id', array_agg(n.reply_to_id), 'run_id', array_agg(n.run_id))
       from (select m.id, m.seq, m.sender_type, m.sender_id, m.sender_name, m.content, m.reply_to_id, m.run_id,
               sum(coalesce(octet_length(m.content), 0))
                 over (order by m.seq desc) - coalesce(octet_length(m.content), 0) as newer_bytes
             from (select * from public.messages m where m.swarm_id = s.id order by m.seq desc
               limit e.history_limit) as m) as n
       where n.newer_bytes < 4000000) as messages) as room
    where e.swarm_id = any (taken)));
end
$$;
grant execute on function private.admit_runs(jsonb, text, integer) to sb_service;

-- One waiting run answers all that was said until it starts. Its row is locked: if it starts at this moment, this waits
-- and then sees that it no longer waits; if it starts later, its turns see the message. Only the service role can store
-- a message for a user who is not a member: by_service exempts such a run from the check.
create or replace function private.queue_auto_responses() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
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
