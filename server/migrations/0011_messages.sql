-- Messages: what agents and people say in a swarm. They outlive their author, and a deleted one stays as a tombstone.

create table private.message_counters (
  swarm_id uuid constraint message_counters_pkey primary key
    constraint message_counters_swarm_id_fkey references public.swarms on delete cascade,
  last_seq bigint not null
) with (fillfactor = 50);

create table public.messages (
  id uuid default private.new_id() constraint messages_pkey primary key,
  swarm_id uuid not null constraint messages_swarm_id_fkey references public.swarms on delete cascade,
  seq bigint not null,
  sender_type text not null default 'user' constraint messages_sender_type_known check (sender_type in ('user', 'agent', 'system')),
  sender_id uuid,
  sender_user_id uuid constraint messages_sender_user_id_fkey references auth.users on delete set null,
  sender_agent_id uuid constraint messages_sender_agent_id_fkey references public.agents on delete set null,
  sender_name text not null,
  sender_deleted boolean not null default false,
  content text constraint messages_content_length check (char_length(content) between 1 and 100000),
  content_type text not null default 'text' constraint messages_content_type_known check (content_type in ('text', 'markdown')),
  reply_to_id uuid,
  run_id uuid,
  turn_id uuid,
  finish_reason text,
  mentions uuid[] not null default '{}' constraint messages_mentions_count check (cardinality(mentions) <= 100),
  metadata jsonb not null default '{}'
    constraint messages_metadata_object check (jsonb_typeof(metadata) = 'object')
    constraint messages_metadata_size check (octet_length(metadata::text) <= 32768),
  client_message_id text constraint messages_client_message_id_length check (char_length(client_message_id) between 1 and 255),
  edited_at timestamptz,
  deleted_at timestamptz,
  deleted_by uuid,
  flagged boolean not null default false,
  created_at timestamptz not null default now(),
  constraint messages_content_present check (content is not null or deleted_at is not null),
  constraint messages_swarm_id_id_key unique (swarm_id, id),
  constraint messages_swarm_id_seq_key unique (swarm_id, seq),
  constraint messages_client_message_id_key unique (swarm_id, sender_id, client_message_id),
  constraint messages_reply_to_id_fkey foreign key (swarm_id, reply_to_id)
    references public.messages (swarm_id, id) on delete set null (reply_to_id)
);
create index messages_sender_user_id_idx on public.messages (sender_user_id) where sender_user_id is not null;
create index messages_sender_agent_id_idx on public.messages (sender_agent_id) where sender_agent_id is not null;
create index messages_reply_to_id_idx on public.messages (swarm_id, reply_to_id) where reply_to_id is not null;
alter table public.messages replica identity using index messages_swarm_id_id_key;

create table public.message_revisions (
  message_id uuid not null,
  revision integer not null,
  swarm_id uuid not null,
  content text not null,
  edited_by uuid constraint message_revisions_edited_by_fkey references auth.users on delete set null,
  created_at timestamptz not null default now(),
  constraint message_revisions_pkey primary key (message_id, revision),
  constraint message_revisions_message_id_fkey foreign key (swarm_id, message_id)
    references public.messages (swarm_id, id) on delete cascade
);
create index message_revisions_swarm_id_idx on public.message_revisions (swarm_id, message_id);
create index message_revisions_edited_by_idx on public.message_revisions (edited_by) where edited_by is not null;

