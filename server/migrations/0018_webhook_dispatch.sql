-- What the dispatcher needs beside the queue: why a delivery waits, when a lane is really due, webhooks that were enabled
-- again, and recoveries that outlive the process that began them.

alter table private.webhook_queue
  add column cause text not null default 'schedule'
    constraint webhook_queue_cause_known check (cause in ('schedule', 'manual', 'test', 'replay')),
  -- Attempts of earlier rounds do not count against the retries of this one.
  add column attempts_before integer not null default 0;

-- A pause outlasts whatever becomes due in the lane meanwhile.
alter table private.webhook_lanes
  add column warned_at timestamptz,
  add column due_at timestamptz generated always as (greatest(next_due_at, paused_until)) stored;
drop index private.webhook_lanes_due_idx;
create index webhook_lanes_due_idx on private.webhook_lanes (due_at);

-- For replays; ids are made in the order of time, so that it grows at one end only.
create index webhook_deliveries_event_id_idx on public.webhook_deliveries (event_id);

-- Enabling a webhook only leaves a note: a lane is locked by the dispatcher, never by a caller's transaction.
create table private.webhook_resumptions (
  id bigint generated always as identity constraint webhook_resumptions_pkey primary key,
  webhook_id uuid not null
);
alter table private.webhook_resumptions enable row level security;
create policy webhook_resumptions_service on private.webhook_resumptions to sb_service using (true) with check (true);
grant select, insert, update, delete on private.webhook_resumptions to sb_service;

create function private.note_resumption() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.webhook_resumptions (webhook_id) values (new.id);
  return null;
end
$$;
create trigger webhooks_note_resumption after update on public.webhooks for each row
  when (new.is_active and not old.is_active) execute function private.note_resumption();

-- Failed deliveries of a span of time are sent once more, batch by batch; the cursor moves in the transaction of its batch.
create table public.webhook_recoveries (
  id uuid default private.new_id() constraint webhook_recoveries_pkey primary key,
  webhook_id uuid not null,
  user_id uuid not null,
  since timestamptz not null,
  until timestamptz not null default now(),
  status text not null default 'running' constraint webhook_recoveries_status_known check (status in ('running', 'completed')),
  found integer not null default 0 constraint webhook_recoveries_found_range check (found >= 0),
  recovered integer not null default 0 constraint webhook_recoveries_recovered_range check (recovered >= 0),
  last_delivery_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  completed_at timestamptz,
  constraint webhook_recoveries_completed_at_only_completed check ((completed_at is not null) = (status = 'completed')),
  constraint webhook_recoveries_webhook_id_fkey foreign key (webhook_id, user_id)
    references public.webhooks (id, user_id) on delete cascade
);
create unique index webhook_recoveries_one_running_idx on public.webhook_recoveries (webhook_id) where status = 'running';
create index webhook_recoveries_webhook_id_idx on public.webhook_recoveries (webhook_id, user_id);
create index webhook_recoveries_user_id_idx on public.webhook_recoveries (user_id, created_at desc);
alter table public.webhook_recoveries enable row level security;
create policy webhook_recoveries_select on public.webhook_recoveries for select to authenticated
  using (user_id = (select auth.uid()));
create policy webhook_recoveries_service on public.webhook_recoveries to service_role, sb_service using (true) with check (true);
grant select on public.webhook_recoveries to authenticated;
grant select, insert, update, delete on public.webhook_recoveries to service_role, sb_service;

-- The three statements of the hot path are functions so that their plans are kept; a plan that was made while the queue was
-- empty must not read all of it later, hence the settings.

-- Turns the oldest events into deliveries, queue rows and due lanes, and removes the events; some of the newest too, so that
-- nobody waits until all of somebody else's hundred thousand are through. Webhooks are locked as their
-- foreign key would, before anything refers to them: one that is being deleted drops out.
create function private.fan_out_events(max_events integer, first_delay interval,
  out events integer, out deliveries integer, out has_resumptions boolean)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off
