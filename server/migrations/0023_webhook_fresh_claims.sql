-- Events become deliveries that the node which made them may send at once: a claim in the same statement, instead of a second
-- one that finds, updates and reads what the first has just written. Only where that overtakes nobody: nothing is due in the
-- lane, it is not paused, and the node has room for it. All others wait for a claim as before.

drop function private.fan_out_events(integer, interval);

-- Nearly every delivery is updated once, soon after it was made: with room for that on its page no index has to follow.
alter table public.webhook_deliveries set (fillfactor = 50);

-- Turns the oldest events into deliveries, queue rows and due lanes, and removes the events; some of the newest too, so that
-- nobody waits until all of somebody else's hundred thousand are through. Webhooks are locked as their
-- foreign key would, before anything refers to them: one that is being deleted drops out. Without `new_claim` nothing is
-- claimed. `lane_ids` and `lane_room` name lanes with other room than `lane_share`. At least one row is returned, of which
-- the first three columns say what was done; the others are null when nothing was claimed.
create function private.fan_out_events(
  max_events integer, first_delay interval,
  new_claim uuid default null, lease interval default null, max_rows integer default 0, lane_share integer default 0,
  lane_ids uuid[] default '{}', lane_room integer[] default '{}', full_users uuid[] default '{}')
returns table (
  events integer, unclaimed integer, has_resumptions boolean,
  id uuid, run_at timestamptz, webhook_id uuid, user_id uuid, event_id uuid, event_type text, body text, attempts integer,
  attempts_before integer, cause text, url text, secret text, previous_secrets text[], headers jsonb, retry_count integer,
  timeout_ms integer)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
begin
  return query
  with taken as (
    delete from private.events e
    where e.seq in (
      select seq from (select seq from private.events order by seq limit max_events for update skip locked) as oldest
      union all
      select seq from (select seq from private.events order by seq desc limit max_events / 4 for update skip locked) as newest)
    returning e.seq, e.id, e.type, e.data, e.audience, e.created_at
  ), addressed as materialized (
    select e.seq, e.id as event_id, e.type, e.data, e.created_at, w.id as webhook_id, w.user_id, w.api_version,
      w.url, w.secret, w.headers, w.retry_count, w.timeout_ms
    from taken e
    join public.webhooks w on w.is_active and w.user_id = any (e.audience) and e.type = any (w.events)
    order by e.seq
    for key share of w
  ), written as materialized (
    select private.new_id() as delivery_id, a.*,
      ('{"id":"evt_' || a.event_id || '","type":' || to_json(a.type)
        || ',"created_at":"' || to_char(a.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        || '","api_version":' || to_json(a.api_version) || ',"data":' || a.data || '}')::json as payload,
      new_claim is not null and first_delay <= interval '0'
        and (l.webhook_id is null or (l.next_due_at > now() and coalesce(l.paused_until <= now(), true)))
        and a.user_id <> all (full_users)
        and row_number() over (partition by a.webhook_id order by a.seq) <= coalesce(known.room, lane_share)
        and row_number() over (order by a.seq, a.webhook_id) <= max_rows as is_claimed
    from addressed a
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
  )
  select done.events, done.unclaimed, done.has_resumptions,
    w.delivery_id, now(), w.webhook_id, w.user_id, w.event_id, w.type, w.payload::text, 0, 0, 'schedule', w.url, w.secret,
    case when w.delivery_id is not null then
      array(select p.secret from private.webhook_previous_secrets p
            where p.webhook_id = w.webhook_id and p.expires_at > now() order by p.created_at desc) end,
    w.headers, w.retry_count, w.timeout_ms
  from (
    select (select count(*)::integer from taken) as events,
      (select count(*)::integer from written where not is_claimed) as unclaimed,
      exists (select 1 from private.webhook_resumptions) as has_resumptions) as done
  left join written w on w.is_claimed
  order by w.seq;
end
$$;

grant execute on function private.fan_out_events(integer, interval, uuid, interval, integer, integer, uuid[], integer[], uuid[])
  to sb_service;
