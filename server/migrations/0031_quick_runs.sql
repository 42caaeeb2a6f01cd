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

create function private.tools_without_secrets(toolbox jsonb) returns jsonb language plpgsql stable
as $$
begin
  return case when toolbox = '[]' then toolbox
    else (select jsonb_agg(t.value - 'secrets_wrapped') from jsonb_array_elements(toolbox) as t) end;
end
$$;
