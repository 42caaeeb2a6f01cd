-- Swarms for calls that name an agent instead of a swarm: the latest private conversation of the user and the agent, a
-- new one, or a new swarm for the conversation that the call brings.

-- Returns the private conversation that a call continues; null when it begins one. An API key that does not read the
-- conversations of its user (`is_key_alone`) has its own, and so has what starts runs by itself (`started_by`). One
-- that began on other terms than those of the grant that applies now is over.
create or replace function private.find_private_swarm(call jsonb) returns uuid language plpgsql stable
as $$
begin
  if call -> 'is_new_conversation' = 'true' then
    return null;
  end if;
  return (
    select p.swarm_id from private.private_swarms p
    where p.user_id = (call ->> 'user_id')::uuid and p.agent_id = (call ->> 'agent_id')::uuid
      and p.started_by is not distinct from call ->> 'started_by'
      and p.api_key_id is not distinct from case when call -> 'is_key_alone' = 'true'
        then (call ->> 'api_key_id')::uuid end
      -- Asked once, however many conversations there are.
      and (p.transcripts is null or p.transcripts = (
        select (private.find_grant((call ->> 'agent_id')::uuid, (call ->> 'user_id')::uuid)).transcripts))
      and exists (select 1 from public.swarm_agents sa where sa.swarm_id = p.swarm_id and sa.agent_id = p.agent_id)
    order by p.created_at desc, p.swarm_id desc limit 1);
end
$$;

-- The last messages of a swarm, oldest first, each after the role of its sender.
create or replace function private.list_said(swarm_id uuid, max_rows integer) returns text[] language plpgsql stable
as $$
begin
  return (
    select array_agg(said.text order by said.seq)
    from (select m.seq, case m.sender_type when 'agent' then 'assistant ' else 'user ' end
            || private.trim_whitespace(m.content) as text
          from public.messages m
          where m.swarm_id = list_said.swarm_id and m.sender_type <> 'system' and m.deleted_at is null
          order by m.seq desc limit max_rows) as said);
end
$$;

-- Returns the private conversation that has exactly the messages of a call before its last one, the newest of several,
-- as `swarm_id`; or the run that the call repeats, which has made the conversation longer.
create or replace function private.find_listed_swarm(call jsonb) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  caller uuid := call ->> 'user_id';
  replay jsonb := private.find_replay(caller, null, call ->> 'idempotency_key', call ->> 'request_hash', null, null);
  listed text[] := array(
    select (e.value ->> 'role') || ' ' || private.trim_whitespace(e.value ->> 'content')
    from jsonb_array_elements(call -> 'conversation' -> 'history') with ordinality as e (value, position)
    order by e.position);
  swarm uuid;
begin
  if replay is not null then
    return replay;
  end if;
  for swarm in
    select p.swarm_id from private.private_swarms p
    where p.user_id = caller and p.agent_id = (call ->> 'agent_id')::uuid and p.started_by is null
      and p.api_key_id is not distinct from case when call -> 'is_key_alone' = 'true'
        then (call ->> 'api_key_id')::uuid end
    order by p.created_at desc, p.swarm_id desc
  loop
    -- Most conversations differ in their last message already.
    if private.list_said(swarm, 1) = listed[cardinality(listed):]
        and private.list_said(swarm, cardinality(listed) + 1) = listed then
      return jsonb_build_object('swarm_id', swarm);
    end if;
  end loop;
  return '{"swarm_id": null}';
end
$$;
grant execute on function private.find_listed_swarm(jsonb) to sb_service;

-- Returns the rejection of a caller who may not ask the agent, else null: its owner may, and whoever holds a grant. The
-- terms of a grant say what a call may bring; how the agent answers is its owner's alone.
create or replace function private.check_agent_use(call jsonb) returns jsonb language plpgsql stable
as $$
declare
  caller uuid := call ->> 'user_id';
  agent uuid := call ->> 'agent_id';
  owner_id uuid := (select a.user_id from public.agents a where a.id = agent);
  held public.agent_grants;
begin
  if (call -> 'is_service')::boolean and not exists (select 1 from public.profiles p where p.id = caller) then
    return private.build_rejection('VALIDATION_ERROR', '{"user_id": "names nobody"}');
  elsif owner_id is null then
    return private.build_rejection('AGENT_NOT_FOUND');
  elsif owner_id = caller then
    return null;
  end if;
  held := private.find_grant(agent, caller);
  return case when held.id is null or call -> 'changes_agent' = 'true'
      or (call -> 'conversation' <> 'null' and not held.accepts_messages)
      or (call -> 'has_client_tools' = 'true' and not held.accepts_client_tools)
    then private.build_rejection('PERMISSION_DENIED') end;
