-- Swarms, their members and their agents.

-- Whether the swarm belongs to a call that does not store its conversation. Nobody sees such a swarm.
create or replace function private.is_hidden_swarm(swarm_id uuid) returns boolean language plpgsql stable
as $$
begin
  return exists (select 1 from private.hidden_swarms h where h.swarm_id = is_hidden_swarm.swarm_id);
end
$$;

-- Helpers for policies. They return the caller's sets once per statement (as an InitPlan) instead of once per row.
-- plpgsql keeps their plans. A plan that was made for an empty table would read all of it later, so they use indexes.
create or replace function private.my_swarm_ids() returns setof uuid
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  return query
  select m.swarm_id from public.swarm_members m
  where m.user_id = auth.uid() and m.status = 'active'
    and not exists (select 1 from private.hidden_swarms h where h.swarm_id = m.swarm_id);
end
$$;
grant execute on function private.my_swarm_ids() to authenticated, sb_service, service_role;

-- Inlined.
create or replace function private.is_writer(status text, role text) returns boolean
language sql immutable parallel safe
as $$ select status = 'active' and role in ('owner', 'admin', 'member') $$;

create or replace function private.my_writable_swarm_ids() returns setof uuid
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  return query
  select m.swarm_id from public.swarm_members m
  where m.user_id = auth.uid() and private.is_writer(m.status, m.role)
    and not exists (select 1 from private.hidden_swarms h where h.swarm_id = m.swarm_id);
end
$$;
grant execute on function private.my_writable_swarm_ids() to authenticated, sb_service, service_role;

-- For conditions of triggers, which are evaluated for each row: costs the same however many swarms the caller has.
create or replace function private.may_i_write(swarm_id uuid) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  return exists (select 1 from public.swarm_members m
                 where m.swarm_id = may_i_write.swarm_id and m.user_id = auth.uid()
                   and private.is_writer(m.status, m.role)
                   and not exists (select 1 from private.hidden_swarms h where h.swarm_id = m.swarm_id));
end
$$;
grant execute on function private.may_i_write(uuid) to authenticated, sb_service, service_role;

create or replace function private.my_managed_swarm_ids() returns setof uuid
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  return query
  select m.swarm_id from public.swarm_members m
  where m.user_id = auth.uid() and m.status = 'active' and m.role in ('owner', 'admin')
    and not exists (select 1 from private.hidden_swarms h where h.swarm_id = m.swarm_id);
end
$$;
grant execute on function private.my_managed_swarm_ids() to authenticated, sb_service, service_role;

-- The hidden swarms, which the sets above do not have; also those that were just deleted.
create or replace function private.my_hidden_swarm_ids() returns setof uuid
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  return query select h.swarm_id from private.hidden_swarms h where h.user_id = auth.uid();
end
$$;
grant execute on function private.my_hidden_swarm_ids() to authenticated, sb_service, service_role;

create or replace function private.my_co_member_ids() returns setof uuid
language plpgsql stable rows 50 security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  return query
  select distinct other.user_id
  from public.swarm_members mine
  join public.swarm_members other on other.swarm_id = mine.swarm_id and other.status = 'active'
  where mine.user_id = auth.uid() and mine.status = 'active';
end
$$;
grant execute on function private.my_co_member_ids() to authenticated, sb_service, service_role;

create or replace function private.my_agent_ids() returns setof uuid
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  return query select a.id from public.agents a where a.user_id = auth.uid();
end
$$;
grant execute on function private.my_agent_ids() to authenticated, sb_service, service_role;

create or replace function private.prepare_swarm() returns trigger language plpgsql
as $$
begin
  new.name := private.trim_whitespace(new.name);
  return new;
end
$$;

-- The agents of the owner read the preamble, so no admin may change it.
create or replace function private.keep_preamble() returns trigger language plpgsql
as $$
begin
  if new.owner_id is distinct from auth.uid() then
    raise exception 'only the owner of a swarm can change its preamble'
      using errcode = 'insufficient_privilege', schema = 'public', table = 'swarms', column = 'settings';
  end if;
  return new;
