-- What a look costs. The statement behind `fan_out_events` has a dozen parts: planning it took a millisecond, more than making the
-- deliveries of a few events, and was done anew for every call, because a plan for the numbers at hand always looks cheaper.
-- Even without that it costs several times as much to set up as to see that no event is there, and most looks find none.

create or replace function private.fan_out_events(
  max_events integer, first_delay interval,
  new_claim uuid default null, lease interval default null, max_rows integer default 0, lane_share integer default 0,
  lane_ids uuid[] default '{}', lane_room integer[] default '{}', full_users uuid[] default '{}')
returns table (
  events integer, unclaimed integer, has_resumptions boolean, made_at timestamptz,
  id uuid, webhook_id uuid, event_id uuid, event_type text, body text,
  user_id uuid, url text, secret text, previous_secrets text[], headers jsonb, retry_count integer, timeout_ms integer)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  if not exists (select 1 from private.events) and not exists (select 1 from private.webhook_resumptions) then
    return query select 0, 0, false, now(), null::uuid, null::uuid, null::uuid, null, null,
      null::uuid, null, null, null::text[], null::jsonb, null::integer, null::integer;
    return;
  end if;
  return query
  with taken as (
    delete from private.events e
    where e.ctid = any (array(
      select ctid from (select ctid from private.events order by seq limit max_events for update skip locked) as oldest
      union all
      select ctid from (select ctid from private.events order by seq desc limit max_events / 4 for update skip locked) as newest))
    returning e.seq, e.id, e.type, e.data, e.audience, e.created_at
  ), addressed as materialized (
    select e.seq, e.id as event_id, e.type, e.data, e.created_at, w.id as webhook_id, w.user_id, w.api_version,
      w.url, w.secret, w.headers, w.retry_count, w.timeout_ms
    from taken e
    join public.webhooks w on w.is_active and w.user_id = any (e.audience) and e.type = any (w.events)
    for key share of w
  ), placed as (
    select *, row_number() over (partition by webhook_id order by seq) as place_in_lane,
      row_number() over (order by seq, webhook_id) as place
    from addressed
  ), written as materialized (
    select private.new_id() as delivery_id, a.seq, a.event_id, a.type, a.webhook_id, a.user_id,
      a.url, a.secret, a.headers, a.retry_count, a.timeout_ms, a.place_in_lane = 1 as is_first,
      ('{"id":"evt_' || a.event_id || '","type":' || to_json(a.type)
        || ',"created_at":"' || to_char(a.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        || '","api_version":' || to_json(a.api_version) || ',"data":' || a.data || '}')::json as payload,
      new_claim is not null and first_delay <= interval '0'
        and (l.webhook_id is null or (l.next_due_at > now() and coalesce(l.paused_until <= now(), true)))
        and a.user_id <> all (full_users)
        and a.place_in_lane <= coalesce(known.room, lane_share)
        and a.place <= max_rows as is_claimed
    from placed a
    left join private.webhook_lanes l on l.webhook_id = a.webhook_id
    left join unnest(lane_ids, lane_room) as known (id, room) on known.id = a.webhook_id
  ), delivered as (
    insert into public.webhook_deliveries (id, webhook_id, user_id, event_id, event_type, payload)
    select delivery_id, webhook_id, user_id, event_id, type, payload from written
  ), queued as (
    insert into private.webhook_queue (delivery_id, webhook_id, event_seq, run_at, claim, lease_until)
    select delivery_id, webhook_id, seq, now() + case when is_claimed then lease else first_delay end,
      case when is_claimed then new_claim end, case when is_claimed then now() + lease end
    from written
  ), lanes as (
    insert into private.webhook_lanes as lane (webhook_id, next_due_at)
    select webhook_id, now() + case when bool_and(is_claimed) then lease else first_delay end
    from written group by webhook_id order by webhook_id
    on conflict (webhook_id) do update set next_due_at = excluded.next_due_at
    where lane.next_due_at > excluded.next_due_at
  ), answered as (
    select (select count(*)::integer from taken) as events,
      (select count(*)::integer from written where not is_claimed) as unclaimed,
      exists (select 1 from private.webhook_resumptions) as has_resumptions, now() as made_at,
      null::bigint as seq, null::uuid as id, null::uuid as webhook_id, null::uuid as event_id, null as type, null as body,
      null::uuid as user_id, null as url, null as secret, null::text[] as previous_secrets, null::jsonb as headers,
      null::integer as retry_count, null::integer as timeout_ms
    union all
    select null, null, null, null, w.seq, w.delivery_id, w.webhook_id, w.event_id, w.type, w.payload::text,
      case when is_first then w.user_id end, case when is_first then w.url end, case when is_first then w.secret end,
      case when is_first then
        nullif(array(select p.secret from private.webhook_previous_secrets p
                     where p.webhook_id = w.webhook_id and p.expires_at > now() order by p.created_at desc), '{}') end,
      case when is_first then w.headers end, case when is_first then w.retry_count end,
      case when is_first then w.timeout_ms end
    from written w where w.is_claimed
  )
  select a.events, a.unclaimed, a.has_resumptions, a.made_at, a.id, a.webhook_id, a.event_id, a.type, a.body,
    a.user_id, a.url, a.secret, a.previous_secrets, a.headers, a.retry_count, a.timeout_ms
  from answered a
  order by a.seq nulls first;
end
$$;

alter function private.record_webhook_attempts(uuid[], uuid[], integer[], text[], integer[], text[], boolean[], text[], text[],
    integer[], text[], float8[], float8[], boolean[], integer, integer, integer)
  set plan_cache_mode = force_generic_plan;

-- As with updates: where nobody listens, the event is not even begun.
create or replace function private.emit_agent_created() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select 1 from new_rows n join public.webhooks w on w.user_id = n.user_id
                 where w.is_active and 'agent.created' = any (w.events)) then
    return null;
  end if;
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