end
$$;

-- Returns the private swarm of a call as `swarm_id`. Without one: a rejection, the run that the call repeats, or the
-- swarm that admit_runs would create, as preflight_swarms describes swarms.
create or replace function private.preflight_private_swarm(call jsonb) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  caller uuid := call ->> 'user_id';
  agent public.agents;
  version public.agent_versions;
  has_conversation boolean := coalesce(call -> 'conversation' <> 'null', false);
  swarm uuid := case when not has_conversation
    then private.find_private_swarm(call) end;
  rejection jsonb := private.check_agent_use(call);
  replay jsonb;
begin
  select a.* into agent from public.agents a where a.id = (call ->> 'agent_id')::uuid;
  if rejection is null and exists (select 1 from public.swarm_agents sa
             where sa.swarm_id = swarm and sa.agent_id = agent.id and sa.enabled) then
    return json_build_object('swarm_id', swarm);
  end if;
  if rejection is null then
    select v.* into version from public.agent_versions v
    where v.agent_id = agent.id and v.number = coalesce((call ->> 'agent_version')::integer,
      case when agent.user_id <> caller then (private.find_grant(agent.id, caller)).agent_version end);
    if not found and call ->> 'agent_version' is not null then
      rejection := private.build_rejection('VALIDATION_ERROR', '{"agent_version": "names no version of the agent"}');
    end if;
  end if;
  if rejection is null then
    replay := private.find_replay(caller, swarm, call ->> 'idempotency_key', call ->> 'request_hash',
      call ->> 'client_message_id', call ->> 'message');
    rejection := case when swarm is not null then private.build_rejection('NO_AGENTS') end;
  end if;
  return case
    when replay is not null then replay::json
    when rejection is not null then json_build_object('rejection', rejection)
    else json_build_object('swarm', json_build_object('is_manager', true,
      'own_agent_ids', array(select agent.id where agent.user_id = caller),
      'strategy', 'round_robin', 'coordinator_agent_id', null, 'in_charge_agent_id', null,
      'settings', case when has_conversation then private.get_conversation_settings() else '{}' end,
      'agents', json_build_array(json_build_object('id', agent.id, 'name', agent.name,
        'framework', coalesce(version.framework, agent.framework),
        'model', case when version.number is null then agent.model else version.model end, 'position', 0)))) end;
end
$$;
grant execute on function private.preflight_private_swarm(jsonb) to sb_service;

-- Creates a swarm of the user with the agent of a call. Its name is the beginning of the message. Locks the account
-- before the agent, as the deletion of an account does.
create or replace function private.create_agent_swarm(call jsonb, settings jsonb, is_hidden boolean) returns uuid
language plpgsql volatile
as $$
declare
  caller uuid := call ->> 'user_id';
  agent uuid := call ->> 'agent_id';
  is_service boolean := (call -> 'is_service')::boolean;
  swarm uuid := private.new_id();
  rejection jsonb;
  context text;
begin
  perform 1 from auth.users u where u.id = caller for key share;
  perform 1 from public.agents a where a.id = agent for key share;
  rejection := private.check_agent_use(call);
  if rejection is not null then
    perform private.reject_call(rejection ->> 'code', rejection -> 'details');
  end if;
  context := set_config('swarmbase.context', json_build_object('actor', json_build_object(
    'type', case when is_service then 'service' else 'user' end,
    'id', case when not is_service then caller end))::text, true);
  if is_hidden then
    insert into private.hidden_swarms (swarm_id, user_id) values (swarm, caller);
  end if;
  insert into public.swarms (id, owner_id, name, settings)
  select swarm, caller, coalesce(nullif(title.text, ''), a.name), create_agent_swarm.settings
  from public.agents a
  cross join lateral (
    select left(regexp_replace(private.trim_whitespace(call ->> 'message'), '\s+', ' ', 'g'), 100)) as title (text)
  where a.id = agent;
  insert into public.swarm_agents (swarm_id, agent_id, added_by)
  values (swarm, agent, case when not is_service then caller end);
  return swarm;
end
$$;

create or replace function private.create_private_swarm(call jsonb) returns uuid language plpgsql volatile
as $$
declare
  swarm uuid := private.create_agent_swarm(call, '{}', false);
  key_id uuid := case when call -> 'is_key_alone' = 'true' then (call ->> 'api_key_id')::uuid end;