create table public.message_flags (
  id uuid default private.new_id() constraint message_flags_pkey primary key,
  message_id uuid not null,
  swarm_id uuid not null,
  source text not null default 'user' constraint message_flags_source_known check (source in ('user', 'moderation')),
  flagged_by uuid constraint message_flags_flagged_by_fkey references auth.users on delete set null,
  category text constraint message_flags_category_length check (char_length(category) <= 100),
  reason text constraint message_flags_reason_length check (char_length(reason) <= 1000),
  status text not null default 'open' constraint message_flags_status_known check (status in ('open', 'upheld', 'dismissed')),
  resolved_by uuid constraint message_flags_resolved_by_fkey references auth.users on delete set null,
  resolved_at timestamptz,
  created_at timestamptz not null default now(),
  constraint message_flags_message_id_flagged_by_key unique (message_id, flagged_by),
  constraint message_flags_message_id_fkey foreign key (swarm_id, message_id)
    references public.messages (swarm_id, id) on delete cascade
);
create index message_flags_swarm_id_idx on public.message_flags (swarm_id, message_id);
create index message_flags_flagged_by_idx on public.message_flags (flagged_by) where flagged_by is not null;
create index message_flags_resolved_by_idx on public.message_flags (resolved_by) where resolved_by is not null;
alter table public.message_flags replica identity full;

alter table private.message_counters enable row level security;
alter table public.messages enable row level security;
alter table public.message_revisions enable row level security;
alter table public.message_flags enable row level security;

create policy message_counters_service on private.message_counters to sb_service using (true) with check (true);

create policy messages_select on public.messages for select to authenticated
  using (swarm_id = any (array(select private.my_swarm_ids())));
create policy messages_insert on public.messages for insert to authenticated
  with check (sender_user_id = (select auth.uid()) and swarm_id = any (array(select private.my_writable_swarm_ids())));
create policy messages_update on public.messages for update to authenticated
  using (sender_user_id = (select auth.uid()) and deleted_at is null and swarm_id = any (array(select private.my_writable_swarm_ids())))
  with check (sender_user_id = (select auth.uid()) and swarm_id = any (array(select private.my_writable_swarm_ids())));
create policy messages_delete on public.messages for delete to authenticated
  using (deleted_at is null
         and ((sender_user_id = (select auth.uid()) and swarm_id = any (array(select private.my_swarm_ids())))
              or swarm_id = any (array(select private.my_managed_swarm_ids()))));
create policy messages_service on public.messages to service_role, sb_service using (true) with check (true);

create policy message_revisions_select on public.message_revisions for select to authenticated
  using (swarm_id = any (array(select private.my_swarm_ids())));
create policy message_revisions_service on public.message_revisions to service_role, sb_service using (true) with check (true);

create policy message_flags_select on public.message_flags for select to authenticated
  using (flagged_by = (select auth.uid()) or swarm_id = any (array(select private.my_managed_swarm_ids())));
create policy message_flags_insert on public.message_flags for insert to authenticated
  with check (flagged_by = (select auth.uid()) and source = 'user' and status = 'open'
              and swarm_id = any (array(select private.my_swarm_ids())));
create policy message_flags_update on public.message_flags for update to authenticated
  using (swarm_id = any (array(select private.my_managed_swarm_ids())))
  with check (swarm_id = any (array(select private.my_managed_swarm_ids())));
create policy message_flags_delete on public.message_flags for delete to authenticated
  using (flagged_by = (select auth.uid()) and status = 'open');
create policy message_flags_service on public.message_flags to service_role, sb_service using (true) with check (true);

grant select, insert, update, delete on public.messages, public.message_flags to authenticated, service_role, sb_service;
grant select on public.message_revisions to authenticated;
grant select, insert, update, delete on public.message_revisions to service_role, sb_service;
grant select, insert, update, delete on private.message_counters to sb_service;

-- The sender is the caller, whatever the request says. The service names a user or an agent.
create function private.sign_message() returns trigger language plpgsql
as $$
begin
  if current_user in ('anon', 'authenticated') then
    new.sender_type := 'user';
    new.sender_user_id := auth.uid();
    new.sender_agent_id := null;
    new.run_id := null;
    new.turn_id := null;
    new.finish_reason := null;
    new.sender_name := null;
    new.edited_at := null;
    new.deleted_at := null;
    new.deleted_by := null;
    new.flagged := false;
  end if;
  if current_user in ('anon', 'authenticated', 'service_role') then
    new.created_at := now();
  end if;
  new.sender_deleted := false;
  new.sender_id := case new.sender_type when 'user' then new.sender_user_id when 'agent' then new.sender_agent_id end;
  if new.sender_type in ('user', 'agent') and new.sender_id is null then
    raise exception 'a message needs its sender'
      using errcode = 'check_violation', schema = 'public', table = 'messages', column = 'sender_' || new.sender_type || '_id',
            constraint = 'messages_sender_' || new.sender_type || '_id_present';
  end if;
  return new;
