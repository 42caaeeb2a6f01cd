-- What a swarm's settings mean to the room itself: they are checked key by key, a blocklist moderates what is said, and
-- auto_respond lets agents answer a message that was only stored. Whoever leaves a room takes their agents along.

create function private.is_whole_number_between(value jsonb, low numeric, high numeric) returns boolean
language plpgsql immutable strict parallel safe
as $$
begin
  return case when pg_catalog.jsonb_typeof(value) <> 'number' then false
    else (value #>> '{}')::numeric between low and high
      and (value #>> '{}')::numeric = pg_catalog.trunc((value #>> '{}')::numeric) end;
end
$$;

-- A budget that is absent or null is no budget.
create function private.is_run_budget(value jsonb) returns boolean language plpgsql immutable strict parallel safe
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

create function private.is_moderation(value jsonb) returns boolean language plpgsql immutable strict parallel safe
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
        or pg_catalog.char_length(private.trimmed(term.value #>> '{}')) not between 1 and 200)
  end;
end
$$;

-- Keys that are not known here are kept as they are.
create function private.is_swarm_setting(name text, value jsonb) returns boolean language plpgsql immutable strict parallel safe
as $$
begin
  return case name
    when 'max_turns' then private.is_whole_number_between(value, 1, 50)
    when 'max_rounds' then private.is_whole_number_between(value, 1, 10)
    when 'max_tool_steps' then private.is_whole_number_between(value, 1, 25)
    when 'timeout_ms' then private.is_whole_number_between(value, 1000, 600000)
    when 'history_limit' then private.is_whole_number_between(value, 1, 500)
    when 'on_agent_error' then value in ('"continue"', '"stop"')
    when 'on_conflict' then value in ('"enqueue"', '"reject"', '"interrupt"')
    when 'budget' then private.is_run_budget(value)
    when 'moderation' then private.is_moderation(value)
    when 'auto_respond' then pg_catalog.jsonb_typeof(value) = 'boolean'
    else true
  end;
end
$$;
grant execute on function private.is_whole_number_between(jsonb, numeric, numeric), private.is_run_budget(jsonb),
  private.is_moderation(jsonb), private.is_swarm_setting(text, jsonb) to authenticated, service_role, sb_service;

-- Values that were stored before anybody looked at them never meant anything.
update public.swarms s
set settings = (select coalesce(jsonb_object_agg(kept.key, kept.value), '{}') from jsonb_each(s.settings) as kept
                where private.is_swarm_setting(kept.key, kept.value))
where exists (select 1 from jsonb_each(s.settings) as given where not private.is_swarm_setting(given.key, given.value));

do $do$
declare
  known text;
begin
  foreach known in array array['max_turns', 'max_rounds', 'max_tool_steps', 'timeout_ms', 'history_limit', 'on_agent_error',
    'on_conflict', 'budget', 'moderation', 'auto_respond']
  loop
    execute format('alter table public.swarms add constraint %I check (private.is_swarm_setting(%L, settings -> %L))',
      'swarms_settings_' || known, known, known);
  end loop;
end
$do$;

-- As it is read: neither width nor case tells two texts apart, nor do signs that nobody sees.
create function private.folded(value text) returns text language sql immutable strict parallel safe
as $$
  select pg_catalog.lower(pg_catalog.translate(pg_catalog.normalize(value, 'NFKC'),
    U&'\00AD\034F\061C\115F\1160\17B4\17B5\180B\180C\180D\180E\180F\200B\200C\200D\200E\200F\202A\202B\202C\202D\202E'
    '\2060\2061\2062\2063\2064\2065\2066\2067\2068\2069\206A\206B\206C\206D\206E\206F'
    '\FE00\FE01\FE02\FE03\FE04\FE05\FE06\FE07\FE08\FE09\FE0A\FE0B\FE0C\FE0D\FE0E\FE0F\FEFF\3164\FFA0', ''))
$$;
grant execute on function private.folded(text) to authenticated, service_role, sb_service;

-- The first term of the list that the text has as a word of its own, whatever the case. Terms are texts and never patterns: every
-- sign that could mean something in one is escaped. A term that begins or ends with a sign needs no border there.
create function private.find_blocked_term(blocklist jsonb, content text) returns text
language plpgsql immutable strict parallel safe
as $$
declare
  folded text := private.folded(content);
  term text;
  wanted text;
begin
  if pg_catalog.jsonb_typeof(blocklist) <> 'array' then
    return null;
  end if;
  for term in select entry.value from pg_catalog.jsonb_array_elements_text(blocklist) as entry (value) loop
    wanted := private.folded(private.trimmed(term));
    -- Most terms are nowhere in the text, and looking for one so is much cheaper than by a pattern.
    continue when wanted = '' or pg_catalog.strpos(folded, wanted) = 0;
    if folded ~ ((case when wanted ~ '^\w' then '(?<!\w)' else '' end)
                 || pg_catalog.regexp_replace(wanted, '([^\w\s])', '\\\1', 'g')
                 || (case when wanted ~ '\w$' then '(?!\w)' else '' end)) then
      return term;
    end if;
  end loop;
  return null;
end
$$;

-- A person can be asked to say it otherwise; what an agent said is flagged, because a run must end with what it has.
create function private.moderate_message() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  moderation jsonb;
begin
  select s.settings -> 'moderation' into moderation from public.swarms s where s.id = new.swarm_id;
  if moderation -> 'enabled' is distinct from 'true'
     or private.find_blocked_term(moderation -> 'blocklist', new.content) is null then
    return new;
  end if;
  if new.sender_type = 'user' and moderation ->> 'action' = 'block' then
    raise exception 'the message has a term that this swarm does not allow'
      using errcode = 'check_violation', schema = 'public', table = 'messages', column = 'content',
            constraint = 'messages_content_blocked';
  end if;
  -- Here already, so that whoever wrote it gets the row as it is stored.
  new.flagged := true;
  return new;
end
$$;
-- As with numbering: to somebody who may not write here, the list says nothing.
create trigger messages_c_moderate before insert on public.messages for each row
  when (new.content is not null and private.may_number_message(new.swarm_id)) execute function private.moderate_message();
create trigger messages_moderate before update on public.messages for each row
  when (new.content is not null and new.content is distinct from old.content) execute function private.moderate_message();

create function private.blocked_term_in(swarm_id uuid, content text) returns text language sql stable
as $$
  select private.find_blocked_term(s.settings -> 'moderation' -> 'blocklist', content)
  from public.swarms s
  where s.id = swarm_id and s.settings -> 'moderation' -> 'enabled' = 'true'
$$;

create function private.flag_blocked_message(message_id uuid, swarm_id uuid, term text) returns void language sql volatile
as $$
  insert into public.message_flags (message_id, swarm_id, source, category, reason)
  select flag_blocked_message.message_id, flag_blocked_message.swarm_id, 'moderation', 'blocklist',
    'The blocklist has "' || term || '"'
  where not exists (select 1 from public.message_flags f
                    where f.message_id = flag_blocked_message.message_id and f.source = 'moderation' and f.status = 'open')
$$;

-- One by one, and only where there is something: an empty insert would call the triggers of flags, which call this one again.
create function private.flag_new_messages() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform private.flag_blocked_message(n.id, n.swarm_id, found.term)
  from new_rows n
  cross join lateral (select private.blocked_term_in(n.swarm_id, n.content)) as found (term)
  where n.flagged and found.term is not null;
  return null;
end
$$;
create trigger messages_flag_blocked after insert on public.messages referencing new table as new_rows
  for each statement execute function private.flag_new_messages();

create function private.flag_edited_messages() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform private.flag_blocked_message(n.id, n.swarm_id, found.term)
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (select private.blocked_term_in(n.swarm_id, n.content)) as found (term)
  where n.flagged and n.content is distinct from o.content and found.term is not null;
  return null;
end
$$;
create trigger messages_flag_blocked_edit after update on public.messages referencing old table as old_rows new table as new_rows
  for each statement execute function private.flag_edited_messages();

-- Who wrote the message did not flag it: what moderation does is the system's.
create or replace function private.emit_messages_flagged() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.events (type, data, audience)
  select 'message.flagged',
    json_build_object('message_id', m.id, 'swarm_id', m.swarm_id, 'content', m.content,
      'flag', json_build_object('id', n.id, 'source', n.source, 'category', n.category, 'reason', n.reason),
      'actor', case when n.source = 'moderation' then json_build_object('type', 'system', 'id', null) else private.actor() end),
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

create index runs_auto_respond_idx on public.runs (swarm_id) where status = 'queued' and request ->> 'source' = 'auto_respond';

-- One waiting run answers all that was said until it starts. Its row is locked: if it starts at this moment, this waits and then sees
-- that it no longer waits; if it starts later, its turns see the message.
create function private.queue_auto_responses() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked record;
  new_run_id uuid;
begin
  for asked in
    select distinct on (n.swarm_id) n.swarm_id, n.id as message_id, n.sender_user_id, s.strategy, to_jsonb(n) as message
    from new_rows n
    join public.swarms s on s.id = n.swarm_id
    where n.sender_type = 'user' and n.run_id is null and n.deleted_at is null
      and s.status = 'active' and s.settings -> 'auto_respond' = 'true'
      and exists (select 1 from public.swarm_agents sa where sa.swarm_id = s.id and sa.enabled)
    order by n.swarm_id, n.seq desc
  loop
    perform 1 from public.runs r
    where r.swarm_id = asked.swarm_id and r.status = 'queued' and r.request ->> 'source' = 'auto_respond'
    for no key update;
    continue when found;
    insert into public.runs (swarm_id, user_id, message_id, strategy, request)
    values (asked.swarm_id, asked.sender_user_id, asked.message_id, asked.strategy, '{"source": "auto_respond"}')
    returning id into new_run_id;
    insert into private.run_leases (run_id) values (new_run_id);
    perform private.append_run_event(new_run_id, 'message.created',
      jsonb_build_object('message_id', asked.message_id, 'message', asked.message), null, false);
    perform private.append_run_event(new_run_id, 'run.queued', jsonb_build_object('status', 'queued', 'position', (
      select count(*) from public.runs r where r.swarm_id = asked.swarm_id and r.status = 'queued')), null, false);
  end loop;
  return null;
end
$$;
-- Only for rows that come over the interface: what the service stores by itself is part of a run already.
create trigger messages_queue_responses after insert on public.messages referencing new table as new_rows
  for each statement when (current_user in ('authenticated', 'service_role')) execute function private.queue_auto_responses();

-- Before the member goes, so that they are told of it too. Rows that vanish with the swarm or the account have their own ways.
create function private.withdraw_member_agents() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select 1 from public.swarms s where s.id = old.swarm_id)
     and exists (select 1 from auth.users u where u.id = old.user_id) then
    delete from public.swarm_agents sa where sa.swarm_id = old.swarm_id and sa.user_id = old.user_id;
  end if;
  return old;
end
$$;
create trigger swarm_members_withdraw_agents before delete on public.swarm_members for each row
  when (old.user_id is not null) execute function private.withdraw_member_agents();

-- An account that was emptied is nobody: it takes part in nothing any more, and nobody is left to answer for its agents.
create function private.withdraw_emptied_account() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.swarm_agents sa where sa.user_id = new.id;
  delete from public.swarm_members m where m.user_id = new.id and m.role <> 'owner';
  return null;
end
$$;
create trigger users_withdraw after update on auth.users for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function private.withdraw_emptied_account();

create or replace function private.emit_members_removed() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.events (type, data, audience)
  select 'user.removed',
    json_build_object('swarm_id', o.swarm_id, 'user_id', o.user_id, 'role', o.role,
      'reason', case when u.id is null or u.deleted_at is not null then 'account_deleted'
                     when o.user_id = auth.uid() then 'left' else 'removed' end,
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

-- Let a read embed who takes part and who spoke, as far as others may see them: neither view has the columns that foreign keys go by.
create function public.agent_cards(place public.swarm_agents) returns setof public.agent_cards rows 1 language sql stable
as $$ select c.* from public.agent_cards c where c.id = place.agent_id $$;
create function public.public_profiles(seat public.swarm_members) returns setof public.public_profiles rows 1 language sql stable
as $$ select p.* from public.public_profiles p where p.id = seat.user_id $$;
create function public.public_profiles(message public.messages) returns setof public.public_profiles rows 1 language sql stable
as $$ select p.* from public.public_profiles p where p.id = message.sender_user_id $$;
grant execute on function public.agent_cards(public.swarm_agents), public.public_profiles(public.swarm_members),
  public.public_profiles(public.messages) to authenticated, service_role;