begin
  insert into private.private_swarms (swarm_id, user_id, agent_id, started_by, api_key_id, transcripts)
  select swarm, (call ->> 'user_id')::uuid, a.id, call ->> 'started_by', key_id,
    case when a.user_id <> (call ->> 'user_id')::uuid
      then (private.find_grant(a.id, (call ->> 'user_id')::uuid)).transcripts end
  from public.agents a where a.id = (call ->> 'agent_id')::uuid;
  if key_id is not null then
    insert into private.key_swarms (swarm_id, api_key_id) values (swarm, key_id);
  end if;
  return swarm;
end
$$;

-- Computed field: the agent with which the owner of the swarm talks in private; null for any other swarm. Only the
-- owner reads it, because a caller can pass any row.
create or replace function public.private_agent_id(swarm public.swarms) returns uuid
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select p.agent_id from private.private_swarms p
  where p.swarm_id = swarm.id and p.api_key_id is null and p.started_by is null
    and (p.user_id = (select auth.uid()) or (select auth.role()) = 'service_role')
    and private.may_key_see_swarm(swarm.id)
$$;
revoke execute on function public.private_agent_id(public.swarms) from public, anon;
grant execute on function public.private_agent_id(public.swarms) to authenticated, service_role;

-- Computed field: what starts the runs of a conversation that is no chat of its owner, as `schedules <id>`; null for
-- any other swarm. Only the owner reads it.
create or replace function public.started_by(swarm public.swarms) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select p.started_by from private.private_swarms p
  where p.swarm_id = swarm.id and (p.user_id = (select auth.uid()) or (select auth.role()) = 'service_role')
    and private.may_key_see_swarm(swarm.id)
$$;
revoke execute on function public.started_by(public.swarms) from public, anon;
grant execute on function public.started_by(public.swarms) to authenticated, service_role;

-- Computed field: who reads a private conversation with an agent of somebody else, as the grant said when it began;
-- null for any other swarm. Only the owner reads it.
create or replace function public.transcripts(swarm public.swarms) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select p.transcripts from private.private_swarms p
  where p.swarm_id = swarm.id and (p.user_id = (select auth.uid()) or (select auth.role()) = 'service_role')
    and private.may_key_see_swarm(swarm.id)
$$;
revoke execute on function public.transcripts(public.swarms) from public, anon;
grant execute on function public.transcripts(public.swarms) to authenticated, service_role;

-- The agent reads the whole conversation.
create or replace function private.get_conversation_settings() returns jsonb language sql immutable parallel safe
as $$ select '{"history_limit": 500}'::jsonb $$;

-- Creates the swarm for the conversation of a call, with all messages but the last one, and the tool results that the
-- call brings. It is hidden unless the call stores it.
create or replace function private.create_conversation_swarm(call jsonb) returns uuid language plpgsql volatile
as $$
declare
  swarm uuid := private.create_agent_swarm(call, private.get_conversation_settings(),
    call -> 'conversation' -> 'is_stored' <> 'true');
  context text;
begin
  if call -> 'is_key_alone' = 'true' then
    insert into private.key_swarms (swarm_id, api_key_id) values (swarm, (call ->> 'api_key_id')::uuid);
  end if;
  context := set_config('swarmbase.context', '{"acts_as_sender": true}', true);
  insert into public.messages (swarm_id, sender_type, sender_user_id, sender_agent_id, content)
  select swarm, said.sender, case when said.sender = 'user' then (call ->> 'user_id')::uuid end,
    case when said.sender = 'agent' then (call ->> 'agent_id')::uuid end, said.content
  from (select case e.value ->> 'role' when 'assistant' then 'agent' else 'user' end as sender,
          e.value ->> 'content' as content, e.position
        from jsonb_array_elements(call -> 'conversation' -> 'history') with ordinality as e (value, position)) as said
  order by said.position;
  -- A new swarm numbers its messages from 1.
  insert into private.sent_tool_results (swarm_id, seq, agent_id, user_id, results, are_alone)
  select swarm, said.position, (call ->> 'agent_id')::uuid, (call ->> 'user_id')::uuid, said.results, said.are_alone
  from (
    select e.position, e.value -> 'tool_results' as results, false as are_alone
    from jsonb_array_elements(call -> 'conversation' -> 'history') with ordinality as e (value, position)
    union all
    select jsonb_array_length(call -> 'conversation' -> 'history') + 1, call -> 'conversation' -> 'tool_results',
      (call -> 'conversation' -> 'are_results_alone')::boolean) as said
  where said.results <> '[]';
  return swarm;
