-- What most runs do, in fewer and cheaper statements. Most of what a statement costs here is its preparation: checks and
-- conditions of triggers are read anew each time, so many rows at once cost little more than one, and functions in plain SQL
-- are inlined only where they promise no more than what they call.

create or replace function private.build_run_event(run public.runs, seq integer, type text, data jsonb, agent_id uuid, restricted boolean default false)
returns jsonb language sql stable
as $$
  select jsonb_build_object('seq', seq, 'type', type, 'agent_id', agent_id, 'restricted', restricted,
    'data', jsonb_build_object('run_id', run.id, 'swarm_id', run.swarm_id) || data)
$$;

create or replace function private.usage_body(input_tokens bigint, cached_input_tokens bigint, output_tokens bigint, cost_usd numeric, estimated boolean)
returns json language sql stable parallel safe
as $$
  select json_build_object('input_tokens', coalesce(input_tokens, 0), 'cached_input_tokens', coalesce(cached_input_tokens, 0),
    'output_tokens', coalesce(output_tokens, 0), 'total_tokens', coalesce(input_tokens, 0) + coalesce(output_tokens, 0),
    'cost_usd', cost_usd, 'estimated', coalesce(estimated, false))
$$;

-- Asked twice for every message; in plain SQL it would be parsed twice for every message.
create or replace function private.may_number_message(swarm_id uuid) returns boolean language plpgsql stable
as $$
begin
  return current_user not in ('anon', 'authenticated') or swarm_id = any (array(select private.my_writable_swarm_ids()));
end
$$;

-- One statement may write for many runs. What it says of each agent is then under `by_agent`, and `acts_as_sender` that each
-- message was written by whom it is of.
create or replace function private.emit_agent_updated() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  -- Comparing rows is dear beside a long prompt, and mostly nobody listens.
  if not exists (select 1 from new_rows n join public.webhooks w on w.user_id = n.user_id
                 where w.is_active and w.events && array['agent.updated', 'agent.status_changed']) then
    return null;
  end if;
  insert into private.events (type, data, audience)
  select 'agent.updated',
    json_build_object('agent_id', n.id, 'changed_fields', changes.fields,
      'agent', to_jsonb(n) - 'status_changed_at', 'actor', private.actor()),
    array[n.user_id]
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (select private.changed_fields(to_jsonb(o), to_jsonb(n), 'status', 'status_changed_at', 'updated_at')) as changes (fields)
  where exists (select 1 from public.webhooks w
                where w.is_active and w.user_id = n.user_id and 'agent.updated' = any (w.events))
    and cardinality(changes.fields) > 0;

  insert into private.events (type, data, audience)
  select 'agent.status_changed',
    json_build_object('agent_id', n.id, 'status', n.status, 'previous_status', o.status,
      'reason', coalesce(about.context ->> 'reason', 'manual'),
      'run_id', about.context -> 'run_id', 'swarm_id', about.context -> 'swarm_id',
      'changed_at', n.status_changed_at),
    array[n.user_id]
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (
    select coalesce(private.change_context() -> 'by_agent' -> n.id::text, private.change_context())) as about (context)
  where n.status <> o.status
    and exists (select 1 from public.webhooks w
                where w.is_active and w.user_id = n.user_id and 'agent.status_changed' = any (w.events));
  return null;
end
$$;

create or replace function private.emit_messages_created() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select 1 from new_rows n
                 join public.swarm_members m on m.swarm_id = n.swarm_id and m.status = 'active'
                 join public.webhooks w on w.user_id = m.user_id
                 where w.is_active and 'message.created' = any (w.events)) then
    return null;
  end if;
  insert into private.events (type, data, audience)
  select 'message.created',
    json_build_object('message_id', n.id, 'swarm_id', n.swarm_id, 'content', n.content, 'sender_type', n.sender_type,
      'sender_id', n.sender_id, 'sender_name', n.sender_name, 'run_id', n.run_id, 'reply_to_id', n.reply_to_id,
      'created_at', n.created_at, 'actor', case when private.change_context() ? 'acts_as_sender'
        then json_build_object('type', n.sender_type, 'id', n.sender_id) else private.actor() end),
    room.audience
  from new_rows n
  cross join lateral (select private.swarm_audience(n.swarm_id)) as room (audience)
  where private.is_subscribed('message.created', room.audience);
  return null;