end
$$;
create trigger messages_a_require before insert on public.messages for each row
  when (new.swarm_id is null) execute function private.require_columns('swarm_id');
create trigger messages_a_sign before insert on public.messages for each row execute function private.sign_message();

-- The counter row is locked until commit, so seq follows commit order and keyset paging never skips a late message.
create function private.number_message() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select 1 from public.swarms s where s.id = new.swarm_id) then
    raise exception 'swarm % does not exist', new.swarm_id
      using errcode = 'foreign_key_violation', schema = 'public', table = 'messages', column = 'swarm_id',
            constraint = 'messages_swarm_id_fkey';
  end if;
  insert into private.message_counters as counter (swarm_id, last_seq) values (new.swarm_id, 1)
  on conflict (swarm_id) do update set last_seq = counter.last_seq + 1
  returning last_seq into new.seq;
  if new.sender_name is null then
    new.sender_name := coalesce(
      case new.sender_type
        when 'user' then (select nullif(p.full_name, '') from public.profiles p where p.id = new.sender_user_id)
        when 'agent' then (select a.name from public.agents a where a.id = new.sender_agent_id)
        else 'system' end,
      'User ' || left(new.sender_id::text, 8));
  end if;
  return new;
end
$$;

-- A stranger is refused before the counter is touched: a refused insert must not lock a room it may not enter.
create function private.may_number_message(swarm_id uuid) returns boolean language sql stable
as $$
  select current_user not in ('anon', 'authenticated') or swarm_id = any (array(select private.my_writable_swarm_ids()))
$$;
grant execute on function private.may_number_message(uuid) to authenticated, service_role, sb_service;
create trigger messages_b_number before insert on public.messages for each row
  when (private.may_number_message(new.swarm_id)) execute function private.number_message();

create trigger messages_freeze before update on public.messages for each row
  when ((new.id, new.swarm_id, new.seq, new.sender_type, new.sender_id) is distinct from
        (old.id, old.swarm_id, old.seq, old.sender_type, old.sender_id))
  execute function private.refuse_change('id', 'swarm_id', 'seq', 'sender_type', 'sender_id');
create trigger messages_freeze_managed before update on public.messages for each row
  when (current_user in ('anon', 'authenticated') and
        (new.sender_user_id, new.sender_agent_id, new.sender_name, new.sender_deleted, new.reply_to_id, new.run_id, new.turn_id,
         new.finish_reason, new.client_message_id, new.deleted_at, new.deleted_by, new.flagged) is distinct from
        (old.sender_user_id, old.sender_agent_id, old.sender_name, old.sender_deleted, old.reply_to_id, old.run_id, old.turn_id,
         old.finish_reason, old.client_message_id, old.deleted_at, old.deleted_by, old.flagged))
  execute function private.refuse_change('sender_user_id', 'sender_agent_id', 'sender_name', 'sender_deleted', 'reply_to_id',
    'run_id', 'turn_id', 'finish_reason', 'client_message_id', 'deleted_at', 'deleted_by', 'flagged');

-- Keeps what was said before, and marks messages whose author's account or agent is gone.
create function private.revise_message() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if (old.sender_user_id is not null and new.sender_user_id is null)
     or (old.sender_agent_id is not null and new.sender_agent_id is null) then
    new.sender_deleted := true;
  end if;
  new.created_at := old.created_at;
  new.edited_at := old.edited_at;
  if new.content is distinct from old.content and old.content is not null and new.deleted_at is null then
    insert into public.message_revisions (message_id, revision, swarm_id, content, edited_by)
    values (old.id, (select coalesce(max(r.revision), 0) + 1 from public.message_revisions r where r.message_id = old.id),
      old.swarm_id, old.content, auth.uid());
    new.edited_at := now();
  end if;
  return new;