end
$$;

-- Returns the earlier run that a call repeats as its answer, if there is one. The lock of answer_used_keys, before the
-- swarm exists: a call that repeats another one must not create a swarm.
create or replace function private.find_repeated_call(call jsonb) returns jsonb language plpgsql volatile
as $$
declare
  replay jsonb;
begin
  perform pg_advisory_xact_lock(hashtextextended((call ->> 'user_id') || (call ->> 'idempotency_key'), 41));
  replay := private.find_replay((call ->> 'user_id')::uuid, null, call ->> 'idempotency_key', call ->> 'request_hash',
    null, null);
  return case when replay is null then '{}' else jsonb_build_object('answer', replay) end;
end
$$;

-- Returns what a call with its own conversation gets: its new swarm, or the earlier run that it repeats. A batch
-- creates no swarm, as for private swarms.
create or replace function private.open_conversation_swarm(call jsonb, waits boolean) returns jsonb
language plpgsql volatile
as $$
declare
  repeated jsonb := '{}';
begin
  if not waits then
    return '{"answer": {"is_held": true}}';
  end if;
  if call ->> 'idempotency_key' is not null then
    repeated := private.find_repeated_call(call);
  end if;
  return case when repeated ? 'answer' then repeated
    else jsonb_build_object('swarm_id', private.create_conversation_swarm(call), 'is_new_swarm', true) end;
end
$$;

-- Deletes hidden swarms whose runs ended longer ago than the retention, and returns how many. Until then the run can be
-- read by a client that lost its connection.
create or replace function private.delete_hidden_swarms(retention interval, max_rows integer) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  ended uuid[];
begin
  delete from private.hidden_swarms h
  where coalesce(h.deleted_at, h.created_at) < now() - interval '10 minutes'
    and not exists (select 1 from public.swarms s where s.id = h.swarm_id);
  ended := array(
    select s.id from private.hidden_swarms h
    join public.swarms s on s.id = h.swarm_id
    where h.created_at < now() - retention and s.parent_run_id is null
      and not exists (select 1 from public.runs r where r.swarm_id = s.id
                      and (r.finished_at is null or r.finished_at > now() - retention))
    order by h.created_at limit max_rows for update of s skip locked);
  delete from public.swarms s where s.id = any (ended);
  return cardinality(ended);
end
$$;
grant execute on function private.delete_hidden_swarms(interval, integer) to sb_service;

-- Returns the private swarm and prevents its deletion until the end of the transaction; null when there is none.
create or replace function private.lock_private_swarm(call jsonb, waits boolean) returns uuid
language plpgsql volatile
as $$
declare
  swarm uuid := private.find_private_swarm(call);
begin
  if waits then
    return (select s.id from public.swarms s where s.id = swarm for key share);
  end if;
  return (select s.id from public.swarms s where s.id = swarm for key share skip locked);
end
$$;

-- Returns the calls with the swarms of those that name an agent. A single call creates a swarm that does not
-- exist (`is_new_swarm`). In a batch such a call is held, because its swarm must be undone when the call is rejected.
create or replace function private.open_private_swarms(batch jsonb, waits boolean) returns jsonb
language plpgsql volatile
as $$
declare
  call jsonb;
  caller uuid;
  agent uuid;
  swarm uuid;
  calls jsonb := '[]';
begin
  for i in 0 .. jsonb_array_length(batch) - 1 loop
    call := batch -> i;
    if call -> 'conversation' <> 'null' then
      call := call || private.open_conversation_swarm(call, waits);
    elsif call -> 'agent_id' <> 'null' then
      caller := call ->> 'user_id';
      agent := call ->> 'agent_id';
      if call -> 'is_new_conversation' = 'true' and call ->> 'idempotency_key' is not null and waits then
        call := call || private.find_repeated_call(call);
      end if;
      swarm := private.lock_private_swarm(call, waits);
      if swarm is null and waits and not call ? 'answer' then
        -- First calls come one after the other, and the second finds the swarm of the first.
        perform pg_advisory_xact_lock(hashtextextended(concat(caller, agent, call ->> 'started_by'), 42));
        swarm := private.lock_private_swarm(call, waits);
        if swarm is null then
          swarm := private.create_private_swarm(call);
          call := call || '{"is_new_swarm": true}';
        end if;
      end if;
      call := call || case when call ? 'answer' then '{}' when swarm is null then '{"answer": {"is_held": true}}'
        else jsonb_build_object('swarm_id', swarm) end;
    end if;
    calls := calls || call;
  end loop;
  return calls;
end
$$;
