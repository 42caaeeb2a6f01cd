-- Swarms, in which agents and people talk. A trigger inserts the owner's member row with the swarm, so that membership
-- needs one check.

-- An absent budget and null mean no limit.
create function private.is_valid_run_budget(value jsonb) returns boolean language plpgsql immutable strict parallel safe
as $$
begin
  return case pg_catalog.jsonb_typeof(value)
    when 'null' then true
    when 'object' then coalesce((
      select pg_catalog.bool_and(case
        when pg_catalog.jsonb_typeof(limits.value) = 'null' then true
        when limits.key in ('max_tokens', 'max_tokens_per_day')
          then private.is_whole_number_between(limits.value, 0, 9007199254740991)
        when limits.key in ('max_cost_usd', 'max_cost_usd_per_day')
          then private.is_number_between(limits.value, 0, 999999999)
        else true end)
      from pg_catalog.jsonb_each(value) as limits), true)
    else false
  end;
end
$$;
grant execute on function private.is_valid_run_budget(jsonb) to authenticated, sb_service, service_role;

create function private.is_valid_moderation(value jsonb) returns boolean language plpgsql immutable strict parallel safe
as $$
begin
  return case when pg_catalog.jsonb_typeof(value) <> 'object' then false
    when value ? 'enabled' and pg_catalog.jsonb_typeof(value -> 'enabled') <> 'boolean' then false
    when value ? 'action' and value -> 'action' not in ('"flag"', '"block"') then false
    when not value ? 'blocklist' then true
    when pg_catalog.jsonb_typeof(value -> 'blocklist') <> 'array' then false
    else pg_catalog.jsonb_array_length(value -> 'blocklist') <= 1000 and not exists (
      select 1 from pg_catalog.jsonb_array_elements(value -> 'blocklist') as term (value)
      where pg_catalog.jsonb_typeof(term.value) <> 'string'
        or pg_catalog.char_length(private.trim_whitespace(term.value #>> '{}')) not between 1 and 200)
  end;
end
$$;
grant execute on function private.is_valid_moderation(jsonb) to authenticated, sb_service, service_role;

-- Accepts unknown keys.
create function private.is_valid_swarm_setting(name text, value jsonb) returns boolean
language plpgsql immutable strict parallel safe
as $$
begin
  return case name
    when 'max_turns' then private.is_whole_number_between(value, 1, 50)
    when 'max_rounds' then private.is_whole_number_between(value, 1, 10)
    when 'max_tool_steps' then private.is_whole_number_between(value, 1, 1000)
    when 'max_tool_calls' then private.is_whole_number_between(value, 1, 10000)
    when 'timeout_ms' then private.is_whole_number_between(value, 1000, 604800000)
    when 'history_limit' then private.is_whole_number_between(value, 1, 500)
    when 'on_agent_error' then value in ('"continue"', '"stop"')
    when 'on_conflict' then value in ('"enqueue"', '"reject"', '"interrupt"')
    when 'budget' then private.is_valid_run_budget(value)
    when 'moderation' then private.is_valid_moderation(value)
    when 'auto_respond' then pg_catalog.jsonb_typeof(value) = 'boolean'
    else true
  end;
end
$$;
grant execute on function private.is_valid_swarm_setting(text, jsonb) to authenticated, sb_service, service_role;

create table public.swarms (
  id uuid default private.new_id() constraint swarms_pkey primary key,
  owner_id uuid not null default auth.uid() constraint swarms_owner_id_fkey references auth.users on delete cascade,
  name text not null constraint swarms_name_length check (char_length(name) between 1 and 100),
  description text constraint swarms_description_length check (char_length(description) <= 2000),
  avatar text constraint swarms_avatar_length check (char_length(avatar) <= 2048)
              constraint swarms_avatar_http check (avatar ~* '^https?://[^/?#\s]'),
  status text not null default 'active' constraint swarms_status_known
    check (status in ('active', 'paused', 'completed', 'archived')),
  strategy text not null default 'round_robin' constraint swarms_strategy_known
    check (strategy in ('round_robin', 'parallel', 'mention', 'handoff', 'selector', 'supervisor')),
  coordinator_agent_id uuid constraint swarms_coordinator_agent_id_fkey references public.agents on delete set null,
  settings jsonb not null default '{}'
    constraint swarms_settings_object check (jsonb_typeof(settings) = 'object')
    constraint swarms_settings_size check (octet_length(settings::text) <= 32768)
    constraint swarms_settings_max_turns check (private.is_valid_swarm_setting('max_turns', settings -> 'max_turns'))
    constraint swarms_settings_max_rounds check (private.is_valid_swarm_setting('max_rounds', settings -> 'max_rounds'))
    constraint swarms_settings_max_tool_steps
      check (private.is_valid_swarm_setting('max_tool_steps', settings -> 'max_tool_steps'))
    constraint swarms_settings_max_tool_calls
      check (private.is_valid_swarm_setting('max_tool_calls', settings -> 'max_tool_calls'))
    constraint swarms_settings_timeout_ms check (private.is_valid_swarm_setting('timeout_ms', settings -> 'timeout_ms'))
    constraint swarms_settings_history_limit
      check (private.is_valid_swarm_setting('history_limit', settings -> 'history_limit'))
    constraint swarms_settings_on_agent_error
      check (private.is_valid_swarm_setting('on_agent_error', settings -> 'on_agent_error'))
    constraint swarms_settings_on_conflict
      check (private.is_valid_swarm_setting('on_conflict', settings -> 'on_conflict'))
    constraint swarms_settings_budget check (private.is_valid_swarm_setting('budget', settings -> 'budget'))
    constraint swarms_settings_moderation check (private.is_valid_swarm_setting('moderation', settings -> 'moderation'))
    constraint swarms_settings_auto_respond
      check (private.is_valid_swarm_setting('auto_respond', settings -> 'auto_respond'))
    constraint swarms_settings_preamble check (case when settings ? 'preamble'
      then jsonb_typeof(settings -> 'preamble') = 'string' and char_length(settings ->> 'preamble') <= 4000
      else true end),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The run that began the conversation as a sub-task by a call of a tool. Nobody but the service writes it. No foreign
  -- key: a second relation of swarms and runs would make every request that embeds one in the other ambiguous.
  parent_run_id uuid,
  constraint swarms_id_owner_id_key unique (id, owner_id)
);
create index swarms_owner_id_idx on public.swarms (owner_id, created_at desc);
create index swarms_coordinator_agent_id_idx on public.swarms (coordinator_agent_id)
  where coordinator_agent_id is not null;
-- Everybody can read the cards of published swarms, so finding them must not read all rows. The expression is that of
-- the filter `settings->>a2a_published=eq.true`.
create index swarms_a2a_published_idx on public.swarms ((settings ->> 'a2a_published'))
  where settings ->> 'a2a_published' is not null;
alter table public.swarms replica identity using index swarms_id_owner_id_key;
alter table public.swarms enable row level security;
grant select, insert, update, delete on public.swarms to authenticated, service_role, sb_service;

create table public.swarm_members (
  id uuid default private.new_id() constraint swarm_members_pkey primary key,
  swarm_id uuid not null constraint swarm_members_swarm_id_fkey references public.swarms on delete cascade,
  user_id uuid constraint swarm_members_user_id_fkey references auth.users on delete cascade,
  invited_email text constraint swarm_members_invited_email_lower_case check (invited_email = lower(invited_email))
                     constraint swarm_members_invited_email_format
                       check (invited_email ~ '^[^\s@]+@[^\s@]+$' and char_length(invited_email) <= 320),
  role text not null default 'member' constraint swarm_members_role_known
    check (role in ('owner', 'admin', 'member', 'viewer')),
  status text not null default 'invited' constraint swarm_members_status_known check (status in ('active', 'invited')),
  invited_by uuid constraint swarm_members_invited_by_fkey references auth.users on delete set null,
  joined_at timestamptz,
  created_at timestamptz not null default now(),
  -- When an invitation expires; null for those that do not, and for members.
  expires_at timestamptz,
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
alter table public.swarm_members enable row level security;
grant select, insert, update, delete on public.swarm_members to authenticated, service_role, sb_service;

create table public.swarm_agents (
  id uuid default private.new_id() constraint swarm_agents_pkey primary key,
  swarm_id uuid not null constraint swarm_agents_swarm_id_fkey references public.swarms on delete cascade,
  agent_id uuid not null constraint swarm_agents_agent_id_fkey references public.agents on delete cascade,
  position integer not null constraint swarm_agents_position_range check (position >= 0),
  enabled boolean not null default true,
  role_override text constraint swarm_agents_role_override_length check (char_length(role_override) <= 200),
  added_by uuid constraint swarm_agents_added_by_fkey references auth.users on delete set null,
  created_at timestamptz not null default now(),
  constraint swarm_agents_swarm_id_agent_id_key unique (swarm_id, agent_id)
);
create index swarm_agents_agent_id_idx on public.swarm_agents (agent_id);
create index swarm_agents_added_by_idx on public.swarm_agents (added_by) where added_by is not null;
alter table public.swarm_agents replica identity full;
alter table public.swarm_agents enable row level security;
grant select, insert, update, delete on public.swarm_agents to authenticated, service_role, sb_service;

-- The secrets with which the account of an invited address accepts, whether the address was proven or not: one in the
-- link that the inviter gets, one in the mail. Deleted with the invitation.
create table private.invitation_secrets (
  member_id uuid not null
    constraint invitation_secrets_member_id_fkey references public.swarm_members on delete cascade,
  way text not null constraint invitation_secrets_way_known check (way in ('link', 'mail')),
  secret_hash bytea not null constraint invitation_secrets_secret_hash_key unique,
  created_at timestamptz not null default now(),
  constraint invitation_secrets_pkey primary key (member_id, way)
);
alter table private.invitation_secrets enable row level security;
grant select, insert, update, delete on private.invitation_secrets to sb_service;

-- Private conversations: the swarms of a user and one agent, which agent-respond creates when it is called with an
-- agent instead of a swarm. They take no further member and no further agent.
create table private.private_swarms (
  swarm_id uuid constraint private_swarms_pkey primary key
    constraint private_swarms_swarm_id_fkey references public.swarms on delete cascade,
  user_id uuid not null constraint private_swarms_user_id_fkey references auth.users on delete cascade,
  -- No foreign key: the conversation stays readable after its agent was deleted.
  agent_id uuid not null,
  -- An API key that does not read the conversations of its user has its own.
  api_key_id uuid,
  -- Who reads the conversation beside its user, as the grant said when it began. Null: it began without a grant.
  transcripts text constraint private_swarms_transcripts_known check (transcripts in ('private', 'owner')),
  created_at timestamptz not null default now(),
  -- What starts the runs of the conversation, as `schedules <id>`. Null: the user, in a chat.
  started_by text
);
create index private_swarms_user_id_idx on private.private_swarms (user_id, agent_id, started_by, created_at desc);
create index private_swarms_agent_id_idx on private.private_swarms (agent_id) where transcripts = 'owner';
alter table private.private_swarms enable row level security;
grant select, insert, update, delete on private.private_swarms to sb_service;

-- The swarms that have or had members beside their owner.
create table private.shared_swarms (
  swarm_id uuid constraint shared_swarms_pkey primary key
    constraint shared_swarms_swarm_id_fkey references public.swarms on delete cascade
);
alter table private.shared_swarms enable row level security;
grant select on private.shared_swarms to sb_service;

-- What has let messages with data of outside senders into a swarm, such as a trigger, and the tools of the starter that
-- its runs call without an approval. Not deleted while the swarm exists: its agents can still read the messages.
create table private.outside_senders (
  swarm_id uuid constraint outside_senders_swarm_id_fkey references public.swarms on delete cascade,
  sender text,
  allowed_tools text[] not null,
  constraint outside_senders_pkey primary key (swarm_id, sender)
);
create index outside_senders_sender_idx on private.outside_senders (sender);
alter table private.outside_senders enable row level security;
grant select on private.outside_senders to sb_service;

-- Hidden swarms: the swarms of calls that bring their own conversation and do not store it, and those of sub-tasks.
-- Their user does not see them in any table, and no webhook receives their events. The former are deleted after their
-- run, the latter with the run that began them.
--
-- Without a foreign key to the swarm: the row is inserted before its swarm, and stays a while after it, so that
-- realtime does not show the deletion of a swarm that was never shown.
create table private.hidden_swarms (
  swarm_id uuid constraint hidden_swarms_pkey primary key,
  user_id uuid not null constraint hidden_swarms_user_id_fkey references auth.users on delete cascade,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index hidden_swarms_user_id_idx on private.hidden_swarms (user_id);
alter table private.hidden_swarms enable row level security;
grant select, insert, update, delete on private.hidden_swarms to sb_service;

-- after functions

-- Conditions on the owner of a row are for rows that my_swarm_ids does not have: new swarms, invitations, agents in
-- swarms of others. The cheaper condition comes first. It decides the row that an insert returns, whose owner is no
-- member yet.
create policy swarms_select on public.swarms for select to authenticated using (
  (owner_id = (select auth.uid()) and id <> all (array(select private.my_hidden_swarm_ids())))
  or id = any (array(select private.my_swarm_ids())));
create policy swarms_insert on public.swarms for insert to authenticated
  with check (owner_id = (select auth.uid()) and parent_run_id is null);
-- The id of a swarm cannot change, so that its new version needs no second look at the caller's swarms.
create policy swarms_update on public.swarms for update to authenticated
  using (id = any (array(select private.my_managed_swarm_ids()))) with check (true);
create policy swarms_delete on public.swarms for delete to authenticated using (owner_id = (select auth.uid()));
create policy swarms_service on public.swarms to service_role, sb_service using (true) with check (true);

create trigger swarms_prepare before insert or update on public.swarms for each row
  execute function private.prepare_swarm();
create trigger swarms_stamp before insert or update on public.swarms for each row
  execute function private.stamp_created_and_updated();
create trigger swarms_freeze before update of id on public.swarms for each row
  when (new.id is distinct from old.id) execute function private.reject_change('id');
create trigger swarms_freeze_parent before update of parent_run_id on public.swarms for each row
  when (new.parent_run_id is distinct from old.parent_run_id) execute function private.reject_change('parent_run_id');
create trigger swarms_keep_owner before update of owner_id on public.swarms for each row
  when (new.owner_id is distinct from old.owner_id) execute function private.reject_transfer('owner_id');
create trigger swarms_keep_preamble before update on public.swarms for each row
  when (current_user in ('anon', 'authenticated', 'api_key')
        and new.settings -> 'preamble' is distinct from old.settings -> 'preamble')
  execute function private.keep_preamble();
create trigger swarms_a_add_owner after insert on public.swarms referencing new table as new_rows
  for each statement execute function private.add_swarm_owner();
create trigger swarms_check_coordinator after insert or update of coordinator_agent_id on public.swarms for each row
  when (new.coordinator_agent_id is not null) execute function private.check_coordinator();
create trigger swarms_emit_created after insert on public.swarms referencing new table as new_rows
  for each statement execute function private.emit_swarm_created();
create trigger swarms_emit_updated after update on public.swarms referencing old table as old_rows new table as new_rows
  for each statement execute function private.emit_swarm_updated();
create trigger swarms_emit_deleted before delete on public.swarms for each row
  execute function private.emit_swarm_deleted();
-- Calls that are in progress when their swarm is deleted count in the budgets of their payer.
create trigger swarms_record_usage before delete on public.swarms for each row
  execute function private.record_usage_of_deleted_swarm();
create trigger swarms_record_key after insert on public.swarms for each row
  when (private.key_id() is not null) execute function private.record_key_swarm();

create policy swarm_members_select on public.swarm_members for select to authenticated
  using (swarm_id = any (array(select private.my_swarm_ids()))
         or (user_id = (select auth.uid()) and swarm_id <> all (array(select private.my_hidden_swarm_ids())))
         or (user_id is null and invited_email = (select private.my_proven_email())));
create policy swarm_members_insert on public.swarm_members for insert to authenticated
  with check (swarm_id = any (array(select private.my_managed_swarm_ids())) and role <> 'owner');
create policy swarm_members_update on public.swarm_members for update to authenticated
  using (role <> 'owner' and (swarm_id = any (array(select private.my_managed_swarm_ids()))
    or user_id = (select auth.uid())
         or (user_id is null and invited_email = (select private.my_proven_email()))))
  with check (role <> 'owner' and (swarm_id = any (array(select private.my_managed_swarm_ids()))
    or user_id = (select auth.uid())));
create policy swarm_members_delete on public.swarm_members for delete to authenticated
  using (role <> 'owner' and (swarm_id = any (array(select private.my_managed_swarm_ids()))
    or user_id = (select auth.uid())
         or (user_id is null and invited_email = (select private.my_proven_email()))));
create policy swarm_members_service on public.swarm_members to service_role, sb_service using (true) with check (true);

create trigger swarm_members_a_require before insert on public.swarm_members for each row
  when (new.swarm_id is null) execute function private.require_columns('swarm_id');
create trigger swarm_members_prepare before insert or update on public.swarm_members for each row
  execute function private.prepare_swarm_member();
create trigger swarm_members_stamp before insert or update on public.swarm_members for each row
  execute function private.stamp_created();
create trigger swarm_members_freeze
  before update of id, swarm_id, user_id, invited_email, invited_by, expires_at on public.swarm_members for each row
  when (current_user in ('anon', 'authenticated', 'api_key', 'service_role')
    and (new.id, new.swarm_id, new.user_id, new.invited_email, new.invited_by, new.expires_at)
      is distinct from (old.id, old.swarm_id, old.user_id, old.invited_email, old.invited_by, old.expires_at))
  execute function private.reject_change('id', 'swarm_id', 'user_id', 'invited_email', 'invited_by', 'expires_at');
create trigger swarm_members_emit_joined after insert on public.swarm_members referencing new table as new_rows
  for each statement execute function private.emit_members_joined();
create trigger swarm_members_emit_updated after update on public.swarm_members
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.emit_members_updated();
create trigger swarm_members_mark_shared after insert or update of status on public.swarm_members for each row
  when (new.status = 'active' and new.role <> 'owner') execute function private.mark_shared();
create trigger swarm_members_emit_removed after delete on public.swarm_members referencing old table as old_rows
  for each statement execute function private.emit_members_removed();
create trigger swarm_members_remove_agents before delete on public.swarm_members for each row
  when (old.user_id is not null) execute function private.remove_member_agents();
create trigger swarm_members_enqueue_mails after insert on public.swarm_members referencing new table as new_rows
  for each statement execute function private.enqueue_invitation_mails();

create policy invitation_secrets_service on private.invitation_secrets to sb_service using (true) with check (true);

-- The owner of an agent does not see in which swarms of others it is: those are conversations of whoever asks it.
create policy swarm_agents_select on public.swarm_agents for select to authenticated
  using (swarm_id = any (array(select private.my_swarm_ids())));
create policy swarm_agents_insert on public.swarm_agents for insert to authenticated
  with check ((agent_id = any (array(select private.my_agent_ids()))
      or agent_id = any (array(select private.my_granted_agent_ids())))
    and swarm_id = any (array(select private.my_managed_swarm_ids())));
create policy swarm_agents_update on public.swarm_agents for update to authenticated
  using (swarm_id = any (array(select private.my_managed_swarm_ids()))
    or agent_id = any (array(select private.my_agent_ids())))
  with check (swarm_id = any (array(select private.my_managed_swarm_ids()))
    or agent_id = any (array(select private.my_agent_ids())));
create policy swarm_agents_delete on public.swarm_agents for delete to authenticated
  using (swarm_id = any (array(select private.my_managed_swarm_ids()))
    or agent_id = any (array(select private.my_agent_ids())));
create policy swarm_agents_service on public.swarm_agents to service_role, sb_service using (true) with check (true);

create trigger swarm_agents_a_require_swarm before insert on public.swarm_agents for each row
  when (new.swarm_id is null) execute function private.require_columns('swarm_id');
create trigger swarm_agents_a_require before insert on public.swarm_agents for each row
  when (new.agent_id is null) execute function private.require_columns('agent_id');
create trigger swarm_agents_check_agent before insert on public.swarm_agents for each row
  execute function private.check_agent_exists();
create trigger swarm_agents_prepare before insert or update on public.swarm_agents for each row
  execute function private.prepare_swarm_agent();
create trigger swarm_agents_assign_position before insert on public.swarm_agents for each row
  when (new.position is null) execute function private.assign_swarm_agent_position();
create trigger swarm_agents_stamp before insert or update on public.swarm_agents for each row
  execute function private.stamp_created();
create trigger swarm_agents_freeze before update on public.swarm_agents for each row
  when ((new.id, new.swarm_id, new.agent_id) is distinct from (old.id, old.swarm_id, old.agent_id))
  execute function private.reject_change('id', 'swarm_id', 'agent_id');
create trigger swarm_agents_freeze_managed before update on public.swarm_agents for each row
  when (current_user in ('anon', 'authenticated', 'api_key') and new.added_by is distinct from old.added_by)
  execute function private.reject_change('added_by');
create trigger swarm_agents_emit_added after insert on public.swarm_agents referencing new table as new_rows
  for each statement execute function private.emit_agent_added();
create trigger swarm_agents_emit_removed after delete on public.swarm_agents referencing old table as old_rows
  for each statement execute function private.emit_agent_removed();

create policy private_swarms_service on private.private_swarms to sb_service using (true) with check (true);
create policy shared_swarms_service on private.shared_swarms for select to sb_service using (true);
create policy outside_senders_service on private.outside_senders for select to sb_service using (true);
create policy hidden_swarms_service on private.hidden_swarms to sb_service using (true) with check (true);

-- The public part of members and agents, for members of a common swarm. Views read with the rights of the owner, so
-- they check the API key themselves.
create view public.public_profiles with (security_barrier) as
  select p.id, p.full_name, p.avatar_url from public.profiles p
  where (current_user = 'service_role' or p.id = (select auth.uid())
         or p.id = any (array(select private.my_co_member_ids())))
    and (select private.require_scopes('read')) is not null
    and ((select private.require_scopes('read')) or p.id in (
      select m.user_id from public.swarm_members m where m.swarm_id = any (array(select private.key_swarm_ids()))));
revoke insert, update, delete on public.public_profiles from service_role;
grant select on public.public_profiles to authenticated, service_role;

create view public.agent_cards with (security_barrier) as
  select a.id, a.name, a.role, a.avatar,
    -- Whoever asks an agent by a grant must not learn when others do.
    case when current_user = 'service_role' or a.user_id = (select auth.uid())
        or a.user_id = any (array(select private.my_co_member_ids())) then a.status
      else 'idle' end as status
  from public.agents a
  where (current_user = 'service_role' or a.user_id = (select auth.uid())
         or a.id in (select sa.agent_id from public.swarm_agents sa
                     where sa.swarm_id = any (array(select private.my_swarm_ids()))))
    and (select private.require_read_or_run()) is not null
    and ((select private.require_read_or_run()) or a.id = any (array(select private.key_agent_ids())));
revoke insert, update, delete on public.agent_cards from service_role;
grant select on public.agent_cards to authenticated, service_role;

-- What an invited person may see before they accept: the swarm, the role and the inviter. An inviter without a name is
-- shown by e-mail address, so that the invited person can tell who it is.
create view private.open_invitations with (security_barrier) as
  select m.id, m.swarm_id, s.name as swarm_name, m.role,
    coalesce(nullif(btrim(p.full_name), ''), u.email) as inviter_name, m.created_at,
         m.user_id, m.invited_email, m.expires_at
  from public.swarm_members m
  join public.swarms s on s.id = m.swarm_id
  left join auth.users u on u.id = m.invited_by and u.deleted_at is null
  left join public.profiles p on p.id = u.id
  where m.status = 'invited' and (m.expires_at is null or m.expires_at > now());
grant select on private.open_invitations to sb_service;

create view public.swarm_invitations with (security_barrier) as
  select i.* from (
    select i.id, i.swarm_id, i.swarm_name, i.role, i.inviter_name, i.created_at, i.expires_at
    from private.open_invitations i
    where current_user = 'service_role' or i.user_id = (select auth.uid())
       or (i.user_id is null and i.invited_email = (select private.my_proven_email()))) as i
  where (select private.require_scopes('read'));
revoke insert, update, delete on public.swarm_invitations from service_role;
grant select on public.swarm_invitations to authenticated, service_role;

-- Let a read embed members, agents and senders through these views, which lack the foreign key columns. Not in a
-- function file, because their signatures name views, which are created after the function files.
create function public.agent_cards(place public.swarm_agents) returns setof public.agent_cards rows 1
language sql stable
as $$ select c.* from public.agent_cards c where c.id = place.agent_id $$;
create function public.public_profiles(seat public.swarm_members) returns setof public.public_profiles rows 1
language sql stable
as $$ select p.* from public.public_profiles p where p.id = seat.user_id $$;
create function public.public_profiles(message public.messages) returns setof public.public_profiles rows 1
language sql stable
as $$ select p.* from public.public_profiles p where p.id = message.sender_user_id $$;
grant execute on function public.agent_cards(public.swarm_agents), public.public_profiles(public.swarm_members),
  public.public_profiles(public.messages) to authenticated, service_role;