end
$$;
create trigger messages_revise before update on public.messages for each row execute function private.revise_message();

-- Deleting leaves a tombstone. A swarm that goes takes its messages along, and deleting a tombstone (the service alone may) clears it.
create function private.bury_message() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if old.deleted_at is not null or not exists (select 1 from public.swarms s where s.id = old.swarm_id) then
    return old;
  end if;
  delete from public.message_revisions r where r.message_id = old.id;
  update public.messages m
  set content = null, metadata = '{}', mentions = '{}', deleted_at = now(), deleted_by = auth.uid()
  where m.id = old.id;
  return null;
end
$$;
create trigger messages_bury before delete on public.messages for each row execute function private.bury_message();

create function private.prepare_message_flag() returns trigger language plpgsql
as $$
begin
  if tg_op = 'INSERT' then
    if current_user in ('anon', 'authenticated') then
      new.source := 'user';
      new.flagged_by := auth.uid();
      new.status := 'open';
      new.resolved_by := null;
      new.resolved_at := null;
    end if;
    return new;
  end if;
  if current_user in ('anon', 'authenticated') then
    new.resolved_by := old.resolved_by;
    new.resolved_at := old.resolved_at;
  end if;
  if new.status is distinct from old.status then
    new.resolved_at := case when new.status = 'open' then null else now() end;
    new.resolved_by := case when new.status = 'open' then null else coalesce(auth.uid(), new.resolved_by) end;
  end if;
  return new;
end
$$;
-- As the caller: to somebody who may not see it, a message that is hidden and one that never was are the same.
create function private.place_message_flag() returns trigger language plpgsql
as $$
begin
  select m.swarm_id into new.swarm_id from public.messages m where m.id = new.message_id and m.deleted_at is null;
  if not found then
    raise exception 'message % does not exist', new.message_id
      using errcode = 'foreign_key_violation', schema = 'public', table = 'message_flags', column = 'message_id',
            constraint = 'message_flags_message_id_fkey';
  end if;
  return new;
end
$$;
create trigger message_flags_a_require before insert on public.message_flags for each row
  when (new.message_id is null) execute function private.require_columns('message_id');
create trigger message_flags_place before insert on public.message_flags for each row execute function private.place_message_flag();
create trigger message_flags_prepare before insert or update on public.message_flags for each row
  execute function private.prepare_message_flag();
create trigger message_flags_stamp before insert or update on public.message_flags for each row
  when (current_user in ('anon', 'authenticated', 'service_role')) execute function private.stamp_created();
create trigger message_flags_freeze before update on public.message_flags for each row
  when (current_user in ('anon', 'authenticated', 'service_role') and
        (new.id, new.message_id, new.swarm_id, new.source, new.flagged_by, new.category, new.reason) is distinct from
        (old.id, old.message_id, old.swarm_id, old.source, old.flagged_by, old.category, old.reason))
  execute function private.refuse_change('id', 'message_id', 'swarm_id', 'source', 'flagged_by', 'category', 'reason');

-- A message is flagged while a flag on it is open or upheld.
create function private.project_message_flags() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  touched uuid[];
begin
  if tg_op = 'DELETE' then
    touched := array(select distinct o.message_id from old_rows o);
  else
    touched := array(select distinct n.message_id from new_rows n);
  end if;
  update public.messages m set flagged = state.flagged
  from (select t.message_id, exists (select 1 from public.message_flags f
                                     where f.message_id = t.message_id and f.status in ('open', 'upheld')) as flagged
        from unnest(touched) as t (message_id)) as state
  where m.id = state.message_id and m.flagged <> state.flagged;
  return null;
