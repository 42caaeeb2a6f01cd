-- Events: the actor of a change, the users who may read it, and whether a webhook subscribes to it.

-- What a worker declares about the change it makes (reason, run, acting agent). A caller with a token cannot set it.
create or replace function private.get_change_context() returns jsonb language sql stable parallel safe
as $$
  select case when auth.uid() is not null or auth.role() in ('anon', 'authenticated') then '{}'::jsonb
    else coalesce(nullif(pg_catalog.current_setting('swarmbase.context', true), ''), '{}')::jsonb end
$$;
grant execute on function private.get_change_context() to sb_service;

create or replace function private.get_actor() returns json language sql stable parallel safe
as $$
  select case
    when private.get_change_context() ? 'actor' then (private.get_change_context() -> 'actor')::json
    when auth.role() = 'service_role' then json_build_object('type', 'service', 'id', null)
    when auth.uid() is not null then json_build_object('type', 'user', 'id', auth.uid())
    else json_build_object('type', 'system', 'id', null)
  end
$$;
grant execute on function private.get_actor() to sb_service;

-- The active members. Events of a hidden swarm go to nobody.
create or replace function private.list_swarm_audience(swarm_id uuid) returns uuid[] language sql stable parallel safe
as $$
  select coalesce(pg_catalog.array_agg(m.user_id), '{}') from public.swarm_members m
  where m.swarm_id = list_swarm_audience.swarm_id and m.status = 'active'
    and not exists (select 1 from private.hidden_swarms h where h.swarm_id = m.swarm_id)
$$;
grant execute on function private.list_swarm_audience(uuid) to sb_service;

create or replace function private.is_subscribed(type text, audience uuid[]) returns boolean
language sql stable parallel safe
set enable_seqscan = off set jit = off
as $$
  select exists (select 1 from private.subscriptions w
                 where w.user_id = any (audience) and is_subscribed.type = any (w.events))
$$;
grant execute on function private.is_subscribed(text, uuid[]) to sb_service;

-- Returns null when the text is not a UUID in its usual form: an event must not stop the fan-out of the others.
create or replace function private.parse_uuid(value text) returns uuid language sql immutable parallel safe
as $$ select pg_catalog.substring(value, '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$')::uuid $$;
grant execute on function private.parse_uuid(text) to sb_service;

-- Returns the trace context of the run that an event belongs to. One transaction writes for many runs, so their events
-- have none of their own.
create or replace function private.find_run_traceparent(type text, data json) returns text
language sql stable parallel safe
as $$
  select private.parse_traceparent(coalesce(
    (select r.request ->> 'traceparent' from public.runs r where r.id = private.parse_uuid(data ->> 'run_id')),
    (select r.request ->> 'traceparent' from public.runs r
     where type = 'message.created' and r.swarm_id = private.parse_uuid(data ->> 'swarm_id')
       and r.message_id = private.parse_uuid(data ->> 'message_id')
     limit 1)))
$$;
grant execute on function private.find_run_traceparent(text, json) to sb_service;

-- Inserts an event that a function raises (tools, errors, finished runs). Returns null when no webhook subscribes to
-- it.
create or replace function private.emit_event(type text, data json, audience uuid[]) returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
declare
  event_id uuid;
begin
  if exists (select 1 from private.subscriptions w
             where w.user_id = any (audience) and emit_event.type = any (w.events)) then
    insert into private.events (type, data, audience) values (emit_event.type, emit_event.data, emit_event.audience)
    returning id into event_id;
  end if;
  return event_id;
end
$$;
grant execute on function private.emit_event(text, json, uuid[]) to sb_service;

-- Sends SB207 to the service, once in a transaction, so that it wakes its workers only when there is work. Messages of
-- this level are sent whatever the settings are. NOTIFY takes a lock of the whole database at commit, so only sessions
-- of others use it, whose messages the service does not read.
create or replace function private.announce_webhook_work() returns trigger language plpgsql volatile
as $$
begin
  perform pg_catalog.set_config('swarmbase.is_webhook_work_announced', 'on', true);
  if session_user in ('sb_service', 'sb_user') then
    raise info 'there is work for webhooks' using errcode = 'SB207';
  else
    perform pg_catalog.pg_notify('swarmbase_webhooks', 'events');
  end if;
  return new;
end
$$;
