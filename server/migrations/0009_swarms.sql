-- Swarms: rooms in which agents and people talk. The owner's member row is made with the swarm, so membership is one question.

create table public.swarms (
  id uuid default private.new_id() constraint swarms_pkey primary key,
  owner_id uuid not null default auth.uid() constraint swarms_owner_id_fkey references auth.users on delete cascade,
  name text not null constraint swarms_name_length check (char_length(name) between 1 and 100),
  description text constraint swarms_description_length check (char_length(description) <= 2000),
  avatar text constraint swarms_avatar_length check (char_length(avatar) <= 2048)
              constraint swarms_avatar_http check (avatar ~* '^https?://[^/?#\s]'),
  status text not null default 'active' constraint swarms_status_known check (status in ('active', 'paused', 'completed', 'archived')),
  strategy text not null default 'round_robin' constraint swarms_strategy_known
    check (strategy in ('round_robin', 'parallel', 'mention', 'handoff', 'selector', 'supervisor')),
  coordinator_agent_id uuid constraint swarms_coordinator_agent_id_fkey references public.agents on delete set null,
  settings jsonb not null default '{}'
    constraint swarms_settings_object check (jsonb_typeof(settings) = 'object')
    constraint swarms_settings_size check (octet_length(settings::text) <= 32768),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint swarms_id_owner_id_key unique (id, owner_id)
);
create index swarms_owner_id_idx on public.swarms (owner_id, created_at desc);
create index swarms_coordinator_agent_id_idx on public.swarms (coordinator_agent_id) where coordinator_agent_id is not null;
alter table public.swarms replica identity using index swarms_id_owner_id_key;

create table public.swarm_members (
  id uuid default private.new_id() constraint swarm_members_pkey primary key,
  swarm_id uuid not null constraint swarm_members_swarm_id_fkey references public.swarms on delete cascade,
  user_id uuid constraint swarm_members_user_id_fkey references auth.users on delete cascade,
  invited_email text constraint swarm_members_invited_email_lower_case check (invited_email = lower(invited_email))
                     constraint swarm_members_invited_email_format check (invited_email ~ '^[^\s@]+@[^\s@]+$' and char_length(invited_email) <= 320),
  role text not null default 'member' constraint swarm_members_role_known check (role in ('owner', 'admin', 'member', 'viewer')),
  status text not null default 'invited' constraint swarm_members_status_known check (status in ('active', 'invited')),
  invited_by uuid constraint swarm_members_invited_by_fkey references auth.users on delete set null,
  joined_at timestamptz,
  created_at timestamptz not null default now(),
  constraint swarm_members_user_id_or_invited_email check (user_id is not null or invited_email is not null),
  constraint swarm_members_active_has_user_id check (status = 'invited' or user_id is not null),
  constraint swarm_members_swarm_id_user_id_key unique (swarm_id, user_id),
  constraint swarm_members_swarm_id_invited_email_key unique (swarm_id, invited_email)
);
create unique index swarm_members_one_owner on public.swarm_members (swarm_id) where role = 'owner';
create index swarm_members_user_id_idx on public.swarm_members (user_id, swarm_id) include (role, status);
create index swarm_members_invited_email_idx on public.swarm_members (invited_email) where invited_email is not null;
create index swarm_members_invited_by_idx on public.swarm_members (invited_by) where invited_by is not null;
alter table public.swarm_members replica identity full;

create table public.swarm_agents (
  id uuid default private.new_id() constraint swarm_agents_pkey primary key,
  swarm_id uuid not null constraint swarm_agents_swarm_id_fkey references public.swarms on delete cascade,
  agent_id uuid not null,
  user_id uuid not null,
  position integer not null constraint swarm_agents_position_range check (position >= 0),
  enabled boolean not null default true,
  role_override text constraint swarm_agents_role_override_length check (char_length(role_override) <= 200),
  added_by uuid constraint swarm_agents_added_by_fkey references auth.users on delete set null,
  created_at timestamptz not null default now(),
  constraint swarm_agents_agent_id_fkey foreign key (agent_id, user_id) references public.agents (id, user_id) on delete cascade,
  constraint swarm_agents_swarm_id_agent_id_key unique (swarm_id, agent_id)
);
create index swarm_agents_agent_id_idx on public.swarm_agents (agent_id, user_id);
create index swarm_agents_user_id_idx on public.swarm_agents (user_id);
create index swarm_agents_added_by_idx on public.swarm_agents (added_by) where added_by is not null;
alter table public.swarm_agents replica identity full;

