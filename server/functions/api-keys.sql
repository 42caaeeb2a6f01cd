-- What API keys of users may read, write and ask. A key has exactly the scopes that it names. The policies of
-- 0014_api_keys call these functions; for a caller who is no key, the first call of each decides.

create or replace function private.key_id() returns uuid language sql stable parallel safe
as $$ select (auth.jwt() ->> 'api_key_id')::uuid $$;
grant execute on function private.key_id() to authenticated, sb_service, service_role;

create or replace function private.has_scope(scope text) returns boolean language sql stable parallel safe
as $$ select not auth.jwt() ? 'api_key_id' or coalesce(auth.jwt() -> 'scopes' ? scope, false) $$;
grant execute on function private.has_scope(text) to authenticated, sb_service, service_role;

-- The errors become INSUFFICIENT_SCOPE and API_KEY_NOT_ALLOWED.
create or replace function private.reject_scope(scope text) returns boolean language plpgsql stable
as $$
begin
  raise exception 'The API key lacks the scope %', scope using errcode = 'SB007', detail = scope;
end
$$;
grant execute on function private.reject_scope(text) to authenticated, sb_service, service_role;

create or replace function private.require_person() returns boolean language plpgsql stable
as $$
begin
  if auth.jwt() ? 'api_key_id' then
    raise exception 'An API key cannot make this call: sign in' using errcode = 'SB008';
  end if;
  return true;
end
$$;
grant execute on function private.require_person() to authenticated, sb_service, service_role;

-- True: the caller may do this with all rows that the user may. False: a key that is bound to resources, whose rows the
-- policy checks.
create or replace function private.require_scopes(variadic scopes text[]) returns boolean language plpgsql stable
as $$
declare
  claims constant jsonb := auth.jwt();
  scope text;
begin
  if not claims ? 'api_key_id' then
    return true;
  end if;
  foreach scope in array scopes loop
    if not private.has_scope(scope) then
      perform private.reject_scope(scope);
    end if;
  end loop;
  return coalesce(claims -> 'resources' = 'null', true);
end
$$;
grant execute on function private.require_scopes(text[]) to authenticated, sb_service, service_role;

-- As require_scopes, but true for the portal, whose token has the scope `portal` alone.
create or replace function private.require_portal_or_scopes(variadic scopes text[]) returns boolean
language plpgsql stable
as $$
begin
  return coalesce(auth.jwt() -> 'scopes' = '["portal"]', false) or private.require_scopes(variadic scopes);
end
$$;
grant execute on function private.require_portal_or_scopes(text[]) to authenticated, sb_service, service_role;

-- As require_scopes('read'), but false for a key with `run` alone, which sees the agents and swarms that it may ask,
-- and the runs that it started.
create or replace function private.require_read_or_run() returns boolean language plpgsql stable
as $$
begin
  -- Most callers are no keys, and every statement asks.
  if not auth.jwt() ? 'api_key_id' then
    return true;
  end if;
  if private.has_scope('read') or not private.has_scope('run') then
    return private.require_scopes('read');
  end if;
  return false;
end
$$;
grant execute on function private.require_read_or_run() to authenticated, sb_service, service_role;

-- The ids of one kind that the key is bound to.
create or replace function private.get_key_resources(key_id uuid, kind text) returns setof uuid
language sql stable rows 10
as $$
  select named.id::uuid from public.api_keys k, jsonb_array_elements_text(k.resources -> kind) as named (id)
  where k.id = key_id
$$;

-- The swarms that the key is bound to, and those that it created.
create or replace function private.key_swarm_ids() returns setof uuid
language sql stable security definer rows 20 set search_path = pg_catalog, pg_temp
as $$
  select private.get_key_resources(private.key_id(), 'swarms')
  union select s.swarm_id from private.key_swarms s where s.api_key_id = private.key_id()
$$;
grant execute on function private.key_swarm_ids() to authenticated, sb_service, service_role;

-- Whether the caller's key, if any, may see a swarm. For computed fields, to which a caller can pass any row.
create or replace function private.may_key_see_swarm(swarm_id uuid) returns boolean language plpgsql stable
as $$
begin
  return not auth.jwt() ? 'api_key_id' or private.require_read_or_run()
    or may_key_see_swarm.swarm_id in (select private.key_swarm_ids());
end
$$;

-- The agents that the key may ask.
create or replace function private.key_agent_ids() returns setof uuid
language sql stable security definer rows 20 set search_path = pg_catalog, pg_temp
as $$
  select a.id from public.agents a
  where (a.user_id = auth.uid() or a.id in (select private.my_granted_agent_ids())) and exists (
    select 1 from public.api_keys k where k.id = private.key_id() and k.resources is null)
  union select private.get_key_resources(private.key_id(), 'agents')
  union select sa.agent_id from public.swarm_agents sa
  where sa.swarm_id in (select private.get_key_resources(private.key_id(), 'swarms'))
$$;
grant execute on function private.key_agent_ids() to authenticated, sb_service, service_role;

