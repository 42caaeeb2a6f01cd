-- Event feeds: what a webhook would have been sent, in an order that readers can remember a place in.

-- Adds events, given by their place in private.events, to the feeds that subscribe to them, counts those that a filter
-- does not let pass, and returns how many entries it has made. The first step of a fan-out, which has locked the
-- events: it locks the positions of feeds in the order of their ids, before everything that it locks later, so that no
-- two fan-outs wait for each other.
create or replace function private.feed_events(places tid[]) returns integer language plpgsql volatile
set enable_seqscan = off set jit = off
as $$
declare
  made integer;
begin
  with addressed as materialized (
    select a.*, a.filter is null or private.passes_filter(a.filter, a.payload::jsonb) as passes
    from (
      select f.id as feed_id, e.seq, e.id as event_id, f.filter,
        private.render_envelope(e.id, e.type, e.created_at, f.api_version, e.data::text) as payload
      from (select * from private.events where ctid = any (places) offset 0) as e
      cross join lateral (
        select f.id, f.filter, f.api_version from public.event_feeds f
        where f.user_id = any (e.audience) and e.type = any (f.events)
          and (not e.is_for_app or f.receives_app_events)
        for key share) as f
      offset 0) as a
  ), advanced as (
    insert into private.event_feed_positions as feed (feed_id, position, skipped)
    select a.feed_id, count(*) filter (where a.passes), count(*) filter (where not a.passes)
    from addressed a group by a.feed_id order by a.feed_id
    on conflict (feed_id) do update
    set position = feed.position + excluded.position, skipped = feed.skipped + excluded.skipped
    returning feed.feed_id, feed.position
  )
  insert into private.event_feed_entries (feed_id, position, event_id, payload, bytes)
  select p.feed_id,
    a.position - count(*) over (partition by p.feed_id) + row_number() over (partition by p.feed_id order by p.seq),
    p.event_id, p.payload, octet_length(p.payload::text)
  from addressed p join advanced a on a.feed_id = p.feed_id where p.passes;
  get diagnostics made = row_count;
  return made;
end
$$;
grant execute on function private.feed_events(tid[]) to sb_service;

-- Rejects a feed that the caller does not own, as policies would: API keys need the scope `read`, and those that are
-- bound to resources see no feed.
create or replace function private.require_event_feed(feed_id uuid) returns void language plpgsql stable
as $$
begin
  if not private.require_scopes('read') or not exists (
    select 1 from public.event_feeds f
    where f.id = feed_id and (auth.role() = 'service_role' or f.user_id = auth.uid())) then
    perform private.reject_call('NOT_FOUND', 'The event feed does not exist',
      '{"feed_id": "is not the id of an event feed"}');
  end if;
end
$$;

create or replace function private.render_feed_cursor(feed_id uuid, place bigint) returns text
language sql immutable parallel safe
as $$ select pg_catalog.replace(feed_id::text, '-', '') || '_' || place $$;
grant execute on function private.render_feed_cursor(uuid, bigint) to authenticated, service_role;

-- Returns the position that a cursor stands for. Rejects cursors of other feeds and positions that the feed has not
-- reached: events would be missed.
create or replace function private.parse_feed_cursor(feed_id uuid, cursor text, member text) returns bigint
language plpgsql stable
as $$
declare
  place constant bigint := pg_catalog.substring(cursor, '_([0-9]{1,18})$')::bigint;
begin
  if place is null or cursor <> private.render_feed_cursor(feed_id, place) or place > coalesce(
    (select p.position from private.event_feed_positions p where p.feed_id = parse_feed_cursor.feed_id), 0) then
    perform private.reject_call('VALIDATION_ERROR', 'The cursor is not valid',
      pg_catalog.jsonb_build_object(member, 'must be a cursor that this feed has returned'));
  end if;
  return place;
end
$$;

-- Returns up to `max_rows` events after a cursor, or after the cursor of a consumer, or from the beginning: of at most
-- `max_bytes` in all, but at least one. `events` is the text of a JSON array. `lost`: how many events after the cursor
-- retention has deleted.
create or replace function private.read_event_feed(feed_id uuid, after text, consumer text, max_rows integer,
  max_bytes integer, out cursor text, out lost bigint, out events text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
declare
  start bigint;
  first_place bigint;
  last_place bigint;
begin
  perform private.require_event_feed(feed_id);
  start := case when after is not null then private.parse_feed_cursor(feed_id, after, 'after') else coalesce(
    (select c.position from private.event_feed_consumers c
     where c.feed_id = read_event_feed.feed_id and c.consumer = read_event_feed.consumer), 0) end;
  select min(e.place), max(e.place) filter (where e.place = e.first or e.total <= max_bytes)
  into first_place, last_place
  from (
    select found.place, min(found.place) over () as first, sum(found.bytes) over (order by found.place) as total
    from (
      select e.position as place, e.bytes from private.event_feed_entries e
      where e.feed_id = read_event_feed.feed_id and e.position > start
      order by e.position limit max_rows) as found) as e;
  select pg_catalog.string_agg(e.payload::text, ',' order by e.position) into events
  from private.event_feed_entries e
  where e.feed_id = read_event_feed.feed_id and e.position > start and e.position <= last_place;
  events := '[' || coalesce(events, '') || ']';
  -- What was read from the beginning was never there for this reader.
  lost := case when after is null and start = 0 then 0 else coalesce(first_place - start - 1, 0) end;
  cursor := private.render_feed_cursor(feed_id, coalesce(last_place, start));
end
$$;
grant execute on function private.read_event_feed(uuid, text, text, integer, integer) to authenticated, service_role;

-- Stores how far a consumer is.
create or replace function private.commit_event_feed(feed_id uuid, consumer text, cursor text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  place bigint;
begin
  perform private.require_scopes('write');
  perform private.require_event_feed(feed_id);
  place := private.parse_feed_cursor(feed_id, cursor, 'cursor');
  insert into private.event_feed_consumers as known (feed_id, consumer, position) values (feed_id, consumer, place)
  on conflict on constraint event_feed_consumers_pkey do update set position = excluded.position, updated_at = now();
  if (select count(*) > 100 from private.event_feed_consumers c where c.feed_id = commit_event_feed.feed_id) then
    perform private.reject_call('VALIDATION_ERROR', 'The feed has too many consumers',
      '{"consumer": "is one more than the 100 that a feed may have"}');
  end if;
end
$$;
grant execute on function private.commit_event_feed(uuid, text, text) to authenticated, service_role;