-- Helpers return the caller's sets once per statement (an initplan), instead of asking once per row.
create function private.my_swarm_ids() returns setof uuid language sql stable rows 20 security definer set search_path = pg_catalog, pg_temp
as $$ select m.swarm_id from public.swarm_members m where m.user_id = (select auth.uid()) and m.status = 'active' $$;

create function private.my_writable_swarm_ids() returns setof uuid language sql stable rows 20 security definer set search_path = pg_catalog, pg_temp
as $$
  select m.swarm_id from public.swarm_members m
  where m.user_id = (select auth.uid()) and m.status = 'active' and m.role in ('owner', 'admin', 'member')
$$;

create function private.my_managed_swarm_ids() returns setof uuid language sql stable rows 20 security definer set search_path = pg_catalog, pg_temp
as $$
  select m.swarm_id from public.swarm_members m
  where m.user_id = (select auth.uid()) and m.status = 'active' and m.role in ('owner', 'admin')
$$;

create function private.my_co_member_ids() returns setof uuid language sql stable rows 50 security definer set search_path = pg_catalog, pg_temp
as $$
  select distinct other.user_id
  from public.swarm_members mine
  join public.swarm_members other on other.swarm_id = mine.swarm_id and other.status = 'active'
  where mine.user_id = (select auth.uid()) and mine.status = 'active'
$$;

create function private.my_agent_ids() returns setof uuid language sql stable rows 20 security definer set search_path = pg_catalog, pg_temp
as $$ select a.id from public.agents a where a.user_id = (select auth.uid()) $$;

grant execute on function private.my_swarm_ids(), private.my_writable_swarm_ids(), private.my_managed_swarm_ids(),
  private.my_co_member_ids(), private.my_agent_ids() to authenticated, service_role, sb_service;

alter table public.swarms enable row level security;
alter table public.swarm_members enable row level security;
alter table public.swarm_agents enable row level security;

-- owner_id beside the membership: the row is visible to RETURNING before the owner's member row exists.
create policy swarms_select on public.swarms for select to authenticated
  using (owner_id = (select auth.uid()) or id = any (array(select private.my_swarm_ids())));
create policy swarms_insert on public.swarms for insert to authenticated with check (owner_id = (select auth.uid()));
create policy swarms_update on public.swarms for update to authenticated
  using (id = any (array(select private.my_managed_swarm_ids())))
  with check (id = any (array(select private.my_managed_swarm_ids())));
create policy swarms_delete on public.swarms for delete to authenticated using (owner_id = (select auth.uid()));
create policy swarms_service on public.swarms to service_role, sb_service using (true) with check (true);

create policy swarm_members_select on public.swarm_members for select to authenticated
  using (swarm_id = any (array(select private.my_swarm_ids())) or user_id = (select auth.uid())
         or (user_id is null and invited_email = (select private.my_confirmed_email())));
create policy swarm_members_insert on public.swarm_members for insert to authenticated
  with check (swarm_id = any (array(select private.my_managed_swarm_ids())) and role <> 'owner');
create policy swarm_members_update on public.swarm_members for update to authenticated
  using (role <> 'owner' and (swarm_id = any (array(select private.my_managed_swarm_ids())) or user_id = (select auth.uid())
         or (user_id is null and invited_email = (select private.my_confirmed_email()))))
  with check (role <> 'owner' and (swarm_id = any (array(select private.my_managed_swarm_ids())) or user_id = (select auth.uid())));
create policy swarm_members_delete on public.swarm_members for delete to authenticated
  using (role <> 'owner' and (swarm_id = any (array(select private.my_managed_swarm_ids())) or user_id = (select auth.uid())
         or (user_id is null and invited_email = (select private.my_confirmed_email()))));
create policy swarm_members_service on public.swarm_members to service_role, sb_service using (true) with check (true);

create policy swarm_agents_select on public.swarm_agents for select to authenticated
  using (swarm_id = any (array(select private.my_swarm_ids())) or user_id = (select auth.uid()));