-- The private channels of these swarms.
create or replace function private.key_topics() returns setof text
language sql stable rows 20 set search_path = pg_catalog, pg_temp
as $$
  select kind || mine.id from private.key_swarm_ids() as mine (id), unnest(array['swarm:', 'swarm-agents:']) as kind
$$;
grant execute on function private.key_topics() to authenticated, sb_service, service_role;

create or replace function private.key_tool_ids() returns setof uuid
language sql stable security definer rows 20 set search_path = pg_catalog, pg_temp
as $$ select t.tool_id from public.agent_tools t where t.agent_id in (select private.key_agent_ids()) $$;
grant execute on function private.key_tool_ids() to authenticated, sb_service, service_role;

-- Whether a key may see a run: one that it started, or with `read` one of its swarms. True for the id of a session that
-- is no key, and for a key that reads everything.
create or replace function private.may_key_see_run(key_id uuid, run_id uuid, swarm_id uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select coalesce((
    select ('read' = any (k.scopes) and (k.resources is null
        or may_key_see_run.swarm_id in (select private.get_key_resources(k.id, 'swarms'))
        or exists (select 1 from private.key_swarms s where s.swarm_id = may_key_see_run.swarm_id
                   and s.api_key_id = k.id)))
      or exists (select 1 from private.key_runs r where r.run_id = may_key_see_run.run_id and r.api_key_id = k.id)
    from public.api_keys k where k.id = key_id), true)
$$;
grant execute on function private.may_key_see_run(uuid, uuid, uuid) to sb_service;

-- The same for the key of the caller.
create or replace function private.is_key_run(run_id uuid, swarm_id uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$ select private.may_key_see_run(private.key_id(), run_id, swarm_id) $$;
grant execute on function private.is_key_run(uuid, uuid) to authenticated, sb_service, service_role;

-- Whether the message started a run of the caller's key.
create or replace function private.is_key_message(message_id uuid, swarm_id uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select 1 from public.runs r join private.key_runs k on k.run_id = r.id and k.api_key_id = private.key_id()
    where r.swarm_id = is_key_message.swarm_id and r.message_id = is_key_message.message_id)
$$;
grant execute on function private.is_key_message(uuid, uuid) to authenticated, sb_service, service_role;

create or replace function private.is_key_execution(tool_execution_id uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select private.may_key_see_run(private.key_id(), x.run_id, x.swarm_id) from public.tool_executions x
  where x.id = is_key_execution.tool_execution_id
$$;
grant execute on function private.is_key_execution(uuid) to authenticated, sb_service, service_role;

-- Returns the rejection of a key that may not ask in the swarm, or ask the agent, else null: without `read`, or bound
-- to resources, it asks the agents that it is bound to, and in swarms of its resources or that it created.
create or replace function private.check_key_target(key_id uuid, swarm_id uuid, agent_id uuid) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select private.build_rejection('FORBIDDEN', '{"membership": "key"}') from public.api_keys k
  where k.id = key_id and ('read' <> all (k.scopes) or k.resources is not null)
    and not case
      when check_key_target.agent_id is not null
        then k.resources is null or check_key_target.agent_id in (select private.get_key_resources(k.id, 'agents'))
      else check_key_target.swarm_id in (select private.get_key_resources(k.id, 'swarms'))
        or exists (select 1 from private.key_swarms s where s.swarm_id = check_key_target.swarm_id
                   and s.api_key_id = k.id) end
$$;
grant execute on function private.check_key_target(uuid, uuid, uuid) to sb_service;

-- Cancels the runs of a key, or of a program, that ends. A run that others have asked for, too, goes on. With the
-- account, its runs go as well.
create or replace function private.cancel_key_runs() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from auth.users u where u.id = old.user_id) then
    perform private.request_cancel(k.run_id, 'cancelled')
    from private.key_runs k
    join public.runs r on r.id = k.run_id and r.finished_at is null
    join private.run_leases l on l.run_id = r.id and l.api_key_id = old.id
    where k.api_key_id = old.id order by k.run_id;
  end if;
  return old;
end
$$;

-- A swarm that a key creates is a conversation that it started.
create or replace function private.record_key_swarm() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.key_swarms (swarm_id, api_key_id) values (new.id, private.key_id());
  return null;
end
$$;

-- For tables whose rows act later, in api_key_id and api_key_scopes: a row that a key has written has no more rights
-- than that key, whoever changes it later. Only the service itself writes these columns otherwise.
create or replace function private.keep_key_of_writer() returns trigger language plpgsql
as $$
begin
  if current_user not in ('anon', 'authenticated', 'api_key', 'service_role') then
    return new;
  elsif private.key_id() is not null then
    new.api_key_id := private.key_id();
    new.api_key_scopes := array(select pg_catalog.jsonb_array_elements_text(auth.jwt() -> 'scopes'));
  else
    new.api_key_id := case when tg_op = 'UPDATE' then old.api_key_id end;
    new.api_key_scopes := case when tg_op = 'UPDATE' then old.api_key_scopes end;
  end if;
  return new;
end
$$;