end
$$;

create or replace function private.add_swarm_owner() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.swarm_members (swarm_id, user_id, role, status, joined_at)
  select n.id, n.owner_id, 'owner', 'active', now() from new_rows n where n.parent_run_id is null;
  return null;
end
$$;

-- The coordinator must be an agent of the swarm.
create or replace function private.check_coordinator() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select 1 from public.swarm_agents sa
    where sa.swarm_id = new.id and sa.agent_id = new.coordinator_agent_id) then
    raise exception 'the coordinator must be an agent of the swarm'
      using errcode = 'check_violation', schema = 'public', table = 'swarms', column = 'coordinator_agent_id',
            constraint = 'swarms_coordinator_agent_id_in_swarm';
  end if;
  return null;
end
$$;

-- When an invitation of this moment expires; null when invitations do not expire. Users cannot read the settings.
create or replace function private.invitation_expiry() returns timestamptz language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select now() + make_interval(days => (s.value #>> '{}')::integer) from private.settings s
  where s.name = 'invitation_days' and (s.value #>> '{}')::integer > 0
$$;
grant execute on function private.invitation_expiry() to authenticated, service_role, sb_service;

-- A private conversation and a sub-task take no further member and no further agent. Others must not learn that it is
-- one.
create or replace function private.reject_if_private(swarm_id uuid) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select 1 from private.private_swarms p
             where p.swarm_id = reject_if_private.swarm_id and (auth.uid() is null or p.user_id = auth.uid()))
      or auth.uid() is null
        and exists (select 1 from private.sub_tasks t where t.swarm_id = reject_if_private.swarm_id) then
    raise exception 'a private conversation takes no further member or agent: create a swarm'
      using errcode = 'insufficient_privilege', schema = 'public', table = 'swarms';
  end if;
end
$$;
grant execute on function private.reject_if_private(uuid) to authenticated, service_role, sb_service;

create or replace function private.prepare_swarm_member() returns trigger language plpgsql
as $$
declare
  is_end_user constant boolean := current_user in ('anon', 'authenticated', 'api_key');
begin
  if tg_op = 'INSERT' then
    if new.role <> 'owner' then
      perform private.reject_if_private(new.swarm_id);
    end if;
    new.invited_email := nullif(pg_catalog.lower(private.trim_whitespace(new.invited_email)), '');
    if is_end_user then
      -- Membership needs the consent of the invited person: the row stays `invited` until they accept.
      new.status := 'invited';
      new.invited_by := auth.uid();
    end if;
    new.joined_at := case when new.status = 'active' then coalesce(new.joined_at, now()) end;
    new.expires_at := case when new.status = 'invited' then private.invitation_expiry() end;
    if new.status = 'invited' then
      -- A new invitation replaces one that has expired.
      delete from public.swarm_members m where m.swarm_id = new.swarm_id and m.status = 'invited'
        and m.expires_at <= now() and (m.user_id = new.user_id or m.invited_email = new.invited_email);
    end if;
    return new;
  end if;

  if new.status = 'active' and old.status = 'invited' then
    if is_end_user and coalesce(old.user_id, auth.uid()) is distinct from auth.uid() then
      raise exception 'only the invited person can accept an invitation'
        using errcode = 'insufficient_privilege', schema = 'public', table = 'swarm_members', column = 'status';
    end if;
    if is_end_user and old.user_id is null and old.invited_email is distinct from private.my_proven_email() then
      raise exception 'only the invited person can accept an invitation'
        using errcode = 'insufficient_privilege', schema = 'public', table = 'swarm_members', column = 'status';
    end if;
    if is_end_user and old.expires_at <= now() then
      raise exception 'the invitation has expired; ask for a new one'
        using errcode = 'check_violation', schema = 'public', table = 'swarm_members', column = 'status',
              constraint = 'swarm_members_invitation_expired';
    end if;
    new.expires_at := null;
    if is_end_user then
      new.user_id := auth.uid();
      -- The account is known now, and other members need not see the address.
      new.invited_email := null;
    end if;
    new.joined_at := now();
  elsif is_end_user and new.status is distinct from old.status then
    raise exception 'a member cannot become invited again; remove the member instead'
      using errcode = 'check_violation', schema = 'public', table = 'swarm_members', column = 'status',
            constraint = 'swarm_members_status_immutable';
  else
    new.joined_at := old.joined_at;
  end if;
  if is_end_user and new.role is distinct from old.role then
    if not new.swarm_id = any (array(select private.my_managed_swarm_ids())) then
      raise exception 'only the owner and admins of a swarm change roles'
        using errcode = 'insufficient_privilege', schema = 'public', table = 'swarm_members', column = 'role';
    end if;
  end if;
  return new;
end
$$;

create or replace function private.prepare_swarm_agent() returns trigger language plpgsql
as $$
begin
  if tg_op = 'INSERT' then
    perform private.reject_if_private(new.swarm_id);
    if current_user in ('anon', 'authenticated', 'api_key') then
      new.added_by := auth.uid();
    end if;
    return new;
  end if;
  -- The owner of an agent in another user's swarm may disable or remove it, but not change its position or role.
  if current_user in ('anon', 'authenticated', 'api_key')
     and not new.swarm_id = any (array(select private.my_managed_swarm_ids()))
     and ((new.position, new.role_override) is distinct from (old.position, old.role_override)
          or (new.enabled and not old.enabled)) then
    raise exception 'only the owner and admins of a swarm arrange its agents'
      using errcode = 'insufficient_privilege', schema = 'public', table = 'swarm_agents';
  end if;
  return new;
end
$$;

create or replace function private.assign_swarm_agent_position() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  new.position := (select coalesce(max(sa.position) + 1, 0) from public.swarm_agents sa
    where sa.swarm_id = new.swarm_id);
  return new;
end
$$;

-- Computed field: the owner of an agent in a swarm, for members where the owner is one, too: whoever asks an agent of
-- somebody else by a grant does not learn whose it is. Reads the stored row, because a caller can pass any.
create or replace function public.agent_owner_id(place public.swarm_agents) returns uuid
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select a.user_id from public.swarm_agents sa join public.agents a on a.id = sa.agent_id
  where sa.id = place.id and private.may_key_see_swarm(sa.swarm_id)
    and ((select auth.role()) = 'service_role' or a.user_id = (select auth.uid())
      or exists (select 1 from public.swarm_members one
        join public.swarm_members other on other.swarm_id = one.swarm_id and other.status = 'active'
        where one.swarm_id = sa.swarm_id and one.status = 'active' and one.user_id = (select auth.uid())
          and other.user_id = a.user_id))
$$;
revoke execute on function public.agent_owner_id(public.swarm_agents) from public, anon;
grant execute on function public.agent_owner_id(public.swarm_agents) to authenticated, service_role;

-- All members read an error, and its message may be what the starter of a run alone reads. Inlined.
create or replace function private.hide_message(error jsonb) returns jsonb language sql immutable
as $$ select error || '{"message": "The call failed"}' $$;

-- A swarm gets its first member beside the owner, who reads nothing of the calls that tools have made in the name of
-- others. The payloads have their reader; events are kept for a day.
create or replace function private.mark_shared() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.shared_swarms (swarm_id) values (new.swarm_id) on conflict do nothing;
  if found then
    with hidden as (
      update public.tool_executions x set error = private.hide_message(x.error)
      from public.tool_execution_payloads p
      where p.swarm_id = new.swarm_id and p.private_to is not null and x.id = p.tool_execution_id
      returning x.id)
    update public.run_events e
    set data = (select jsonb_object_agg(m.key, case when m.key in ('input', 'output_preview') then 'null'
        when m.key = 'error' then private.hide_message(m.value) else m.value end)
      from jsonb_each(e.data) as m where m.key <> 'question')
    from hidden h
    where e.swarm_id = new.swarm_id and e.restricted and e.data ->> 'tool_execution_id' = h.id::text;
  end if;
  return null;
end
$$;

-- Runs before the member's row is deleted, so that the member also gets the events. Deleting a swarm or an account
-- removes these rows by other means.
create or replace function private.remove_member_agents() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select 1 from public.swarms s where s.id = old.swarm_id)
     and exists (select 1 from auth.users u where u.id = old.user_id) then
    delete from public.swarm_agents sa using public.agents a
    where sa.swarm_id = old.swarm_id and a.id = sa.agent_id and a.user_id = old.user_id;
  end if;
  return old;
end
$$;

-- Removes the user of a deleted account from all swarms, with all agents.
create or replace function private.remove_user_from_swarms() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.swarm_agents sa using public.agents a where a.id = sa.agent_id and a.user_id = new.id;
  delete from public.swarm_members m where m.user_id = new.id and m.role <> 'owner';
  return null;
end
$$;

create or replace function private.emit_swarm_created() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  if not exists (select 1 from new_rows n
                 where exists (select 1 from private.subscriptions w where w.user_id = n.owner_id
                                 and 'swarm.created' = any (w.events) offset 0)) then
    return null;
  end if;
  insert into private.events (type, data, audience)
  select 'swarm.created',
    json_build_object('swarm_id', n.id, 'name', n.name, 'owner_id', n.owner_id, 'strategy', n.strategy,
      'actor', private.get_actor()),
    array[n.owner_id]
  from new_rows n
  where private.is_subscribed('swarm.created', array[n.owner_id]) and not private.is_hidden_swarm(n.id);
  return null;
end
$$;

create or replace function private.emit_swarm_updated() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  if not exists (select 1 from new_rows n
                 where exists (select 1 from public.swarm_members m where m.swarm_id = n.id and m.status = 'active'
                   and exists (select 1 from private.subscriptions w where w.user_id = m.user_id
                                 and w.events && array['swarm.updated', 'swarm.completed'] offset 0) offset 0)) then
    return null;
  end if;
  insert into private.events (type, data, audience)
  select 'swarm.completed',
    json_build_object('swarm_id', n.id, 'run_id', null, 'source', 'manual', 'actor', private.get_actor()),
    recipients.audience
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (select private.list_swarm_audience(n.id)) as recipients (audience)
  where n.status = 'completed' and o.status <> 'completed'
    and private.is_subscribed('swarm.completed', recipients.audience);

  -- Omits what other events report: completion, and the removal of the coordinator.
  insert into private.events (type, data, audience)
  select 'swarm.updated',
    json_build_object('swarm_id', n.id, 'changed_fields', changes.fields, 'swarm', to_jsonb(n) - 'parent_run_id',
      'actor', private.get_actor()),
    recipients.audience
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (
    select private.list_changed_fields(to_jsonb(o), to_jsonb(n), 'updated_at',
      case when n.status = 'completed' then 'status' else '' end,
      case when n.coordinator_agent_id is null and pg_trigger_depth() > 1 then 'coordinator_agent_id' else '' end)
  ) as changes (fields)
  cross join lateral (select private.list_swarm_audience(n.id)) as recipients (audience)
  where cardinality(changes.fields) > 0 and private.is_subscribed('swarm.updated', recipients.audience);
  return null;
end
$$;

-- Runs before the delete, which also deletes the members.
create or replace function private.emit_swarm_deleted() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  audience uuid[] := private.list_swarm_audience(old.id);
begin
  update private.hidden_swarms h set deleted_at = now() where h.swarm_id = old.id;
  if found then
    return old;
  end if;
  if not old.owner_id = any (audience) then
    audience := audience || old.owner_id;
  end if;
  perform private.emit_event('swarm.deleted',
    json_build_object('swarm_id', old.id, 'name', old.name, 'owner_id', old.owner_id, 'actor', private.get_actor()),
      audience);
  return old;
end
$$;

create or replace function private.emit_agent_added() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.events (type, data, audience)
  select 'swarm.agent_added',
    json_build_object('swarm_id', n.swarm_id, 'agent_id', n.agent_id, 'agent_name', a.name, 'position', n.position,
      'actor', private.get_actor()),
    recipients.audience
  from new_rows n
  join public.agents a on a.id = n.agent_id
  cross join lateral (select private.list_swarm_audience(n.swarm_id)) as recipients (audience)
  where private.is_subscribed('swarm.agent_added', recipients.audience);
  return null;
end
$$;

-- Emits nothing for rows that are deleted with their swarm. For rows that are deleted with their agent, the trigger of
-- the agent has emitted the events.
create or replace function private.emit_agent_removed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update public.swarms s set coordinator_agent_id = null
  from old_rows o where s.id = o.swarm_id and s.coordinator_agent_id = o.agent_id;

  insert into private.events (type, data, audience)
  select 'swarm.agent_removed',
    json_build_object('swarm_id', o.swarm_id, 'agent_id', o.agent_id, 'agent_name', a.name, 'reason', 'removed',
      'actor', private.get_actor()),
    recipients.audience
  from old_rows o
  join public.agents a on a.id = o.agent_id
  join public.swarms s on s.id = o.swarm_id
  cross join lateral (select private.list_swarm_audience(o.swarm_id)) as recipients (audience)
  where private.is_subscribed('swarm.agent_removed', recipients.audience);
  return null;
end
$$;

-- Joined means active: added by the service, or an accepted invitation. The owner's own membership emits no event.
create or replace function private.emit_members_joined() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select 1 from new_rows n where n.status = 'active' and n.role <> 'owner') then
    return null;
  end if;
  insert into private.events (type, data, audience)
  select 'user.joined',
    json_build_object('swarm_id', n.swarm_id, 'user_id', n.user_id, 'role', n.role, 'actor', private.get_actor()),
      recipients.audience
  from new_rows n
  cross join lateral (select private.list_swarm_audience(n.swarm_id)) as recipients (audience)
  where n.status = 'active' and n.role <> 'owner' and private.is_subscribed('user.joined', recipients.audience);
  return null;
