-- The app's own events, whose types are rows of event_types.
--
-- Rights follow the database role. public.emit_event runs with the rights of its caller and chooses between two
-- functions that different roles may execute. Functions with the rights of the owner of the schema emit as the service.

-- Rejects the call with a code of the interface. Each of the details is a field and what is wrong with it.
create or replace function private.reject_call(code text, message text, details jsonb) returns void
language plpgsql immutable
as $$
begin
  raise exception using errcode = 'SB400', message = reject_call.message,
    detail = pg_catalog.jsonb_build_object('code', reject_call.code, 'details', reject_call.details)::text;
end
$$;
grant execute on function private.reject_call(text, text, jsonb) to authenticated, service_role;

-- The fan-out reads the data as jsonb and must never fail, so the data is read in the same way here first. A step of
-- store_app_event, which alone calls it; it runs with its settings.
create or replace function private.check_event_data(data json) returns void language plpgsql stable
as $$
declare
  max_bytes constant integer := (select (s.value #>> '{}')::integer from private.settings s
    where s.name = 'event_limit_bytes');
  max_depth constant integer := 64;
begin
  if json_typeof(data) is distinct from 'object' then
    perform private.reject_call('VALIDATION_ERROR', 'The event is not valid', '{"data": "must be a JSON object"}');
  end if;
  if octet_length(data::text) > max_bytes then
    perform private.reject_call('PAYLOAD_TOO_LARGE', 'The event is too large',
      jsonb_build_object('data', format('must be at most %s bytes of JSON', max_bytes)));
  end if;
  if jsonb_path_exists(data::jsonb, 'strict $.**{65}') then
    perform private.reject_call('VALIDATION_ERROR', 'The event is not valid',
      jsonb_build_object('data', format('must not be nested deeper than %s levels', max_depth)));
  end if;
end
$$;

create or replace function private.reject_event_type(type text) returns void language plpgsql immutable
as $$
begin
  perform private.reject_call('INVALID_EVENTS', 'The event type does not exist',
    pg_catalog.jsonb_build_object('type', 'is not the name of an event type of the app'));
end
$$;

-- Stores an event for the user, for the active members of the swarm, or without both for those who receive the events
-- of the app; like every event only if somebody subscribes to it. Returns its id in any case: whether somebody
-- subscribes is not for the caller to know.
create or replace function private.store_app_event(type text, data json, user_id uuid, swarm_id uuid) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
declare
  event_id constant uuid := private.new_id();
  is_for_app constant boolean := store_app_event.user_id is null and store_app_event.swarm_id is null;
  audience uuid[] := '{}';
begin
  perform private.check_event_data(store_app_event.data);
  if is_for_app then
    audience := array(select distinct w.user_id from private.subscriptions w
      where w.receives_app_events and store_app_event.type = any (w.events));
  else
    if store_app_event.swarm_id is not null then
      audience := private.list_swarm_audience(store_app_event.swarm_id);
    end if;
    if store_app_event.user_id is not null then
      audience := audience || store_app_event.user_id;
    end if;
  end if;
  if cardinality(audience) > 0 and (is_for_app or exists (select 1 from private.subscriptions w
    where w.user_id = any (audience) and store_app_event.type = any (w.events)))
  then
    insert into private.events (id, type, data, audience, is_for_app)
    values (event_id, store_app_event.type, store_app_event.data, audience, is_for_app);
  end if;
  return 'evt_' || event_id;
end
$$;

-- Emits an event as a user: of a listed type that users may emit, for themselves or for swarms that they belong to. API
-- keys need the scope `write`; those that are bound to resources emit for swarms of theirs alone.
create or replace function private.emit_as_user(type text, data json, user_id uuid, swarm_id uuid) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
declare
  caller constant uuid := auth.uid();
  is_bound constant boolean := not private.require_scopes('write');
  users_may boolean;
begin
  select t.users_may_emit into users_may from public.event_types t where t.name = emit_as_user.type and t.listed;
  if not found then
    perform private.reject_event_type(emit_as_user.type);
  end if;
  if not users_may then
    raise exception 'Only the service role emits %', emit_as_user.type using errcode = 'insufficient_privilege';
  end if;
  if emit_as_user.user_id is null and emit_as_user.swarm_id is null then
    raise exception 'Only the service role emits events that name neither a user nor a swarm'
      using errcode = 'insufficient_privilege';
  end if;
  if emit_as_user.user_id is not null and emit_as_user.user_id is distinct from caller then
    raise exception 'Users emit events for themselves: user_id must be your own id'
      using errcode = 'insufficient_privilege';
  end if;
  if emit_as_user.swarm_id is not null and not exists (select 1 from public.swarm_members m
    where m.swarm_id = emit_as_user.swarm_id and m.user_id = caller and m.status = 'active') then
    raise exception 'Users emit events for swarms that they belong to' using errcode = 'insufficient_privilege';
  end if;
  if is_bound and (emit_as_user.user_id is not null or emit_as_user.swarm_id not in (select private.key_swarm_ids()))
  then
    raise exception 'The API key emits events for swarms of its resources alone'
      using errcode = 'insufficient_privilege';
  end if;
  return private.store_app_event(emit_as_user.type, emit_as_user.data, emit_as_user.user_id, emit_as_user.swarm_id);
end
$$;
grant execute on function private.emit_as_user(text, json, uuid, uuid) to authenticated;

create or replace function private.emit_as_service(type text, data json, user_id uuid, swarm_id uuid) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  if not exists (select 1 from public.event_types t where t.name = emit_as_service.type) then
    perform private.reject_event_type(emit_as_service.type);
  end if;
  return private.store_app_event(emit_as_service.type, emit_as_service.data, emit_as_service.user_id,
    emit_as_service.swarm_id);
end
$$;
grant execute on function private.emit_as_service(text, json, uuid, uuid) to service_role;

-- Emits an event of the app in the current transaction, and returns its id as in the envelope. For the user `user_id`,
-- the members of the swarm `swarm_id`, or both; without both for the webhooks with `receives_app_events`.
create or replace function public.emit_event(type text, data json, user_id uuid default null,
  swarm_id uuid default null)
returns text language plpgsql volatile
as $$
begin
  if current_user in ('authenticated', 'api_key') then
    return private.emit_as_user(emit_event.type, emit_event.data, emit_event.user_id, emit_event.swarm_id);
  end if;
  return private.emit_as_service(emit_event.type, emit_event.data, emit_event.user_id, emit_event.swarm_id);
end
$$;
revoke execute on function public.emit_event(text, json, uuid, uuid) from public, anon;
grant execute on function public.emit_event(text, json, uuid, uuid) to authenticated, service_role;

-- Makes calls of one caller with the caller's rights: each is a list of events that are emitted all or none. Returns an
-- answer for each call: the `ids` of its events, or the `message` and `detail` of its rejection, which names the place
-- of an event. With a key, the ids are kept under it; `is_key_used`: they were kept by a call before. Keys are locked
-- in their order, so that no two statements wait for each other.
create or replace function private.emit_events(calls json[], keys text[], request_hashes bytea[]) returns json[]
language plpgsql volatile
as $$
declare
  answers json[];
  call integer;
  event json;
  ids text[];
  rejection jsonb;
  place text;
  state text;
  reason text;
  detail text;
begin
  for call in select c.position from pg_catalog.unnest(keys) with ordinality as c (key, position)
    order by c.key, c.position
  loop
    ids := '{}';
    begin
      if keys[call] is not null then
        perform private.claim_idempotency_key(keys[call], request_hashes[call]);
      end if;
      -- Members are read one event after the other, so that those before the place of a rejection are fine.
      for event in select e.value from pg_catalog.json_array_elements(calls[call]) as e (value) loop
        ids := ids || public.emit_event(event ->> 'type', event -> 'data', (event ->> 'user_id')::uuid,
          (event ->> 'swarm_id')::uuid);
      end loop;
      if keys[call] is not null then
        perform private.keep_result(ids, 65536);
      end if;
      answers[call] := pg_catalog.json_build_object('ids', ids);
    exception
      when sqlstate 'SB208' then
        answers[call] := '{"is_key_used": true}';
      -- The last two are data that cannot be read as jsonb.
      when sqlstate 'SB400' or insufficient_privilege or data_exception or program_limit_exceeded then
        get stacked diagnostics state = returned_sqlstate, reason = message_text, detail = pg_exception_detail;
        rejection := case
          when state = 'SB400' then detail::jsonb
          when state = '42501' then pg_catalog.jsonb_build_object('code', 'FORBIDDEN')
          else pg_catalog.jsonb_build_object('code', 'VALIDATION_ERROR', 'details',
            pg_catalog.jsonb_build_object('data', 'cannot be stored: ' || reason)) end;
        place := 'events.' || pg_catalog.cardinality(ids);
        rejection := pg_catalog.jsonb_build_object('code', rejection -> 'code', 'details', coalesce(
          (select pg_catalog.jsonb_object_agg(place || '.' || named.key, named.value)
           from pg_catalog.jsonb_each(rejection -> 'details') as named),
          pg_catalog.jsonb_build_object(place, reason)));
        answers[call] := pg_catalog.json_build_object('message', reason, 'detail', rejection::text);
    end;
  end loop;
  return answers;
end
$$;
grant execute on function private.emit_events(json[], text[], bytea[]) to authenticated, service_role;
