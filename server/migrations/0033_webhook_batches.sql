-- The same deliveries and outcomes for less. Events are removed where they were found instead of being looked up again, and
-- long columns are carried no further than they are needed. What is known of a webhook comes with the first of its
-- deliveries and is null with the others: a node reads it once, however many there are. Of outcomes only what somebody has
-- to hear about is answered.

drop function private.fan_out_events(integer, interval, uuid, interval, integer, integer, uuid[], integer[], uuid[]);

-- Turns the oldest events into deliveries, queue rows and due lanes, and removes the events; some of the newest too, so that
-- nobody waits until all of somebody else's hundred thousand are through. Webhooks are locked as their foreign key would,
-- before anything refers to them: one that is being deleted drops out. Without `new_claim` nothing is claimed. `lane_ids`
-- and `lane_room` name lanes with other room than `lane_share`. The first row says in its first four columns what was done,
-- and the others are the claimed deliveries, the oldest first.
create function private.fan_out_events(
  max_events integer, first_delay interval,
  new_claim uuid default null, lease interval default null, max_rows integer default 0, lane_share integer default 0,
  lane_ids uuid[] default '{}', lane_room integer[] default '{}', full_users uuid[] default '{}')
returns table (
  events integer, unclaimed integer, has_resumptions boolean, made_at timestamptz,
  id uuid, webhook_id uuid, event_id uuid, event_type text, body text,
  user_id uuid, url text, secret text, previous_secrets text[], headers jsonb, retry_count integer, timeout_ms integer)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
begin
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
grant execute on function
  private.fan_out_events(integer, interval, uuid, interval, integer, integer, uuid[], integer[], uuid[]) to sb_service;

create or replace function private.record_webhook_attempts(
  delivery_ids uuid[], claims uuid[], attempts integer[], statuses text[], status_codes integer[], response_bodies text[],
  are_truncated boolean[], error_codes text[], errors text[], response_times_ms integer[], urls text[],
  retry_delays_ms float8[], pauses_ms float8[], should_disable boolean[],
  failing_days integer, min_failures integer, warn_after_days integer)
returns table (kind text, id uuid, reason text)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
begin
  return query
  with given as (
    select * from unnest(delivery_ids, claims, attempts, statuses, status_codes, response_bodies, are_truncated, error_codes,
      errors, response_times_ms, urls, retry_delays_ms, pauses_ms, record_webhook_attempts.should_disable)
    as g (delivery_id, claim, attempt, status, status_code, response_body, is_truncated, error_code, error, response_time_ms,
      url, retry_delay_ms, pause_ms, disables)
  ), held as materialized (
    select g.*, q.webhook_id, q.cause, w.user_id,
      now() + g.retry_delay_ms * interval '1 millisecond' as retry_at,
      now() + g.pause_ms * interval '1 millisecond' as paused_until
    from given g
    join private.webhook_queue q on q.delivery_id = g.delivery_id and q.claim = g.claim
    join public.webhooks w on w.id = q.webhook_id
    order by g.delivery_id
    for update of q for key share of w
  ), updated as (
    update public.webhook_deliveries d
    set status = h.status, attempts = h.attempt, status_code = h.status_code, response_body = h.response_body,
      next_retry_at = h.retry_at, delivered_at = case when h.status = 'delivered' then now() end
    from held h
    where d.id = h.delivery_id
  ), logged as (
    insert into public.webhook_delivery_attempts (delivery_id, webhook_id, user_id, attempt, cause, url, status_code,
      error_code, error, response_body, response_truncated, response_time_ms)
    select h.delivery_id, h.webhook_id, h.user_id, h.attempt, h.cause, h.url, h.status_code,
      h.error_code, h.error, h.response_body, h.is_truncated, h.response_time_ms
    from held h
  ), ended as (
    delete from private.webhook_queue q using held h where q.delivery_id = h.delivery_id and h.retry_at is null
  ), rescheduled as (
    update private.webhook_queue q set run_at = h.retry_at, claim = null, lease_until = null
    from held h
    where q.delivery_id = h.delivery_id and h.retry_at is not null
  ), tally as materialized (
    select h.webhook_id,
      count(*) filter (where h.status = 'failed')::integer as failures,
      bool_or(h.status = 'delivered') as has_delivered,
      bool_or(h.disables) as disables,
      min(h.retry_at) as retry_at,
      max(h.paused_until) as paused_until
    from held h
    where h.cause <> 'test'
    group by h.webhook_id
  ), locked as materialized (
    select l.webhook_id
    from private.webhook_lanes l join tally t on t.webhook_id = l.webhook_id
    where t.failures > 0 or t.retry_at is not null or t.paused_until is not null or l.failed_in_a_row > 0
    order by l.webhook_id
    for update of l
  ), lanes as (
    update private.webhook_lanes l
    set next_due_at = least(l.next_due_at, t.retry_at),
      paused_until = greatest(l.paused_until, t.paused_until),
      failing_since = case when t.has_delivered then null when t.failures > 0 then coalesce(l.failing_since, now())
                      else l.failing_since end,
      failed_in_a_row = case when t.has_delivered then 0 else l.failed_in_a_row + t.failures end,
      warned_at = case when t.has_delivered then null
                  when t.failures > 0 and l.failing_since <= now() - warn_after_days * interval '1 day'
                    then coalesce(l.warned_at, now())
                  else l.warned_at end
    from locked k join tally t on t.webhook_id = k.webhook_id
    where l.webhook_id = k.webhook_id
    returning l.webhook_id, l.failing_since, l.failed_in_a_row, l.warned_at
  ), disabled as (
    update public.webhooks w
    set is_active = false, disabled_at = now(), updated_at = now(),
      disabled_reason = case when t.disables then 'endpoint_gone' else 'endpoint_failing' end
    from tally t left join lanes l on l.webhook_id = t.webhook_id
    where w.id = t.webhook_id and w.is_active
      and (t.disables
           or (l.failing_since <= now() - failing_days * interval '1 day' and l.failed_in_a_row >= min_failures))
    returning w.id, w.disabled_reason
  )
  select 'disabled', disabled.id, disabled.disabled_reason from disabled
  union all
  select 'failing', lanes.webhook_id, lanes.failed_in_a_row::text from lanes where lanes.warned_at = now();
end
$$;