end
$$;
create trigger message_flags_a_project_insert after insert on public.message_flags referencing new table as new_rows
  for each statement execute function private.project_message_flags();
create trigger message_flags_a_project_update after update on public.message_flags referencing new table as new_rows
  for each statement execute function private.project_message_flags();
create trigger message_flags_a_project_delete after delete on public.message_flags referencing old table as old_rows
  for each statement execute function private.project_message_flags();

create function private.emit_messages_created() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.events (type, data, audience)
  select 'message.created',
    json_build_object('message_id', n.id, 'swarm_id', n.swarm_id, 'content', n.content, 'sender_type', n.sender_type,
      'sender_id', n.sender_id, 'sender_name', n.sender_name, 'run_id', n.run_id, 'reply_to_id', n.reply_to_id,
      'created_at', n.created_at, 'actor', private.actor()),
    room.audience
  from new_rows n
  cross join lateral (select private.swarm_audience(n.swarm_id)) as room (audience)
  where private.is_subscribed('message.created', room.audience);
  return null;
end
$$;
create trigger messages_emit_created after insert on public.messages referencing new table as new_rows
  for each statement execute function private.emit_messages_created();

create function private.emit_messages_updated() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select 1 from new_rows n
                 join public.swarm_members m on m.swarm_id = n.swarm_id and m.status = 'active'
                 join public.webhooks w on w.user_id = m.user_id
                 where w.is_active and w.events && array['message.updated', 'message.deleted']) then
    return null;
  end if;
  insert into private.events (type, data, audience)
  select 'message.deleted',
    json_build_object('message_id', n.id, 'swarm_id', n.swarm_id, 'deleted_at', n.deleted_at, 'actor', private.actor()),
    room.audience
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (select private.swarm_audience(n.swarm_id)) as room (audience)
  where n.deleted_at is not null and o.deleted_at is null and private.is_subscribed('message.deleted', room.audience);

  insert into private.events (type, data, audience)
  select 'message.updated',
    json_build_object('message_id', n.id, 'swarm_id', n.swarm_id, 'content', n.content, 'changed_fields', changes.fields,
      'edited_at', n.edited_at, 'actor', private.actor()),
    room.audience
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (
    select array_remove(array[
      case when n.content is distinct from o.content then 'content' end,
      case when n.content_type is distinct from o.content_type then 'content_type' end,
      case when n.metadata is distinct from o.metadata then 'metadata' end,
      case when n.mentions is distinct from o.mentions then 'mentions' end,
      case when o.flagged and not n.flagged then 'flagged' end], null)) as changes (fields)
  cross join lateral (select private.swarm_audience(n.swarm_id)) as room (audience)
  where n.deleted_at is null and cardinality(changes.fields) > 0 and private.is_subscribed('message.updated', room.audience);
  return null;
end
$$;
create trigger messages_emit_updated after update on public.messages referencing old table as old_rows new table as new_rows
  for each statement execute function private.emit_messages_updated();

-- Who flagged and why is for those who may read the flag: the flagger and the swarm's owner and admins.
create function private.emit_messages_flagged() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.events (type, data, audience)
  select 'message.flagged',
    json_build_object('message_id', m.id, 'swarm_id', m.swarm_id, 'content', m.content,
      'flag', json_build_object('id', n.id, 'source', n.source, 'category', n.category, 'reason', n.reason),
      'actor', private.actor()),
    room.audience
  from new_rows n
  join public.messages m on m.id = n.message_id
  cross join lateral (
    select array(select s.user_id from public.swarm_members s
                 where s.swarm_id = m.swarm_id and s.status = 'active'
                   and (s.role in ('owner', 'admin') or s.user_id = n.flagged_by))) as room (audience)
  where private.is_subscribed('message.flagged', room.audience);
  return null;
end
$$;
create trigger message_flags_emit_flagged after insert on public.message_flags referencing new table as new_rows
  for each statement execute function private.emit_messages_flagged();
