-- Agents: owned by one user, seen in full by that user alone.

create function private.are_stop_sequences(value jsonb) returns boolean language sql immutable parallel safe
as $$
  select case
    when value is null or pg_catalog.jsonb_typeof(value) = 'null' then true
    when pg_catalog.jsonb_typeof(value) <> 'array' then false
    else pg_catalog.jsonb_array_length(value) <= 16
      and not pg_catalog.jsonb_path_exists(value, '$[*] ? (@.type() != "string")')
  end
$$;
grant execute on function private.are_stop_sequences(jsonb) to authenticated, service_role, sb_service;

create table public.agents (
  id uuid default private.new_id() constraint agents_pkey primary key,
  user_id uuid not null default auth.uid() constraint agents_user_id_fkey references auth.users on delete cascade,
  name text not null constraint agents_name_length check (char_length(name) between 1 and 100),
  role text constraint agents_role_length check (char_length(role) <= 200),
  avatar text constraint agents_avatar_length check (char_length(avatar) <= 2048)
              constraint agents_avatar_http check (avatar ~* '^https?://[^/?#\s]'),
  framework text not null default 'provider_a'
    constraint agents_framework_known check (framework in ('provider_a', 'provider_b', 'provider_c')),
  model text constraint agents_model_length check (char_length(model) between 1 and 200),
  system_prompt text constraint agents_system_prompt_length check (char_length(system_prompt) <= 100000),
  settings jsonb not null default '{}'
    constraint agents_settings_object check (jsonb_typeof(settings) = 'object')
    constraint agents_settings_size check (octet_length(settings::text) <= 32768)
    constraint agents_settings_temperature check (private.is_number_between(settings -> 'temperature', 0, 2))
    constraint agents_settings_max_tokens check (
      private.is_number_between(settings -> 'max_tokens', 1, 9007199254740991)
      and coalesce(settings ->> 'max_tokens', '1') ~ '^[0-9]+(\.0+)?$')
    constraint agents_settings_presence_penalty check (private.is_number_between(settings -> 'presence_penalty', -2, 2))
    constraint agents_settings_frequency_penalty check (private.is_number_between(settings -> 'frequency_penalty', -2, 2))
    constraint agents_settings_top_p check (private.is_number_between(settings -> 'top_p', 0, 1))
    constraint agents_settings_stop check (private.are_stop_sequences(settings -> 'stop')),
  status text not null default 'idle' constraint agents_status_known check (status in ('idle', 'thinking', 'responding', 'error')),
  status_changed_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint agents_id_user_id_key unique (id, user_id)
);
create index agents_user_id_idx on public.agents (user_id, created_at desc);
-- A status flip beside a long prompt must not write the prompt into the WAL again.
alter table public.agents replica identity using index agents_id_user_id_key;

alter table public.agents enable row level security;
create policy agents_select on public.agents for select to authenticated using (user_id = (select auth.uid()));
create policy agents_insert on public.agents for insert to authenticated with check (user_id = (select auth.uid()));
create policy agents_update on public.agents for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy agents_delete on public.agents for delete to authenticated using (user_id = (select auth.uid()));
create policy agents_service on public.agents to service_role, sb_service using (true) with check (true);
grant select, insert, update, delete on public.agents to authenticated, service_role, sb_service;

create function private.prepare_agent() returns trigger language plpgsql
as $$
begin
  new.name := private.trimmed(new.name);
  new.model := nullif(new.model, '');
  if tg_op = 'INSERT' then
    if current_user in ('anon', 'authenticated', 'service_role') then
      new.created_at := now();
      new.updated_at := now();
      -- An upsert of an agent that exists comes through here too, and may write the status.
      if new.status <> 'idle' and not exists (select 1 from public.agents a where a.id = new.id) then
        new.status := 'idle';
      end if;
    end if;
    new.status_changed_at := now();
    return new;
  end if;
  new.status_changed_at := case when new.status is distinct from old.status then now() else old.status_changed_at end;
  -- The status machine works as the service's own login and leaves updated_at alone; an owner's PATCH moves it.
  if current_user in ('anon', 'authenticated', 'service_role') then
    new.created_at := old.created_at;
    new.updated_at := now();
  end if;
  return new;
end
$$;
create trigger agents_prepare before insert or update on public.agents for each row execute function private.prepare_agent();
create trigger agents_freeze before update on public.agents for each row
  when (new.id is distinct from old.id) execute function private.refuse_change('id');
create trigger agents_keep_owner before update on public.agents for each row
  when (new.user_id is distinct from old.user_id) execute function private.refuse_transfer('user_id');

-- The owner's row is locked while counting, so two inserts at once cannot both take the last place.
create function private.enforce_agent_limit() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  allowed integer := (select (value #>> '{}')::integer from private.settings where name = 'agent_limit_per_user');
begin
  if coalesce(allowed, 0) = 0 then
    return null;
  end if;
  perform 1 from auth.users u where u.id in (select n.user_id from new_rows n) order by u.id for no key update;
  if exists (select 1 from public.agents a where a.user_id in (select n.user_id from new_rows n)
             group by a.user_id having count(*) > allowed) then
    raise exception 'a user may have at most % agents', allowed
      using errcode = 'check_violation', schema = 'public', table = 'agents', constraint = 'agents_limit_per_user';
  end if;
  return null;
end
$$;
create trigger agents_limit after insert on public.agents referencing new table as new_rows
  for each statement execute function private.enforce_agent_limit();

create function private.emit_agent_created() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.events (type, data, audience)
  select 'agent.created',
    json_build_object('agent_id', n.id, 'name', n.name, 'framework', n.framework, 'model', n.model, 'role', n.role,
      'created_at', n.created_at, 'actor', private.actor()),
    array[n.user_id]
  from new_rows n
  where exists (select 1 from public.webhooks w
                where w.is_active and w.user_id = n.user_id and 'agent.created' = any (w.events));
  return null;
end
$$;
create trigger agents_emit_created after insert on public.agents referencing new table as new_rows
  for each statement execute function private.emit_agent_created();

create function private.emit_agent_updated() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
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
      'reason', coalesce(private.change_context() ->> 'reason', 'manual'),
      'run_id', private.change_context() -> 'run_id', 'swarm_id', private.change_context() -> 'swarm_id',
      'changed_at', n.status_changed_at),
    array[n.user_id]
  from new_rows n
  join old_rows o on o.id = n.id
  where n.status <> o.status
    and exists (select 1 from public.webhooks w
                where w.is_active and w.user_id = n.user_id and 'agent.status_changed' = any (w.events));
  return null;
end
$$;
create trigger agents_emit_updated after update on public.agents referencing old table as old_rows new table as new_rows
  for each statement execute function private.emit_agent_updated();
