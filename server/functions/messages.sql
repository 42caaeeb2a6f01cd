-- Messages, their revisions, their flags, and how far they are read.

-- The sender is the caller, regardless of the request. The service names a user or an agent.
create or replace function private.set_message_sender()
returns trigger language plpgsql
as $$
begin
  if current_user in ('anon', 'authenticated', 'api_key') then
    new.sender_type := 'user';
    new.sender_user_id := auth.uid();
    -- Requests rarely have these, and one condition costs less than nine assignments.
    if new.flagged is distinct from false
       or pg_catalog.num_nonnulls(new.sender_agent_id, new.run_id, new.turn_id, new.finish_reason, new.sender_name,
         new.edited_at, new.deleted_at, new.deleted_by) > 0 then
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
  end if;
  if current_user in ('anon', 'authenticated', 'api_key', 'service_role') then
    new.created_at := now();
    new.data := null;
  elsif new.sender_deleted and new.sender_id is not null then
    -- The last message of an agent that was deleted during its turn.
    return new;
  end if;
  new.sender_deleted := false;
  new.sender_id := case new.sender_type when 'user' then new.sender_user_id when 'agent' then new.sender_agent_id end;
  if new.sender_type in ('user', 'agent') and new.sender_id is null then
    raise exception 'a message needs its sender'
      using errcode = 'check_violation', schema = 'public', table = 'messages', column = 'sender_' || new.sender_type
        || '_id',
            constraint = 'messages_sender_' || new.sender_type || '_id_present';
  end if;
  return new;
end
$$;

-- Rejects a caller without write access before the counter is locked: a rejected insert must not block a swarm. A
-- plpgsql function, because two triggers call it for every message, and an SQL function would be parsed each time.
create or replace function private.may_write_message(swarm_id uuid) returns boolean language plpgsql stable
as $$
begin
  -- A condition without a query costs far less, and agents write most messages.
  if current_user not in ('anon', 'authenticated', 'api_key') then
    return true;
  end if;
  return private.may_i_write(swarm_id);
end
$$;
grant execute on function private.may_write_message(uuid) to authenticated, sb_service, service_role;

-- The counter row stays locked until commit, so seq follows the commit order and keyset paging never skips a late
-- message. One statement reads everything: inserts are frequent, and each further one costs as much as this.
create or replace function private.prepare_message() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
declare
  moderation jsonb;
begin
  loop
    update private.message_counters counter set last_seq = counter.last_seq + 1
    from (
      select coalesce(new.sender_name,
          case new.sender_type
            when 'user' then (select nullif(p.full_name, '') from public.profiles p where p.id = new.sender_user_id)
            when 'agent' then (select a.name from public.agents a where a.id = new.sender_agent_id)
            else 'system' end,
          'User') as sender_name,
        (select s.settings -> 'moderation' from public.swarms s
         where s.id = new.swarm_id and new.content is not null) as moderation) as known
    where counter.swarm_id = new.swarm_id
    returning counter.last_seq, known.sender_name, known.moderation
    into new.seq, new.sender_name, moderation;
    exit when found;
    if not exists (select 1 from public.swarms s where s.id = new.swarm_id) then
      raise exception 'swarm % does not exist', new.swarm_id
        using errcode = 'foreign_key_violation', schema = 'public', table = 'messages', column = 'swarm_id',
              constraint = 'messages_swarm_id_fkey';
    end if;
    insert into private.message_counters (swarm_id, last_seq) values (new.swarm_id, 0)
    on conflict (swarm_id) do nothing;
  end loop;
  -- Set before the insert, so that the writer gets the row as it is stored.
  if moderation -> 'enabled' = 'true' then
    new.flagged := new.flagged or private.must_flag(new, moderation);
  end if;
  return new;
end
$$;

-- Stores the previous content as a revision, and marks messages whose author's account or agent was deleted.
create or replace function private.revise_message() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
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
    values (old.id, (select coalesce(max(r.revision), 0) + 1 from public.message_revisions r
      where r.message_id = old.id),
      old.swarm_id, old.content, auth.uid());
    new.edited_at := now();
    -- The value of the previous content.
    new.data := null;
  end if;
  return new;
end
$$;

-- Deleting a message leaves a tombstone. Deleting a swarm deletes its messages, and deleting a tombstone, which only
-- the service may do, removes it.
create or replace function private.soft_delete_message() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if old.deleted_at is not null or not exists (select 1 from public.swarms s where s.id = old.swarm_id) then
    return old;
  end if;
  delete from public.message_revisions r where r.message_id = old.id;
  update public.messages m
  set content = null, data = null, metadata = '{}', mentions = '{}', deleted_at = now(), deleted_by = auth.uid()
  where m.id = old.id;
  return null;
end
$$;

-- The events of a run repeat its messages for streams that start later. After a message is deleted, these events are
-- deleted, and such a stream gets the stored result of the run instead.
create or replace function private.delete_message_run_events() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.run_events e using public.runs r
  where r.swarm_id = new.swarm_id and (r.id = new.run_id or r.message_id = new.id)
    and r.status in ('completed', 'partial', 'failed', 'cancelled') and e.run_id = r.id;
  return null;
end
$$;