end
$$;

-- What has to be known before a run can be admitted: whether it was already, or else who could answer and who would begin.
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
      'own_agent_ids', array(select sa.agent_id from public.swarm_agents sa where sa.swarm_id = s.id and sa.user_id = caller),
      'strategy', s.strategy, 'coordinator_agent_id', s.coordinator_agent_id, 'settings', s.settings,
      'agents', (
        select json_agg(json_build_object('id', a.id, 'name', a.name, 'framework', a.framework, 'model', a.model, 'position', sa.position)
                        order by sa.position, sa.created_at, a.id)
        from public.swarm_agents sa join public.agents a on a.id = sa.agent_id
        where sa.swarm_id = s.id and sa.enabled))
    from public.swarms s where s.id = swarm);
end
$$;

-- One call, one transaction: the caller may, the swarm can, the queue has room; then the message, the run and its first events
-- are stored, and the run is started when `owner` has room for it and nothing of its swarm comes first, with its first turn where
-- `first_turn` says whose; the answer then has all that private.load_run would tell. Calls with one key, or in one swarm, come
-- after each other.
create or replace function private.admit_run(call jsonb) returns json
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
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
      update private.idempotency_keys k set run_id = replayed where k.user_id = caller and k.key = admit_run.call ->> 'idempotency_key';
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
     and not exists (select 1 from public.messages m where m.swarm_id = swarm.id and m.id = (call ->> 'reply_to_id')::uuid) then
    perform private.refuse_call('VALIDATION_ERROR', '{"reply_to_id": "is not a message of this swarm"}');
  end if;
  if swarm.settings ? 'budget'
     or exists (select 1 from public.user_settings u
                where u.user_id = case when is_service then caller else swarm.owner_id end
                  and (u.daily_token_budget is not null or u.daily_cost_budget_usd is not null)) then
    perform private.check_day_budgets(swarm, case when is_service then caller else swarm.owner_id end);
  end if;

  conflict := coalesce(call ->> 'on_conflict',
    case when swarm.settings ->> 'on_conflict' in ('enqueue', 'reject', 'interrupt') then swarm.settings ->> 'on_conflict' end,
    'enqueue');
  -- Who starts a run of the swarm holds this lock: what is seen below it is so until the end of the transaction.
  if call ->> 'owner' is not null then
    is_alone := pg_try_advisory_xact_lock(hashtextextended(swarm.id::text, 25));
  end if;
  select count(*) filter (where r.status = 'queued'), min(r.queued_at) filter (where r.status = 'queued') - interval '1 microsecond',
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
           and (m.role in ('owner', 'admin') or r.user_id = caller or swarm.settings ->> 'on_conflict' = 'interrupt')) then
      perform private.refuse_call('FORBIDDEN');
    end if;
    perform private.request_cancel(live, 'interrupted');
  end if;
  -- As private.start_run decides it, which is what everybody else goes through.
  starts := is_alone and live is null and not is_behind;
  if starts and first_turn is not null then
    -- Who would begin was found out before this transaction: it must still be so.
    if speaker_ids = array(select known.id::uuid from jsonb_array_elements_text(first_turn -> 'speaker_ids') as known (id)) then
      select a.* into speaker from public.agents a where a.id = (first_turn ->> 'agent_id')::uuid for no key update;
    end if;
    if speaker.id is not null then
      select case when count(*) < (first_turn ->> 'max_concurrent')::integer then
               case when bool_or(t.status = 'responding') then 'responding' else 'thinking' end end,
        (select coalesce(sa.role_override, speaker.role) from public.swarm_agents sa where sa.swarm_id = swarm.id and sa.agent_id = speaker.id)
      into speaker_status, speaker_role
      from public.run_turns t where t.agent_id = speaker.id and t.status in ('queued', 'thinking', 'responding');
    end if;
  end if;

  perform set_config('swarmbase.context', jsonb_build_object('run_id', new_run_id, 'actor', case
    when is_service then '{"type": "service", "id": null}' else jsonb_build_object('type', 'user', 'id', caller) end)::text, true);
  insert into public.messages (swarm_id, sender_type, sender_user_id, content, reply_to_id, mentions, metadata, client_message_id)
  values (swarm.id, 'user', caller, call ->> 'message', (call ->> 'reply_to_id')::uuid,
    array(select jsonb_array_elements_text(call -> 'mentions')::uuid), coalesce(nullif(call -> 'metadata', 'null'), '{}'),
    call ->> 'client_message_id')
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
    private.build_run_event(run, 1, 'message.created', jsonb_build_object('message_id', sent.id, 'message', to_jsonb(sent)), null),
    case when starts
      then private.build_run_event(run, 2, 'run.started', '{"status": "running", "is_resumed": false}', null)
      else private.build_run_event(run, 2, 'run.queued', jsonb_build_object('status', 'queued', 'position', waiting + 1), null) end);
  if speaker_status is not null then
    toolbox := private.agent_toolbox(speaker.id, speaker.user_id);
    model := coalesce(speaker.model, first_turn -> 'default_models' ->> speaker.framework, 'default');
    insert into public.run_turns (id, run_id, swarm_id, agent_id, agent_name, position, status, framework, model, message_id, started_at)
    values ((first_turn ->> 'turn_id')::uuid, new_run_id, swarm.id, speaker.id, speaker.name, 0, 'thinking',
      speaker.framework, model, (first_turn ->> 'message_id')::uuid, now());
    insert into private.turn_snapshots (turn_id, config)
    values ((first_turn ->> 'turn_id')::uuid, jsonb_build_object('name', speaker.name, 'role', speaker_role, 'framework', speaker.framework,
      'model', speaker.model, 'system_prompt', speaker.system_prompt, 'settings', speaker.settings, 'tools', private.tools_without_secrets(toolbox)));
    events := events || private.build_run_event(run, 3, 'turn.started', jsonb_build_object(
      'turn_id', first_turn -> 'turn_id', 'message_id', first_turn -> 'message_id', 'agent_id', speaker.id,
      'agent_name', speaker.name, 'model', model), speaker.id);
    if speaker_status <> speaker.status then
      perform set_config('swarmbase.context', json_build_object('reason', 'run_started', 'run_id', new_run_id, 'swarm_id', swarm.id,
        'actor', json_build_object('type', 'agent', 'id', speaker.id))::text, true);
      update public.agents a set status = speaker_status where a.id = speaker.id;
      events := events || private.build_run_event(run, 4, 'agent.status_changed', jsonb_build_object('agent_id', speaker.id,
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

create function private.context_by_agent(contexts jsonb, reason text) returns text language plpgsql stable
as $$
begin
  return jsonb_build_object('acts_as_sender', true, 'by_agent', (
    select jsonb_object_agg(agent.key, agent.value || jsonb_build_object('reason', reason))
    from jsonb_each(contexts) as agent))::text;
end
$$;
-- Admits many calls that are as plain as most are: one agent begins, and nothing of its swarm or of the agent is under way. What
-- it leaves out of its answer, nothing was written for: private.admit_run says what is to become of it. Waits for nobody.
create function private.admit_runs(batch jsonb, owner text, lease_ms integer) returns json
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
-- Planned for as many rows as a batch may have, which must not read whole tables, or a whole room, for the sake of a few.
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
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
  -- What private.load_run and private.read_transcript tell, of runs that have just begun and have no budget to keep to.
  return json_build_object('runs', answers, 'has_events', exists (select 1 from private.events), 'scenes', (
    select json_agg(json_build_object('scene', json_build_object(
        'run', json_build_object('id', e.run_id, 'swarm_id', s.id, 'user_id', e.user_id, 'message_id', e.sent_id,
          'strategy', s.strategy, 'request', e.request),
        'last_seq', 4,
        'swarm', json_build_object('id', s.id, 'name', s.name, 'status', s.status, 'owner_id', s.owner_id,
          'coordinator_agent_id', s.coordinator_agent_id, 'settings', s.settings),
        'message', e.message, 'agents', room.agents, 'people', room.people, 'payer_id', s.owner_id, 'payer_budget', null,
        'spent_by_payer', nothing.spent, 'spent_in_swarm', nothing.spent, 'progress', null, 'decisions', '[]'::json),
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
      (select json_agg(read order by read.seq)
       from (select n.id, n.seq, n.sender_type, n.sender_id, n.sender_name, n.content, n.reply_to_id, n.run_id
             from (select m.*, sum(coalesce(octet_length(m.content), 0)) over (order by m.seq desc)
                     - coalesce(octet_length(m.content), 0) as newer_bytes
                   from (select * from public.messages m where m.swarm_id = s.id order by m.seq desc limit e.history_limit) as m) as n
             where n.newer_bytes < 4000000) as read) as messages) as room
    cross join (select json_build_object('tokens', 0, 'cost_usd', 0)) as nothing (spent)
    where e.swarm_id = any (taken)));
end
$$;

create function private.tools_without_secrets(toolbox jsonb) returns jsonb language plpgsql stable
as $$
begin
  return case when toolbox = '[]' then toolbox
    else (select jsonb_agg(t.value - 'secrets_wrapped') from jsonb_array_elements(toolbox) as t) end;
end
$$;

-- Ends many runs that came to an ordinary end: one turn, which spoke, without tools. Waits for nobody and takes only what is as
-- plain as it should be; whatever it leaves out of its answer, nothing was written for. Of those it takes, it does what
-- private.finish_turn and private.finish_run do, in the same order, for all at once.
create function private.end_runs(batch jsonb) returns json
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
-- Planned for as many rows as a batch may have, which must not read whole tables for the sake of a few.
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set plan_cache_mode = force_generic_plan
set lock_timeout = '100ms'
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
    jsonb_object_agg(a.id, a.status), jsonb_object_agg(a.id, jsonb_build_object('run_id', t.run_id, 'swarm_id', t.swarm_id))
  into taken, speaker_ids, silent_ids, before, contexts
  from jsonb_to_recordset(batch) as e (run_id uuid, turn_id uuid)
  join public.run_turns t on t.id = e.turn_id and t.run_id = e.run_id and t.status in ('thinking', 'responding')
  join public.agents a on a.id = t.agent_id
  where t.run_id = any (held)
    and not exists (select 1 from public.run_turns o
                    where o.agent_id = t.agent_id and o.status in ('queued', 'thinking', 'responding') and o.id <> t.id)
    and not exists (select 1 from public.run_turns o where o.swarm_id = t.swarm_id and o.run_id = t.run_id and o.id <> t.id)
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
  insert into public.messages (id, swarm_id, sender_type, sender_agent_id, sender_name, content, run_id, turn_id, finish_reason)
  select t.message_id, t.swarm_id, 'agent', t.agent_id, t.agent_name, left(e.content, 100000), t.run_id, t.id, e.finish_reason
  from jsonb_to_recordset(batch) as e (run_id uuid, turn_id uuid, content text, finish_reason text)
  join public.run_turns t on t.id = e.turn_id
  where e.run_id = any (taken)
  order by t.swarm_id;
  update public.agents a set status = 'idle' where a.id = any (speaker_ids);

  with asked as materialized (
    select e.*
    from jsonb_to_recordset(batch) as e (run_id uuid, turn_id uuid, seq integer, end_seq integer, deltas jsonb, finish_reason text,
      stop_reason text, warnings jsonb, attempts integer, framework text, model text, first_token_ms integer, duration_ms integer,
      input_tokens bigint, cached_input_tokens bigint, output_tokens bigint, reasoning_tokens bigint, cost_usd numeric,
      estimated boolean, payer_id uuid)
    where e.run_id = any (taken)
  ), turned as (
    update public.run_turns t
    set status = 'completed', finish_reason = e.finish_reason, warnings = e.warnings, attempts = e.attempts, framework = e.framework,
      model = e.model, first_token_ms = coalesce(t.first_token_ms, e.first_token_ms), duration_ms = e.duration_ms,
      input_tokens = e.input_tokens, cached_input_tokens = e.cached_input_tokens, output_tokens = e.output_tokens,
      reasoning_tokens = e.reasoning_tokens, estimated = e.estimated, cost_usd = e.cost_usd, finished_at = now()
    from asked e where t.id = e.turn_id
    returning t.*, private.usage_body(t.input_tokens, t.cached_input_tokens, t.output_tokens, t.cost_usd, t.estimated) as usage
  ), ended as (
    update public.runs r
    set status = 'completed', stop_reason = e.stop_reason, finished_at = now(), turn_count = 1, usage = to_jsonb(t.usage)
    from asked e join turned t on t.id = e.turn_id where r.id = e.run_id
    returning r.id, r.swarm_id, r.user_id, r.message_id, r.stop_reason, r.created_at, r.finished_at
  ), freed as (
    update private.run_leases l set owner = null, expires_at = null where l.run_id = any (taken)
  ), used as (
    insert into public.usage_records (payer_id, user_id, swarm_id, run_id, turn_id, agent_id, framework, model, input_tokens,
      cached_input_tokens, output_tokens, reasoning_tokens, cost_usd, estimated)
    select u.id, r.user_id, t.swarm_id, t.run_id, t.id, t.agent_id, t.framework, t.model, t.input_tokens,
      t.cached_input_tokens, t.output_tokens, t.reasoning_tokens, t.cost_usd, t.estimated
    from turned t
    join asked e on e.turn_id = t.id
    join ended r on r.id = t.run_id
    join auth.users u on u.id = e.payer_id
  ), told as materialized (
    select e.seq, e.end_seq, e.deltas, t.run_id, t.swarm_id, t.agent_id, t.id as turn_id, t.agent_name, t.finish_reason, t.usage,
      t.warnings, m.id as message_id, to_jsonb(m) as message, before ->> t.agent_id::text as status_before,
      json_build_object(
        'run_id', r.id, 'swarm_id', r.swarm_id, 'status', 'completed', 'stop_reason', r.stop_reason,
        'message', (select row_to_json(q) from public.messages q where q.id = r.message_id),
        'responses', json_build_array(json_build_object(
          'message', row_to_json(m), 'agent_id', m.sender_id, 'agent_name', t.agent_name, 'turn_id', t.id,
          'framework', t.framework, 'model', t.model, 'finish_reason', t.finish_reason, 'usage', t.usage,
          'first_token_ms', t.first_token_ms, 'duration_ms', t.duration_ms, 'tool_executions', '[]'::json, 'warnings', t.warnings)),
        'errors', '[]'::json, 'usage', t.usage, 'pending_approvals', null, 'created_at', r.created_at, 'completed_at', r.finished_at) as body
    from turned t
    join asked e on e.turn_id = t.id
    join ended r on r.id = t.run_id
    join public.messages m on m.id = t.message_id
  ), shown as materialized (
    select s.run_id, s.swarm_id, happened.seq, s.agent_id, happened.type,
      jsonb_build_object('run_id', s.run_id, 'swarm_id', s.swarm_id) || happened.data as data
    from told s
    cross join lateral (values
      (s.seq, 'agent.status_changed', case when s.status_before <> 'responding' then jsonb_build_object('agent_id', s.agent_id,
        'status', 'responding', 'previous_status', s.status_before, 'reason', 'first_token', 'changed_at', now()) end),
      (s.seq + 1, 'message.created', jsonb_build_object('message_id', s.message_id, 'turn_id', s.turn_id, 'message', s.message)),
      (s.seq + 2, 'turn.completed', jsonb_build_object('turn_id', s.turn_id, 'agent_id', s.agent_id, 'agent_name', s.agent_name,
        'status', 'completed', 'finish_reason', s.finish_reason, 'usage', s.usage, 'warnings', s.warnings)),
      (s.seq + 4, 'agent.status_changed', jsonb_build_object('agent_id', s.agent_id, 'status', 'idle', 'previous_status', 'responding',
        'reason', 'run_completed', 'changed_at', now()))) as happened (seq, type, data)
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
  select json_agg(json_build_object('run_id', t.run_id, 'body', t.body, 'events', (
      select json_agg(json_build_object('seq', s.seq, 'type', s.type, 'agent_id', s.agent_id, 'restricted', false, 'data', s.data)
                      order by s.seq)
      from shown s where s.run_id = t.run_id)))
  into answers from told t;

  insert into private.events (type, data, audience)
  select 'swarm.completed', json_build_object('swarm_id', r.swarm_id, 'run_id', r.id, 'status', r.status, 'stop_reason', r.stop_reason,
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

grant execute on function private.admit_runs(jsonb, text, integer), private.end_runs(jsonb) to sb_service;
