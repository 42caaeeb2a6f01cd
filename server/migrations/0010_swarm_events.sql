-- Events of swarms, their members and their agents. The audience of a swarm is its active members, the owner among them.

create function private.swarm_audience(swarm_id uuid) returns uuid[] language sql stable parallel safe
as $$
  select coalesce(pg_catalog.array_agg(m.user_id), '{}') from public.swarm_members m
  where m.swarm_id = swarm_audience.swarm_id and m.status = 'active'
$$;

create function private.is_subscribed(type text, audience uuid[]) returns boolean language sql stable parallel safe
as $$
  select exists (select 1 from public.webhooks w
                 where w.is_active and w.user_id = any (audience) and is_subscribed.type = any (w.events))
$$;
grant execute on function private.swarm_audience(uuid), private.is_subscribed(text, uuid[]) to sb_service;

create function private.emit_swarm_created() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.events (type, data, audience)
  select 'swarm.created',
    json_build_object('swarm_id', n.id, 'name', n.name, 'owner_id', n.owner_id, 'strategy', n.strategy, 'actor', private.actor()),
    array[n.owner_id]
  from new_rows n
  where private.is_subscribed('swarm.created', array[n.owner_id]);
  return null;
end
$$;
create trigger swarms_emit_created after insert on public.swarms referencing new table as new_rows
  for each statement execute function private.emit_swarm_created();

create function private.emit_swarm_updated() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select 1 from new_rows n
                 join public.swarm_members m on m.swarm_id = n.id and m.status = 'active'
                 join public.webhooks w on w.user_id = m.user_id
                 where w.is_active and w.events && array['swarm.updated', 'swarm.completed']) then
    return null;
  end if;
  insert into private.events (type, data, audience)
  select 'swarm.completed',
    json_build_object('swarm_id', n.id, 'run_id', null, 'source', 'manual', 'actor', private.actor()), room.audience
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (select private.swarm_audience(n.id)) as room (audience)
  where n.status = 'completed' and o.status <> 'completed' and private.is_subscribed('swarm.completed', room.audience);

  -- Completion has its own event, and so has an agent that goes and was the coordinator: neither is told twice.
  insert into private.events (type, data, audience)
  select 'swarm.updated',
    json_build_object('swarm_id', n.id, 'changed_fields', changes.fields, 'swarm', to_jsonb(n), 'actor', private.actor()),
    room.audience
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (
    select private.changed_fields(to_jsonb(o), to_jsonb(n), 'updated_at',
      case when n.status = 'completed' then 'status' else '' end,
      case when n.coordinator_agent_id is null and pg_trigger_depth() > 1 then 'coordinator_agent_id' else '' end)
  ) as changes (fields)
  cross join lateral (select private.swarm_audience(n.id)) as room (audience)
  where cardinality(changes.fields) > 0 and private.is_subscribed('swarm.updated', room.audience);
  return null;
end
$$;
create trigger swarms_emit_updated after update on public.swarms referencing old table as old_rows new table as new_rows
  for each statement execute function private.emit_swarm_updated();

-- Before, because the members go with the swarm.
create function private.emit_swarm_deleted() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  audience uuid[] := private.swarm_audience(old.id);
begin
  if not old.owner_id = any (audience) then
    audience := audience || old.owner_id;
  end if;
  perform private.emit_event('swarm.deleted',
    json_build_object('swarm_id', old.id, 'name', old.name, 'owner_id', old.owner_id, 'actor', private.actor()), audience);
  return old;
end
$$;
create trigger swarms_emit_deleted before delete on public.swarms for each row execute function private.emit_swarm_deleted();

create function private.emit_agent_added() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.events (type, data, audience)
  select 'swarm.agent_added',
    json_build_object('swarm_id', n.swarm_id, 'agent_id', n.agent_id, 'agent_name', a.name, 'position', n.position,
      'actor', private.actor()),
    room.audience
  from new_rows n
  join public.agents a on a.id = n.agent_id
  cross join lateral (select private.swarm_audience(n.swarm_id)) as room (audience)
  where private.is_subscribed('swarm.agent_added', room.audience);
  return null;
end
$$;
create trigger swarm_agents_emit_added after insert on public.swarm_agents referencing new table as new_rows
  for each statement execute function private.emit_agent_added();