as $$
begin
  with taken as (
    delete from private.events e
    where e.seq in (
      select seq from (select seq from private.events order by seq limit max_events for update skip locked) as oldest
      union all
      select seq from (select seq from private.events order by seq desc limit max_events / 4 for update skip locked) as newest)
    returning e.seq, e.id, e.type, e.data, e.audience, e.created_at
  ), addressed as materialized (
    select e.seq, e.id as event_id, e.type, e.data, e.created_at, w.id as webhook_id, w.user_id, w.api_version
    from taken e
    join public.webhooks w on w.is_active and w.user_id = any (e.audience) and e.type = any (w.events)
    order by e.seq
    for key share of w
  ), written as materialized (
    select private.new_id() as delivery_id, a.*,
      ('{"id":"evt_' || a.event_id || '","type":' || to_json(a.type)
        || ',"created_at":"' || to_char(a.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        || '","api_version":' || to_json(a.api_version) || ',"data":' || a.data || '}')::json as payload
    from addressed a
  ), delivered as (
    insert into public.webhook_deliveries (id, webhook_id, user_id, event_id, event_type, payload)
    select delivery_id, webhook_id, user_id, event_id, type, payload from written
  ), queued as (
    insert into private.webhook_queue (delivery_id, webhook_id, event_seq, run_at)
    select delivery_id, webhook_id, seq, now() + first_delay from written
  ), lanes as (
    insert into private.webhook_lanes as lane (webhook_id, next_due_at)
    select distinct webhook_id, now() + first_delay from written order by webhook_id
    on conflict (webhook_id) do update set next_due_at = excluded.next_due_at
    where lane.next_due_at > excluded.next_due_at
  )
  select (select count(*) from taken), (select count(*) from written), exists (select 1 from private.webhook_resumptions)
  into events, deliveries, has_resumptions;
end
$$;

-- Takes due deliveries, few from each of the lanes that waited longest. Every statement in here has a snapshot of its own:
-- what is read after the lane is locked includes all that was committed before, so that no row is missed when the lane is
-- put to sleep. `lane_ids` and `lane_room` name lanes with other room than `lane_share`; room 0 passes a lane by.
create function private.claim_webhook_deliveries(
  new_claim uuid, lease interval, max_lanes integer, max_rows integer, lane_share integer,
  lane_ids uuid[], lane_room integer[], full_users uuid[])
returns table (
  id uuid, run_at timestamptz, webhook_id uuid, user_id uuid, event_id uuid, event_type text, body text, attempts integer,
  attempts_before integer, cause text, url text, secret text, previous_secrets text[], headers jsonb, retry_count integer,
  timeout_ms integer)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  resumed uuid[];
  lanes uuid[];
  gone uuid[];
  held uuid[];
  picked_ids uuid[];
  picked_run_at timestamptz[];
  found_rows integer;
begin
  with taken as (
    delete from private.webhook_resumptions r
    where r.id in (select id from private.webhook_resumptions order by id limit 100 for update skip locked)
    returning r.webhook_id)
  select array_agg(taken.webhook_id) into resumed from taken;
  if resumed is not null then
    perform 1 from private.webhook_lanes l where l.webhook_id = any (resumed) order by l.webhook_id for update;
    update private.webhook_lanes l
    set paused_until = null, next_due_at = least(l.next_due_at, now()), failing_since = null, failed_in_a_row = 0, warned_at = null
    where l.webhook_id = any (resumed);
  end if;

  select array_agg(chosen.webhook_id) into lanes
  from (
    select l.webhook_id
    from private.webhook_lanes l
    left join public.webhooks w on w.id = l.webhook_id
    left join unnest(lane_ids, lane_room) as known (id, room) on known.id = l.webhook_id
    where l.due_at <= now()
      and coalesce(known.room, 1) > 0
      and (w.user_id is null or w.user_id <> all (full_users))
    order by l.served_at
    limit max_lanes
    for update of l skip locked) as chosen;
  if lanes is null then
    return;
  end if;

  select array_agg(lane.id) filter (where w.id is null), array_agg(lane.id) filter (where not w.is_active)
  into gone, held
  from unnest(lanes) as lane (id)
  left join public.webhooks w on w.id = lane.id;
  if gone is not null then
    delete from private.webhook_queue q
    where q.delivery_id in (select delivery_id from private.webhook_queue where webhook_id = any (gone) limit 5000);
    delete from private.webhook_lanes l
    where l.webhook_id = any (gone) and not exists (select 1 from private.webhook_queue q where q.webhook_id = l.webhook_id);
  end if;
  if held is not null then
    update private.webhook_lanes l set paused_until = 'infinity' where l.webhook_id = any (held);
  end if;

  with picked as (
    select due.delivery_id, due.run_at
    from unnest(lanes) as lane (id)
    left join unnest(lane_ids, lane_room) as known (id, room) on known.id = lane.id
    cross join lateral (
      select q.delivery_id, q.run_at
      from private.webhook_queue q
      where q.webhook_id = lane.id and q.run_at <= now()
      order by q.run_at, q.event_seq
      limit coalesce(known.room, lane_share)
      for update skip locked) as due
    where lane.id <> all (coalesce(gone || held, '{}'))
    limit max_rows
  ), taken as (
    update private.webhook_queue q
    set claim = new_claim, lease_until = now() + lease, run_at = now() + lease
    from picked
    where q.delivery_id = picked.delivery_id
    returning q.delivery_id, picked.run_at
  )
  select array_agg(taken.delivery_id), array_agg(taken.run_at) into picked_ids, picked_run_at from taken;

  update private.webhook_lanes l
  set served_at = clock_timestamp(),
      next_due_at = coalesce((select min(q.run_at) from private.webhook_queue q where q.webhook_id = l.webhook_id), 'infinity')
  where l.webhook_id = any (lanes);
  if picked_ids is null then
    return;
  end if;

  return query
  select d.id, picked.run_at, d.webhook_id, d.user_id, d.event_id, d.event_type, d.payload::text, d.attempts,
    q.attempts_before, q.cause, w.url, w.secret,
    array(select p.secret from private.webhook_previous_secrets p
          where p.webhook_id = w.id and p.expires_at > now() order by p.created_at desc),
    w.headers, w.retry_count, w.timeout_ms
  from unnest(picked_ids, picked_run_at) as picked (id, run_at)
  join private.webhook_queue q on q.delivery_id = picked.id
  join public.webhook_deliveries d on d.id = picked.id
  join public.webhooks w on w.id = d.webhook_id
  order by q.event_seq, d.id;
  get diagnostics found_rows = row_count;
  if found_rows < cardinality(picked_ids) then
    delete from private.webhook_queue q
    where q.delivery_id = any (picked_ids)
      and not exists (select 1 from public.webhook_deliveries d where d.id = q.delivery_id);
  end if;
end
$$;

-- Records attempts, ends or reschedules their deliveries and moves their lanes on. A record whose claim is no longer held is
-- passed over. Rows are locked in the order queue, webhook, lane, the last by id; a lane is locked before its next time is
-- judged, so that a claim running beside cannot put it to sleep for longer.
create function private.record_webhook_attempts(
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
  select 'recorded', h.delivery_id, null from held h
  union all
  select 'disabled', disabled.id, disabled.disabled_reason from disabled
  union all
  select 'failing', lanes.webhook_id, lanes.failed_in_a_row::text from lanes where lanes.warned_at = now();
end
$$;

grant execute on function
  private.fan_out_events(integer, interval),
  private.claim_webhook_deliveries(uuid, interval, integer, integer, integer, uuid[], integer[], uuid[]),
  private.record_webhook_attempts(uuid[], uuid[], integer[], text[], integer[], text[], boolean[], text[], text[], integer[],
    text[], float8[], float8[], boolean[], integer, integer, integer)
  to sb_service;
