-- Moderation: the blocklist of a swarm, applied to its messages.

-- Normalises text for comparison: removes differences of width and case, and invisible characters.
create or replace function private.normalize_text(value text) returns text language sql immutable strict parallel safe
as $$
  select pg_catalog.lower(pg_catalog.translate(pg_catalog.normalize(value, 'NFKC'),
    U&'\00AD\034F\061C\115F\1160\17B4\17B5\180B\180C\180D\180E\180F\200B\200C\200D\200E\200F\202A\202B\202C\202D\202E'
    '\2060\2061\2062\2063\2064\2065\2066\2067\2068\2069\206A\206B\206C\206D\206E\206F'
    '\FE00\FE01\FE02\FE03\FE04\FE05\FE06\FE07\FE08\FE09\FE0A\FE0B\FE0C\FE0D\FE0E\FE0F\FEFF\3164\FFA0', ''))
$$;
grant execute on function private.normalize_text(text) to authenticated, sb_service, service_role;

-- Returns the first term of the list that occurs in the text as a whole word, in any case. Terms are plain text:
-- characters with a meaning in patterns are escaped. A term that begins or ends with a character that is not part of
-- words needs no word boundary there.
create or replace function private.find_blocked_term(blocklist jsonb, content text) returns text
language plpgsql immutable strict parallel safe
as $$
declare
  normalized text := private.normalize_text(content);
  term text;
  wanted text;
begin
  if pg_catalog.jsonb_typeof(blocklist) <> 'array' then
    return null;
  end if;
  for term in select entry.value from pg_catalog.jsonb_array_elements_text(blocklist) as entry (value) loop
    wanted := private.normalize_text(private.trim_whitespace(term));
    -- A search for the plain text is much cheaper than a pattern, and most terms do not occur.
    continue when wanted = '' or pg_catalog.strpos(normalized, wanted) = 0;
    if normalized ~ ((case when wanted ~ '^\w' then '(?<!\w)' else '' end)
                 || pg_catalog.regexp_replace(wanted, '([^\w\s])', '\\\1', 'g')
                 || (case when wanted ~ '\w$' then '(?!\w)' else '' end)) then
      return term;
    end if;
  end loop;
  return null;
end
$$;

-- Returns what a reader of the message can see. The texts of a structured answer are escaped in its content: a line
-- that begins with a term, for example, has the characters \n before it.
create or replace function private.moderated_text(content text, data jsonb) returns text
language sql immutable parallel safe
as $$
  select case when data is null then content else pg_catalog.concat_ws(E'\n', content,
    (select pg_catalog.string_agg(texts.value #>> '{}', E'\n')
       from pg_catalog.jsonb_path_query(data, 'strict $.** ? (@.type() == "string")') as texts (value)),
    (select pg_catalog.string_agg(names.name, E'\n')
       from pg_catalog.jsonb_path_query(data, 'strict $.** ? (@.type() == "object")') as objects (value),
            pg_catalog.jsonb_object_keys(objects.value) as names (name))) end
$$;

-- Returns whether a message has a blocked term. Rejects such a message of a person, who can write it differently. The
-- message of an agent is flagged, because a run must end with what it has.
create or replace function private.must_flag(message public.messages, moderation jsonb) returns boolean
language plpgsql stable
as $$
begin
  if private.find_blocked_term(moderation -> 'blocklist', private.moderated_text(message.content, message.data)) is null
  then
    return false;
  end if;
  if message.sender_type = 'user' and moderation ->> 'action' = 'block' then
    raise exception 'the message has a term that this swarm does not allow'
      using errcode = 'check_violation', schema = 'public', table = 'messages', column = 'content',
            constraint = 'messages_content_blocked';
  end if;
  return true;
end
$$;

create or replace function private.moderate_message() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
declare
  moderation jsonb;
begin
  select s.settings -> 'moderation' into moderation from public.swarms s where s.id = new.swarm_id;
  if moderation -> 'enabled' = 'true' then
    new.flagged := new.flagged or private.must_flag(new, moderation);
  end if;
  return new;
end
$$;

create or replace function private.find_blocked_term_in_swarm(swarm_id uuid, content text) returns text
language sql stable
as $$
  select private.find_blocked_term(s.settings -> 'moderation' -> 'blocklist', content)
  from public.swarms s
  where s.id = swarm_id and s.settings -> 'moderation' -> 'enabled' = 'true'
$$;

create or replace function private.flag_blocked_message(message_id uuid, swarm_id uuid, term text) returns void
language sql volatile
as $$
  insert into public.message_flags (message_id, swarm_id, source, category, reason)
  select flag_blocked_message.message_id, flag_blocked_message.swarm_id, 'moderation', 'blocklist',
    'The blocklist has "' || term || '"'
  where not exists (select 1 from public.message_flags f
                    where f.message_id = flag_blocked_message.message_id and f.source = 'moderation'
                      and f.status = 'open')
$$;

-- Inserts one by one, and only if there is something to insert: an empty insert would fire the triggers of flags, which
-- fire this one again.
create or replace function private.flag_new_messages() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform private.flag_blocked_message(n.id, n.swarm_id, found.term)
  from new_rows n
  cross join lateral (
    select private.find_blocked_term_in_swarm(n.swarm_id, private.moderated_text(n.content, n.data))) as found (term)
  where n.flagged and found.term is not null;
  return null;
end
$$;

create or replace function private.flag_edited_messages() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform private.flag_blocked_message(n.id, n.swarm_id, found.term)
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (
    select private.find_blocked_term_in_swarm(n.swarm_id, private.moderated_text(n.content, n.data))) as found (term)
  where n.flagged and n.content is distinct from o.content and found.term is not null;
  return null;
end
$$;