-- Rows that vanish with their swarm say nothing here; rows that vanish with their agent were told of before it went.
create function private.emit_agent_removed() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update public.swarms s set coordinator_agent_id = null
  from old_rows o where s.id = o.swarm_id and s.coordinator_agent_id = o.agent_id;

  insert into private.events (type, data, audience)
  select 'swarm.agent_removed',
    json_build_object('swarm_id', o.swarm_id, 'agent_id', o.agent_id, 'agent_name', a.name, 'reason', 'removed',
      'actor', private.actor()),
    room.audience
  from old_rows o
  join public.agents a on a.id = o.agent_id
  join public.swarms s on s.id = o.swarm_id
  cross join lateral (select private.swarm_audience(o.swarm_id)) as room (audience)
  where private.is_subscribed('swarm.agent_removed', room.audience);
  return null;
end
$$;
create trigger swarm_agents_emit_removed after delete on public.swarm_agents referencing old table as old_rows
  for each statement execute function private.emit_agent_removed();

create function private.emit_agent_deleted() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  removed_from uuid[];
begin
  select coalesce(array_agg(sa.swarm_id), '{}') into removed_from from public.swarm_agents sa where sa.agent_id = old.id;
  insert into private.events (type, data, audience)
  select 'swarm.agent_removed',
    json_build_object('swarm_id', room.swarm_id, 'agent_id', old.id, 'agent_name', old.name, 'reason', 'agent_deleted',
      'actor', private.actor()),
    room.audience
  from (select s.swarm_id, private.swarm_audience(s.swarm_id) as audience from unnest(removed_from) as s (swarm_id)) as room
  where private.is_subscribed('swarm.agent_removed', room.audience);
  perform private.emit_event('agent.deleted',
    json_build_object('agent_id', old.id, 'name', old.name, 'removed_from_swarms', removed_from, 'actor', private.actor()),
    array[old.user_id]);
  return old;
end
$$;
create trigger agents_emit_deleted before delete on public.agents for each row execute function private.emit_agent_deleted();

-- Joined means active: added by the service, or an invitation accepted. The owner's own seat is not news.
create function private.emit_members_joined() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.events (type, data, audience)
  select 'user.joined',
    json_build_object('swarm_id', n.swarm_id, 'user_id', n.user_id, 'role', n.role, 'actor', private.actor()), room.audience
  from new_rows n
  cross join lateral (select private.swarm_audience(n.swarm_id)) as room (audience)
  where n.status = 'active' and n.role <> 'owner' and private.is_subscribed('user.joined', room.audience);
  return null;
end
$$;
create trigger swarm_members_emit_joined after insert on public.swarm_members referencing new table as new_rows
  for each statement execute function private.emit_members_joined();

create function private.emit_members_updated() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.events (type, data, audience)
  select 'user.joined',
    json_build_object('swarm_id', n.swarm_id, 'user_id', n.user_id, 'role', n.role, 'actor', private.actor()), room.audience
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (select private.swarm_audience(n.swarm_id)) as room (audience)
  where n.status = 'active' and o.status = 'invited' and private.is_subscribed('user.joined', room.audience);

  insert into private.events (type, data, audience)
  select 'user.role_changed',
    json_build_object('swarm_id', n.swarm_id, 'user_id', n.user_id, 'role', n.role, 'previous_role', o.role,
      'actor', private.actor()),
    room.audience
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (select private.swarm_audience(n.swarm_id)) as room (audience)
  where n.status = 'active' and o.status = 'active' and n.role <> o.role
    and private.is_subscribed('user.role_changed', room.audience);
  return null;
end
$$;
create trigger swarm_members_emit_updated after update on public.swarm_members
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.emit_members_updated();

-- The audience is that of before the change: who stays, and everybody whom this statement removed.
create function private.emit_members_removed() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.events (type, data, audience)
  select 'user.removed',
    json_build_object('swarm_id', o.swarm_id, 'user_id', o.user_id, 'role', o.role,
      'reason', case when u.id is null then 'account_deleted' when o.user_id = auth.uid() then 'left' else 'removed' end,
      'actor', private.actor()),
    room.audience
  from old_rows o
  join public.swarms s on s.id = o.swarm_id
  left join auth.users u on u.id = o.user_id
  cross join lateral (
    select private.swarm_audience(o.swarm_id)
      || array(select gone.user_id from old_rows gone where gone.swarm_id = o.swarm_id and gone.status = 'active')) as room (audience)
  where o.status = 'active' and o.role <> 'owner' and private.is_subscribed('user.removed', room.audience);
  return null;
end
$$;
create trigger swarm_members_emit_removed after delete on public.swarm_members referencing old table as old_rows
  for each statement execute function private.emit_members_removed();
