-- Something happened: one row per event, written in the transaction that made it true, removed by the worker that turns it into
-- deliveries. Triggers write only where a subscribed, active webhook exists, so nobody pays for events that nobody reads.

create table private.events (
  seq bigint generated always as identity constraint events_pkey primary key,
  id uuid not null default private.new_id(),
  type text not null,
  data json not null,
  audience uuid[] not null,
  created_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
comment on column private.events.audience is 'users who could read what the event tells of, at the time it happened';

alter table private.events enable row level security;
create policy events_service on private.events to sb_service using (true) with check (true);
grant select, insert, update, delete on private.events to sb_service;

-- What a worker says about the change it is making (reason, run, acting agent). A caller with a token cannot set it.
create function private.change_context() returns jsonb language sql stable parallel safe
as $$
  select case when auth.uid() is not null or auth.role() in ('anon', 'authenticated') then '{}'::jsonb
    else coalesce(nullif(pg_catalog.current_setting('swarmbase.context', true), ''), '{}')::jsonb end
$$;

create function private.actor() returns json language sql stable parallel safe
as $$
  select case
    when private.change_context() ? 'actor' then (private.change_context() -> 'actor')::json
    when auth.role() = 'service_role' then json_build_object('type', 'service', 'id', null)
    when auth.uid() is not null then json_build_object('type', 'user', 'id', auth.uid())
    else json_build_object('type', 'system', 'id', null)
  end
$$;
grant execute on function private.change_context(), private.actor() to sb_service;

-- Which keys of a row differ, leaving out the named ones.
create function private.changed_fields(before jsonb, after jsonb, variadic except_fields text[]) returns text[]
language sql immutable parallel safe
as $$
  select coalesce(pg_catalog.array_agg(field.key order by field.key), '{}')
  from pg_catalog.jsonb_each(after) as field
  where field.value is distinct from before -> field.key and field.key <> all (except_fields)
$$;

-- The one door for events that functions raise (tools, errors, finished runs). Returns null when nobody listens.
create function private.emit_event(type text, data json, audience uuid[]) returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  event_id uuid;
begin
  if exists (select 1 from public.webhooks w
             where w.is_active and w.user_id = any (audience) and emit_event.type = any (w.events)) then
    insert into private.events (type, data, audience) values (emit_event.type, emit_event.data, emit_event.audience)
    returning id into event_id;
  end if;
  return event_id;
end
$$;
grant execute on function private.emit_event(text, json, uuid[]) to sb_service;