create policy swarm_agents_insert on public.swarm_agents for insert to authenticated
  with check (user_id = (select auth.uid()) and swarm_id = any (array(select private.my_managed_swarm_ids())));
create policy swarm_agents_update on public.swarm_agents for update to authenticated
  using (swarm_id = any (array(select private.my_managed_swarm_ids())) or user_id = (select auth.uid()))
  with check (swarm_id = any (array(select private.my_managed_swarm_ids())) or user_id = (select auth.uid()));
create policy swarm_agents_delete on public.swarm_agents for delete to authenticated
  using (swarm_id = any (array(select private.my_managed_swarm_ids())) or user_id = (select auth.uid()));
create policy swarm_agents_service on public.swarm_agents to service_role, sb_service using (true) with check (true);

grant select, insert, update, delete on public.swarms, public.swarm_members, public.swarm_agents
  to authenticated, service_role, sb_service;

-- Shared tools are seen by those who share a swarm with their owner.
create policy tools_select on public.tools for select to authenticated
  using (owner_id is null or visibility = 'public' or owner_id = (select auth.uid())
         or (visibility = 'shared' and owner_id = any (array(select private.my_co_member_ids()))));

create function private.prepare_swarm() returns trigger language plpgsql
as $$
begin
  new.name := private.trimmed(new.name);
  return new;
end
$$;
create trigger swarms_prepare before insert or update on public.swarms for each row execute function private.prepare_swarm();
create trigger swarms_stamp before insert or update on public.swarms for each row
  when (current_user in ('anon', 'authenticated', 'service_role')) execute function private.stamp_created_and_updated();
create trigger swarms_freeze before update on public.swarms for each row
  when (new.id is distinct from old.id) execute function private.refuse_change('id');
create trigger swarms_keep_owner before update on public.swarms for each row
  when (new.owner_id is distinct from old.owner_id) execute function private.refuse_transfer('owner_id');

create function private.seat_swarm_owner() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.swarm_members (swarm_id, user_id, role, status, joined_at)
  select n.id, n.owner_id, 'owner', 'active', now() from new_rows n;
  return null;
end
$$;
create trigger swarms_a_seat_owner after insert on public.swarms referencing new table as new_rows
  for each statement execute function private.seat_swarm_owner();

-- The coordinator speaks for the swarm, so it must be one of its agents.
create function private.check_coordinator() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select 1 from public.swarm_agents sa where sa.swarm_id = new.id and sa.agent_id = new.coordinator_agent_id) then
    raise exception 'the coordinator must be an agent of the swarm'
      using errcode = 'check_violation', schema = 'public', table = 'swarms', column = 'coordinator_agent_id',
            constraint = 'swarms_coordinator_agent_id_in_swarm';
  end if;
  return null;
end
$$;
create trigger swarms_check_coordinator after insert or update on public.swarms for each row
  when (new.coordinator_agent_id is not null) execute function private.check_coordinator();

create function private.prepare_swarm_member() returns trigger language plpgsql
as $$
declare
  is_end_user boolean := current_user in ('anon', 'authenticated');
  manages boolean := is_end_user and new.swarm_id = any (array(select private.my_managed_swarm_ids()));
begin
  if tg_op = 'INSERT' then
    new.invited_email := nullif(pg_catalog.lower(private.trimmed(new.invited_email)), '');
    if is_end_user then
      -- Nobody is put into a room by somebody else's word: the row waits for the person to accept it.
      new.status := 'invited';
      new.invited_by := auth.uid();
    end if;
    new.joined_at := case when new.status = 'active' then coalesce(new.joined_at, now()) end;
    return new;
  end if;

  if new.status = 'active' and old.status = 'invited' then
    if is_end_user and coalesce(old.user_id, auth.uid()) is distinct from auth.uid() then
      raise exception 'only the invited person can accept an invitation'
        using errcode = 'insufficient_privilege', schema = 'public', table = 'swarm_members', column = 'status';
    end if;
    if is_end_user and old.user_id is null and old.invited_email is distinct from private.my_confirmed_email() then
      raise exception 'only the invited person can accept an invitation'
        using errcode = 'insufficient_privilege', schema = 'public', table = 'swarm_members', column = 'status';
    end if;
    if is_end_user then
      new.user_id := auth.uid();
      -- The address found its person; the other members have no business with it.
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
  if is_end_user and new.role is distinct from old.role and not manages then
    raise exception 'only the owner and admins of a swarm change roles'
      using errcode = 'insufficient_privilege', schema = 'public', table = 'swarm_members', column = 'role';
  end if;
  return new;