end
$$;

create or replace function private.emit_members_updated() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.events (type, data, audience)
  select 'user.joined',
    json_build_object('swarm_id', n.swarm_id, 'user_id', n.user_id, 'role', n.role, 'actor', private.get_actor()),
      recipients.audience
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (select private.list_swarm_audience(n.swarm_id)) as recipients (audience)
  where n.status = 'active' and o.status = 'invited' and private.is_subscribed('user.joined', recipients.audience);

  insert into private.events (type, data, audience)
  select 'user.role_changed',
    json_build_object('swarm_id', n.swarm_id, 'user_id', n.user_id, 'role', n.role, 'previous_role', o.role,
      'actor', private.get_actor()),
    recipients.audience
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (select private.list_swarm_audience(n.swarm_id)) as recipients (audience)
  where n.status = 'active' and o.status = 'active' and n.role <> o.role
    and private.is_subscribed('user.role_changed', recipients.audience);
  return null;
end
$$;

-- The audience before the change: the remaining members, and all that this statement removed.
create or replace function private.emit_members_removed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.events (type, data, audience)
  select 'user.removed',
    json_build_object('swarm_id', o.swarm_id, 'user_id', o.user_id, 'role', o.role,
      'reason', case when u.id is null or u.deleted_at is not null then 'account_deleted'
                     when o.user_id = auth.uid() then 'left' else 'removed' end,
      'actor', private.get_actor()),
    recipients.audience
  from old_rows o
  join public.swarms s on s.id = o.swarm_id
  left join auth.users u on u.id = o.user_id
  cross join lateral (
    select private.list_swarm_audience(o.swarm_id)
      || array(select gone.user_id from old_rows gone
        where gone.swarm_id = o.swarm_id and gone.status = 'active')) as recipients (audience)
  where o.status = 'active' and o.role <> 'owner' and private.is_subscribed('user.removed', recipients.audience);
  return null;
end
$$;