-- What is kept beside the text of a message is of the text before it was edited or deleted. The lock is that of
-- private.store_summary: a summary that is being stored is deleted as soon as it is.
create or replace function private.forget_message_text() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  delete from private.sent_tool_results s where s.swarm_id = new.swarm_id and s.seq = new.seq;
  perform pg_advisory_xact_lock(hashtextextended(new.swarm_id::text, 43));
  delete from public.conversation_summaries s where s.swarm_id = new.swarm_id and s.up_to_seq >= new.seq;
  return null;
end
$$;

create or replace function private.prepare_message_flag() returns trigger language plpgsql
as $$
begin
  if tg_op = 'INSERT' then
    if current_user in ('anon', 'authenticated', 'api_key') then
      new.source := 'user';
      new.guardrail_id := null;
      new.flagged_by := auth.uid();
      new.status := 'open';
      new.resolved_by := null;
      new.resolved_at := null;
    end if;
    return new;
  end if;
  if current_user in ('anon', 'authenticated', 'api_key') then
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

-- Runs with the rights of the caller: an invisible message and one that does not exist give the same error.
create or replace function private.assign_message_flag_swarm() returns trigger language plpgsql
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

-- A message is flagged while a flag on it is open or upheld.
create or replace function private.project_message_flags() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
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

create or replace function private.emit_messages_created() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  if not exists (select 1 from new_rows n
                 where exists (select 1 from public.swarm_members m
                               where m.swarm_id = n.swarm_id and m.status = 'active'
                                 and exists (select 1 from private.subscriptions w where w.user_id = m.user_id
                                   and 'message.created' = any (w.events) offset 0)
                               offset 0)) then
    return null;
  end if;
  insert into private.events (type, data, audience)
  select 'message.created',
    json_build_object('message_id', n.id, 'swarm_id', n.swarm_id, 'content', n.content, 'sender_type', n.sender_type,
      'sender_id', n.sender_id, 'sender_name', n.sender_name, 'run_id', n.run_id, 'reply_to_id', n.reply_to_id,
      'created_at', n.created_at, 'actor', case when private.get_change_context() ? 'acts_as_sender'
        then json_build_object('type', n.sender_type, 'id', n.sender_id) else private.get_actor() end),
    recipients.audience
  from new_rows n
  cross join lateral (select private.list_swarm_audience(n.swarm_id)) as recipients (audience)
  where private.is_subscribed('message.created', recipients.audience);
  return null;
end
$$;

create or replace function private.emit_messages_updated() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  if not exists (select 1 from new_rows n
                 where exists (select 1 from public.swarm_members m
                               where m.swarm_id = n.swarm_id and m.status = 'active'
                                 and exists (select 1 from private.subscriptions w where w.user_id = m.user_id
                                   and w.events && array['message.updated', 'message.deleted'] offset 0)
                               offset 0)) then
    return null;
  end if;
  insert into private.events (type, data, audience)
  select 'message.deleted',
    json_build_object('message_id', n.id, 'swarm_id', n.swarm_id, 'deleted_at', n.deleted_at,
      'actor', private.get_actor()),
    recipients.audience
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (select private.list_swarm_audience(n.swarm_id)) as recipients (audience)
  where n.deleted_at is not null and o.deleted_at is null
    and private.is_subscribed('message.deleted', recipients.audience);

  insert into private.events (type, data, audience)
  select 'message.updated',
    json_build_object('message_id', n.id, 'swarm_id', n.swarm_id, 'content', n.content,
      'changed_fields', changes.fields, 'edited_at', n.edited_at, 'actor', private.get_actor()),
    recipients.audience
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (
    select array_remove(array[
      case when n.content is distinct from o.content then 'content' end,
      case when n.content_type is distinct from o.content_type then 'content_type' end,
      case when n.metadata is distinct from o.metadata then 'metadata' end,
      case when n.mentions is distinct from o.mentions then 'mentions' end,
      case when o.flagged and not n.flagged then 'flagged' end], null)) as changes (fields)
  cross join lateral (select private.list_swarm_audience(n.swarm_id)) as recipients (audience)
  where n.deleted_at is null and cardinality(changes.fields) > 0
    and private.is_subscribed('message.updated', recipients.audience);
  return null;
end
$$;

-- Goes to those who may read the flag: the flagger and the swarm's owner and admins. The actor of a flag by moderation
-- or a guardrail is the system, not the author of the message.
create or replace function private.emit_messages_flagged() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.events (type, data, audience)
  select 'message.flagged',
    json_build_object('message_id', m.id, 'swarm_id', m.swarm_id, 'content', m.content,
      'flag', json_build_object('id', n.id, 'source', n.source, 'category', n.category, 'reason', n.reason),
      'actor', case when n.source <> 'user' then json_build_object('type', 'system', 'id', null)
        else private.get_actor() end),
    recipients.audience
  from new_rows n
  join public.messages m on m.id = n.message_id
  cross join lateral (
    select array(select s.user_id from public.swarm_members s
                 where s.swarm_id = m.swarm_id and s.status = 'active'
                   and (s.role in ('owner', 'admin') or s.user_id = n.flagged_by))) as recipients (audience)
  where private.is_subscribed('message.flagged', recipients.audience) and not private.is_hidden_swarm(m.swarm_id);
  return null;
end
$$;

-- Devices report how far they have read in any order: what was read stays read.
create or replace function private.keep_last_read_seq() returns trigger language plpgsql
as $$
begin
  new.last_read_seq := old.last_read_seq;
  return new;
end
$$;