end
$$;
create trigger swarm_members_a_require before insert on public.swarm_members for each row
  when (new.swarm_id is null) execute function private.require_columns('swarm_id');
create trigger swarm_members_prepare before insert or update on public.swarm_members for each row
  execute function private.prepare_swarm_member();
create trigger swarm_members_stamp before insert or update on public.swarm_members for each row
  when (current_user in ('anon', 'authenticated', 'service_role')) execute function private.stamp_created();
create trigger swarm_members_freeze before update on public.swarm_members for each row
  when (current_user in ('anon', 'authenticated', 'service_role')
        and (new.id, new.swarm_id, new.user_id, new.invited_email, new.invited_by)
            is distinct from (old.id, old.swarm_id, old.user_id, old.invited_email, old.invited_by))
  execute function private.refuse_change('id', 'swarm_id', 'user_id', 'invited_email', 'invited_by');

create function private.prepare_swarm_agent() returns trigger language plpgsql
as $$
begin
  if tg_op = 'INSERT' then
    if current_user in ('anon', 'authenticated') then
      new.added_by := auth.uid();
    end if;
    return new;
  end if;
  -- An owner whose agent sits in somebody else's swarm may withdraw it, not arrange the room.
  if current_user in ('anon', 'authenticated')
     and not new.swarm_id = any (array(select private.my_managed_swarm_ids()))
     and ((new.position, new.role_override) is distinct from (old.position, old.role_override)
          or (new.enabled and not old.enabled)) then
    raise exception 'only the owner and admins of a swarm arrange its agents'
      using errcode = 'insufficient_privilege', schema = 'public', table = 'swarm_agents';
  end if;
  return new;
end
$$;
create trigger swarm_agents_a_require_swarm before insert on public.swarm_agents for each row
  when (new.swarm_id is null) execute function private.require_columns('swarm_id');
create trigger swarm_agents_a_require before insert on public.swarm_agents for each row
  when (new.agent_id is null) execute function private.require_columns('agent_id');
create trigger swarm_agents_own before insert on public.swarm_agents for each row execute function private.own_by_agent();
create trigger swarm_agents_prepare before insert or update on public.swarm_agents for each row
  execute function private.prepare_swarm_agent();

create function private.place_swarm_agent() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  new.position := (select coalesce(max(sa.position) + 1, 0) from public.swarm_agents sa where sa.swarm_id = new.swarm_id);
  return new;
end
$$;
create trigger swarm_agents_place before insert on public.swarm_agents for each row
  when (new.position is null) execute function private.place_swarm_agent();
create trigger swarm_agents_stamp before insert or update on public.swarm_agents for each row
  when (current_user in ('anon', 'authenticated', 'service_role')) execute function private.stamp_created();
create trigger swarm_agents_freeze before update on public.swarm_agents for each row
  when ((new.id, new.swarm_id, new.agent_id, new.user_id) is distinct from (old.id, old.swarm_id, old.agent_id, old.user_id))
  execute function private.refuse_change('id', 'swarm_id', 'agent_id', 'user_id');
create trigger swarm_agents_freeze_managed before update on public.swarm_agents for each row
  when (current_user in ('anon', 'authenticated') and new.added_by is distinct from old.added_by)
  execute function private.refuse_change('added_by');

-- People and agents of a shared room, as far as the others may see them.
create view public.public_profiles with (security_barrier) as
  select p.id, p.full_name, p.avatar_url
  from public.profiles p
  where current_user = 'service_role' or p.id = (select auth.uid()) or p.id = any (array(select private.my_co_member_ids()));

create view public.agent_cards with (security_barrier) as
  select a.id, a.name, a.role, a.avatar, a.status
  from public.agents a
  where current_user = 'service_role' or a.user_id = (select auth.uid())
     or a.id in (select sa.agent_id from public.swarm_agents sa where sa.swarm_id = any (array(select private.my_swarm_ids())));

revoke insert, update, delete on public.public_profiles, public.agent_cards from service_role;
grant select on public.public_profiles, public.agent_cards to authenticated, service_role;
