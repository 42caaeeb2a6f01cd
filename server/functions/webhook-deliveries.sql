-- The dispatcher's frequent statements are functions, so that PostgreSQL keeps their plans. A plan that was made for
-- empty tables must not read them completely later. So each statement starts with rows that it was given or has found
-- by an index, and looks up all others one by one:
--
-- - The planner settings leave only index scans.
-- - A lateral subquery with `offset 0` or a row lock is not flattened into a join, which could start with its table.
-- - An update finds the row of an id with `= any (array[id])`: an index serves it, but neither a hash nor a merge join.
--
-- An endpoint queue is the state of one webhook's deliveries (private.webhook_endpoint_queues). The deliveries
-- themselves wait in private.webhook_queue.

-- The upper bound closes windows that lie in the future because the clock was set back.
create or replace function private.is_send_window_open(opened_at timestamptz, moment timestamptz) returns boolean
language sql stable parallel safe
as $$ select opened_at > moment - interval '1 minute' and opened_at < moment + interval '1 minute' $$;
grant execute on function private.is_send_window_open(timestamptz, timestamptz) to sb_service;

-- Grants each user up to `wanted` sends from their window, which opens with the first send and lasts one minute. The
-- windows stay locked until the transaction ends. A request for 0 sends locks a window and returns what remains,
-- without opening it. `ends_at` and `left_ms` are null while no window is open.
create or replace function private.grant_webhook_sends(user_ids uuid[], wanted integer[], send_limit integer)
returns table (user_id uuid, granted integer, remaining integer, opened_at timestamptz, ends_at timestamptz,
  left_ms float8)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  -- Read once, so that all rows and columns use the same time. A window that another transaction opened while this one
  -- waited for its lock can have a later `opened_at`.
  moment constant timestamptz := clock_timestamp();
begin
  return query
  with counted as (
    insert into private.webhook_send_windows as w (user_id, opened_at, sent, granted)
    select asked.user_id, case when asked.sends > 0 then moment else '-infinity' end,
      least(asked.sends, send_limit), least(asked.sends, send_limit)
    from unnest(user_ids, wanted) as asked (user_id, sends)
    order by asked.user_id
    on conflict (user_id) do update
    set (opened_at, sent, granted) = (
      select case when here.is_open or excluded.granted = 0 then w.opened_at else moment end,
        here.sent + here.granted, here.granted
      from (
        select now_open.is_open, case when now_open.is_open then w.sent else 0 end as sent,
          case when now_open.is_open then greatest(least(excluded.granted, send_limit - w.sent), 0)
               else excluded.granted end as granted
        from (select private.is_send_window_open(w.opened_at, moment) as is_open) as now_open) as here)
    returning w.user_id, w.granted, w.sent, w.opened_at, private.is_send_window_open(w.opened_at, moment) as is_open
  )
  select c.user_id, c.granted, case when c.is_open then greatest(send_limit - c.sent, 0) else send_limit end,
    c.opened_at,
    case when c.is_open then c.opened_at + interval '1 minute' end,
    case when c.is_open then (extract(epoch from c.opened_at + interval '1 minute' - moment) * 1000)::float8 end
  from counted c;
end
$$;
grant execute on function private.grant_webhook_sends(uuid[], integer[], integer) to sb_service;

-- Returns sends that were granted but not made to their window if it is still open. Makes the endpoint queues due that
-- wait for the end of that window.
create or replace function private.refund_webhook_sends(
  user_ids uuid[], windows_opened_at timestamptz[], sends integer[]
) returns void
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  refunded uuid[];
  waiting uuid[];
begin
  perform 1 from private.webhook_send_windows w where w.user_id = any (user_ids) order by w.user_id for update;
  with given as (
    update private.webhook_send_windows w set sent = greatest(w.sent - back.sends, 0)
    from unnest(user_ids, windows_opened_at, sends) as back (user_id, opened_at, sends)
    where w.user_id = any (array[back.user_id]) and w.opened_at = back.opened_at
    returning w.user_id)
  select array_agg(given.user_id) into refunded from given;
  select array_agg(late.webhook_id) into waiting
  from (
    select h.id, h.ends_at
    from (
      select h.id, (select w.opened_at + interval '1 minute' from private.webhook_send_windows w
                    where w.user_id = h.user_id) as ends_at
      from public.webhooks h where h.user_id = any (refunded)) as h
    order by h.id
    offset 0) as h
  cross join lateral (
    select queue.webhook_id from private.webhook_endpoint_queues queue
    where queue.webhook_id = h.id and queue.next_due_at = h.ends_at
    for update) as late;
  update private.webhook_endpoint_queues queue set next_due_at = now() where queue.webhook_id = any (waiting);
end
$$;
grant execute on function private.refund_webhook_sends(uuid[], timestamptz[], integer[]) to sb_service;

-- Returns the start of the first window that can include the delivery at this position in its endpoint queue. Positions
-- count from 0.
create or replace function private.compute_earliest_send(
  ends_at timestamptz, queue_position bigint, send_limit integer)
returns timestamptz
language sql stable parallel safe
as $$ select ends_at + (queue_position / send_limit) * interval '1 minute' $$;
grant execute on function private.compute_earliest_send(timestamptz, bigint, integer) to sb_service;

-- Postpones the due endpoint queues of users without remaining sends until the window ends, and returns these queues.
-- Sets `scheduled_for` of the first 1,000 deliveries of each queue where it is null or has passed, and moves
-- `next_retry_at` of their retries. Skips locked rows, because the caller holds windows and endpoint queues.
create or replace function private.postpone_endpoint_queues(
  user_ids uuid[], until timestamptz[], send_limit integer
) returns uuid[]
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  queues uuid[];
  queues_until timestamptz[];
begin
  select array_agg(due.webhook_id), array_agg(due.ends_at) into queues, queues_until
  from (
    select queue.webhook_id, w.ends_at
    from (
      select w.id, spent.ends_at
      from unnest(user_ids, until) as spent (user_id, ends_at)
      cross join lateral (
        select w.id from public.webhooks w where w.user_id = spent.user_id and w.is_active offset 0) as w
      order by w.id
      offset 0) as w
    cross join lateral (
      select queue.webhook_id from private.webhook_endpoint_queues queue
      where queue.webhook_id = w.id and queue.next_due_at <= now()
      for update skip locked) as queue) as due;
  if queues is null then
    return '{}';
  end if;

  update private.webhook_endpoint_queues queue
  set next_due_at = greatest(spent.ends_at,
    coalesce((select min(q.run_at) from private.webhook_queue q where q.webhook_id = queue.webhook_id), 'infinity'))
  from unnest(queues, queues_until) as spent (id, ends_at)
  where queue.webhook_id = any (array[spent.id]);

  update public.webhook_deliveries d
  set scheduled_for = turns.scheduled_for, next_retry_at = case when d.status = 'retrying' then turns.scheduled_for end
  from (
    select waiting.delivery_id,
      private.compute_earliest_send(queue.ends_at, waiting.position, send_limit) as scheduled_for
    from unnest(queues, queues_until) as queue (id, ends_at)
    cross join lateral (
      select q.delivery_id, row_number() over (order by q.run_at, q.event_seq) - 1 as position
      from private.webhook_queue q
      where q.webhook_id = queue.id and q.run_at <= queue.ends_at and (q.claim is null or q.lease_until <= now())
      limit 1000) as waiting
    cross join lateral (
      select from private.webhook_queue q where q.delivery_id = waiting.delivery_id
      for no key update skip locked) as q
    cross join lateral (
      select from public.webhook_deliveries d
      where d.id = waiting.delivery_id and (d.scheduled_for is null or d.scheduled_for <= now())
      for no key update skip locked) as known
    limit 2000) as turns
  where d.id = any (array[turns.delivery_id]);
  if private.has_followers() then
    perform private.signal_deliveries(queues, null);
  end if;
  return queues;
end
$$;
grant execute on function private.postpone_endpoint_queues(uuid[], timestamptz[], integer) to sb_service;

create or replace function private.is_endpoint_queue_claimable(
  due_at timestamptz, capacity integer, user_id uuid, full_users uuid[]
) returns boolean
language sql stable parallel safe
as $$ select due_at <= now() and coalesce(capacity, 1) > 0 and (user_id is null or user_id <> all (full_users)) $$;
grant execute on function private.is_endpoint_queue_claimable(timestamptz, integer, uuid, uuid[]) to sb_service;

-- Grants sends for deliveries that are being created, given by user and webhook in sending order. Returns for each
-- webhook: how many of them may be sent now (null: all), when the window of its user ends, how many deliveries wait in
-- its endpoint queue already, and the window that was used.
create or replace function private.share_webhook_sends(user_ids uuid[], webhook_ids uuid[], send_limit integer)
returns table (webhook_id uuid, deliveries bigint, ends_at timestamptz, ahead bigint, opened_at timestamptz,
  left_ms float8)
language plpgsql volatile strict
as $$
#variable_conflict use_column
begin
  return query
  with granted as materialized (
    select g.*
    from (select array_agg(asked.user_id) as user_ids, array_agg(asked.sends) as sends
          from (select user_id, count(*)::integer as sends from unnest(user_ids) as made (user_id)
            group by user_id) as asked) as a
    cross join lateral private.grant_webhook_sends(a.user_ids, a.sends, send_limit) as g
  ), shares as (
    select turns.webhook_id, count(*) filter (where turns.turn <= turns.granted) as deliveries, count(*) as wanted,
      turns.ends_at, turns.opened_at, turns.left_ms
    from (
      select made.webhook_id, g.granted, g.ends_at, g.opened_at, g.left_ms,
        row_number() over (partition by made.user_id order by made.position) as turn
      from unnest(user_ids, webhook_ids) with ordinality as made (user_id, webhook_id, position)
      join granted g on g.user_id = made.user_id) as turns
    group by turns.webhook_id, turns.ends_at, turns.opened_at, turns.left_ms
  )
  select s.webhook_id, nullif(s.deliveries, s.wanted), s.ends_at,
    case when s.deliveries < s.wanted then
      (select count(*) from (select 1 from private.webhook_queue q
                             where q.webhook_id = s.webhook_id and q.run_at <= now() limit 10000) as few) end,
    s.opened_at, s.left_ms
  from shares s;
end
$$;
grant execute on function private.share_webhook_sends(uuid[], uuid[], integer) to sb_service;

-- Returns the body of a delivery. Inlined.
create or replace function private.render_envelope(
  event_id uuid, type text, created_at timestamptz, api_version text, data text
) returns json language sql stable parallel safe
as $$
  select ('{"id":"evt_' || event_id || '","type":' || to_json(type)
    || ',"created_at":"' || to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || '","api_version":' || to_json(api_version) || ',"data":' || data || '}')::json
$$;
grant execute on function private.render_envelope(uuid, text, timestamptz, text, text) to sb_service;

-- Counts events that filters did not let pass, given as one entry for each. The last locks that a fan-out takes, in the
-- order of their ids, so that no two fan-outs wait for each other.
create or replace function private.count_skipped_events(webhook_ids uuid[]) returns void language sql volatile
as $$
  insert into private.webhook_skips as counter (webhook_id, skipped)
  select skipped.webhook_id, count(*) from unnest(webhook_ids) as skipped (webhook_id)
  group by skipped.webhook_id order by skipped.webhook_id
  on conflict (webhook_id) do update set skipped = counter.skipped + excluded.skipped
$$;
grant execute on function private.count_skipped_events(uuid[]) to sb_service;

-- Turns the oldest events into deliveries and queue rows, makes their endpoint queues due, and deletes the events. Also
-- takes some of the newest events, so that an event does not wait for a large backlog of another user. Locks webhooks
-- as their foreign key does before rows refer to them, which excludes a webhook that is being deleted. Claims nothing
-- without `new_claim`. `queue_ids` and `queue_capacities` name endpoint queues whose capacity differs from
-- `default_capacity`. Claims no more than remains in the window of each user, the user's webhooks in turn, and
-- schedules the rest for later windows. `send_limit` 0 disables the limit. Events that a filter does not let pass
-- make no rows and are counted. With `is_traced`, an event without a trace context has the one of its run. Returns
-- counts; `claimed` has the claimed deliveries, the oldest first, and `targets` their webhooks, both null when nothing
-- was claimed; `fed` is how many entries of feeds were made.
--
-- It is one statement in one function: each step reads the rows of earlier steps, and PostgreSQL does not inline
-- functions that write or that read a CTE of the caller. Between functions, all bodies would pass in arrays.
create or replace function private.fan_out_events(
  max_events integer, first_delay interval,
  new_claim uuid default null, lease interval default null, max_rows integer default 0,
  default_capacity integer default 0, queue_ids uuid[] default '{}', queue_capacities integer[] default '{}',
  full_users uuid[] default '{}', send_limit integer default 0, is_traced boolean default false,
  out events integer, out unclaimed integer, out has_resumptions boolean, out made_at timestamptz, out claimed json,
  out targets json, out fed integer)
language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  places tid[];
  has_feeds boolean;
  skipped uuid[];
begin
  select array(
      select ctid from (select ctid from private.events order by seq limit max_events for update skip locked) as oldest
      union all
      select ctid from (select ctid from private.events order by seq desc
        limit max_events / 4 for update skip locked) as newest),
    exists (select 1 from public.event_feeds)
  into places, has_feeds;
  fed := 0;
  if places = '{}' and not exists (select 1 from private.webhook_resumptions) then
    events := 0;
    unclaimed := 0;
    has_resumptions := false;
    return;
  end if;
  if has_feeds then
    fed := private.feed_events(places);
  end if;
  with taken as (
    delete from private.events e
    where e.ctid = any (places)
    returning e.seq, e.id, e.type, e.data, e.audience, e.created_at, e.is_for_app,
      coalesce(e.traceparent, case when is_traced then private.find_run_traceparent(e.type, e.data) end) as traceparent
  ), addressed as materialized (
    select a.*, a.filter is null or private.passes_filter(a.filter, a.payload::jsonb) as passes
    from (
      select e.seq, e.id as event_id, e.type, e.traceparent, w.id as webhook_id, w.user_id, w.filter,
        coalesce(case when e.type = 'run.updated' then (w.bodies -> (e.data ->> 'status'))::json end,
          private.render_envelope(e.id, e.type, e.created_at, w.api_version, e.data::text)) as payload
      from taken e
      cross join lateral (
        select w.id, w.user_id, w.api_version, w.bodies, w.filter
        from public.webhooks w
        where w.is_active and w.user_id = any (e.audience) and e.type = any (w.events)
          and (w.run_id is null or w.run_id = private.parse_uuid(e.data ->> 'run_id'))
          and (not e.is_for_app or w.receives_app_events)
        for key share) as w
      offset 0) as a
  ), placed as (
    select *, row_number() over (partition by webhook_id order by seq) as queue_position,
      row_number() over (order by seq, webhook_id) as position
    from addressed
    where passes
  ), written as materialized (
    select private.new_id() as delivery_id, a.seq, a.event_id, a.type, a.traceparent, a.webhook_id, a.user_id,
      a.payload, a.queue_position,
      new_claim is not null and first_delay <= interval '0'
        and (queue.webhook_id is null or (queue.next_due_at > now() and coalesce(queue.paused_until <= now(), true)))
        and a.user_id <> all (full_users)
        and a.queue_position <= coalesce(queue_capacities[array_position(queue_ids, a.webhook_id)], default_capacity)
        and a.position <= max_rows as is_claimable
    from placed a
    left join lateral (
      select queue.webhook_id, queue.next_due_at, queue.paused_until from private.webhook_endpoint_queues queue
      where queue.webhook_id = a.webhook_id
      offset 0) as queue on true
  ), allowed as materialized (
    select w.*, queue.opened_at, queue.left_ms,
      w.is_claimable and coalesce(w.queue_position <= queue.deliveries, true) as is_claimed,
      case when w.queue_position > queue.deliveries then queue.ends_at end as sleeps_until,
      case when w.queue_position > queue.deliveries then
        private.compute_earliest_send(queue.ends_at, queue.ahead + w.queue_position - queue.deliveries - 1, send_limit)
      end as scheduled_for
    from written w
    left join private.share_webhook_sends(
        (select array_agg(user_id order by queue_position, seq) from written where is_claimable and send_limit > 0),
        (select array_agg(webhook_id order by queue_position, seq) from written where is_claimable and send_limit > 0),
        send_limit) as queue on queue.webhook_id = w.webhook_id
  ), delivered as (
    insert into public.webhook_deliveries (id, webhook_id, user_id, event_id, event_type, payload, scheduled_for)
    select delivery_id, webhook_id, user_id, event_id, type, payload, scheduled_for from allowed
  ), queued as (
    insert into private.webhook_queue (delivery_id, webhook_id, event_seq, run_at, claim, lease_until, traceparent)
    select delivery_id, webhook_id, seq, now() + case when is_claimed then lease else first_delay end,
      case when is_claimed then new_claim end, case when is_claimed then now() + lease end, traceparent
    from allowed
  ), queues as (
    insert into private.webhook_endpoint_queues as queue (webhook_id, next_due_at)
    select webhook_id, min(case when is_claimed then now() + lease else coalesce(sleeps_until, now() + first_delay) end)
    from allowed group by webhook_id order by webhook_id
    on conflict (webhook_id) do update set next_due_at = excluded.next_due_at
    where queue.next_due_at > excluded.next_due_at
  )
  select (select count(*) from taken),
    (select count(*) from allowed where not is_claimed and sleeps_until is null),
    exists (select 1 from private.webhook_resumptions), now(),
    (select json_agg(c) from (
      select w.delivery_id as id, w.webhook_id, w.event_id, w.type as event_type, w.payload::text as body, w.traceparent
      from allowed w where w.is_claimed
      order by w.seq) as c),
    (select json_agg(t) from (
      select h.id as webhook_id, h.user_id, h.url, h.secret,
        array(select p.secret from private.webhook_previous_secrets p
              where p.webhook_id = h.id and p.expires_at > now() order by p.created_at desc) as previous_secrets,
        h.headers, h.retry_count, h.timeout_ms, w.opened_at::text as window_opened_at, w.left_ms as window_left_ms
      from allowed w
      cross join lateral (
        select h.id, h.user_id, h.url, h.secret, h.headers, h.retry_count, h.timeout_ms from public.webhooks h
        where h.id = w.webhook_id
        offset 0) as h
      where w.is_claimed and w.queue_position = 1) as t),
    array(select a.webhook_id from addressed a where not a.passes)
  into events, unclaimed, has_resumptions, made_at, claimed, targets, skipped
  -- After the first write, so that the check of followers is not older than the transaction.
  where case when (select count(*) from taken) > 0 and private.has_followers()
    then (select private.signal_deliveries(array_agg(w.webhook_id), array_agg(w.delivery_id)) from allowed w)
    else true end;
  if skipped <> '{}' then
    perform private.count_skipped_events(skipped);
  end if;
end
$$;
grant execute on function private.fan_out_events(integer, interval, uuid, interval, integer, integer, uuid[],
  integer[], uuid[], integer, boolean) to sb_service;

-- The steps of claim_webhook_deliveries, which alone calls them. They run with its settings.

create or replace function private.take_webhook_resumptions() returns uuid[] language sql volatile
as $$
  with taken as (
    delete from private.webhook_resumptions r
    where r.id in (select id from private.webhook_resumptions order by id limit 100 for update skip locked)
    returning r.webhook_id)
  select array_agg(taken.webhook_id) from taken
$$;
grant execute on function private.take_webhook_resumptions() to sb_service;

-- Returns the users of the due and of the resumed webhooks, with their remaining sends. Windows are locked before
-- endpoint queues, so this runs before any endpoint queue is locked.
create or replace function private.read_due_webhook_users(
  max_queues integer, queue_ids uuid[], queue_capacities integer[], full_users uuid[], resumed uuid[],
  send_limit integer, out users uuid[], out users_left integer[])
language plpgsql volatile
as $$
begin
  select array_agg(distinct due.user_id) into users
  from (
    (select w.user_id
     from private.webhook_endpoint_queues queue
     cross join lateral (select w.user_id from public.webhooks w where w.id = queue.webhook_id offset 0) as w
     where private.is_endpoint_queue_claimable(queue.due_at,
       queue_capacities[array_position(queue_ids, queue.webhook_id)], w.user_id, full_users)
     order by queue.served_at
     limit max_queues)
    union all
    select w.user_id from public.webhooks w where w.id = any (resumed)) as due;
  if users is not null then
    select array_agg(g.user_id), array_agg(g.remaining) into users, users_left
    from private.grant_webhook_sends(users, array_fill(0, array[cardinality(users)]), send_limit) as g;
  end if;
end
$$;
grant execute on function private.read_due_webhook_users(integer, uuid[], integer[], uuid[], uuid[], integer)
  to sb_service;

create or replace function private.resume_endpoint_queues(resumed uuid[]) returns void language plpgsql volatile
as $$
begin
  perform 1 from private.webhook_endpoint_queues where webhook_id = any (resumed) order by webhook_id for update;
  update private.webhook_endpoint_queues queue
  set paused_until = null, next_due_at = least(queue.next_due_at, now()), failing_since = null, failed_in_a_row = 0,
    warned_at = null
  where queue.webhook_id = any (resumed);
end
$$;
grant execute on function private.resume_endpoint_queues(uuid[]) to sb_service;

-- Deletes the endpoint queues of deleted webhooks and pauses those of disabled ones. Returns the others in the same
-- order.
create or replace function private.clear_endpoint_queues(queues uuid[]) returns uuid[] language plpgsql volatile
as $$
declare
  deleted uuid[];
  disabled uuid[];
begin
  select array_agg(queue.id) filter (where w.id is null), array_agg(queue.id) filter (where not w.is_active)
  into deleted, disabled
  from unnest(queues) as queue (id)
  left join lateral (select w.id, w.is_active from public.webhooks w where w.id = queue.id offset 0) as w on true;
  if deleted is not null then
    delete from private.webhook_queue q
    where q.delivery_id = any (array(
      select delivery_id from private.webhook_queue where webhook_id = any (deleted) limit 5000));
    delete from private.webhook_endpoint_queues queue
    where queue.webhook_id = any (deleted)
      and not exists (select 1 from private.webhook_queue q where q.webhook_id = queue.webhook_id);
  end if;
  if disabled is not null then
    update private.webhook_endpoint_queues queue set paused_until = 'infinity' where queue.webhook_id = any (disabled);
  end if;
  if deleted is null and disabled is null then
    return queues;
  end if;
  return array(select queue.id from unnest(queues) as queue (id) where queue.id <> all (deleted || disabled));
end
$$;
grant execute on function private.clear_endpoint_queues(uuid[]) to sb_service;

-- Divides the remaining sends of each user among the user's endpoint queues, one delivery of each in turn.
create or replace function private.divide_webhook_sends(
  queues uuid[], users uuid[], users_left integer[], known_ids uuid[], known_capacities integer[],
  default_capacity integer, out queue_ids uuid[], out queue_capacities integer[])
language plpgsql volatile
as $$
begin
  select array_agg(queue.id), array_agg(coalesce(share.deliveries, 0)) into queue_ids, queue_capacities
  from unnest(queues) as queue (id)
  left join (
    select turns.id, count(*)::integer as deliveries
    from (
      select queue.id, w.sends, row_number() over (partition by w.user_id order by due.position, queue.position) as turn
      from unnest(queues) with ordinality as queue (id, position)
      cross join lateral (
        select w.user_id, users_left[array_position(users, w.user_id)] as sends
        from public.webhooks w where w.id = queue.id and w.user_id = any (users)
        offset 0) as w
      cross join lateral (
        select row_number() over (order by q.run_at, q.event_seq) as position
        from private.webhook_queue q
        where q.webhook_id = queue.id and q.run_at <= now()
        limit least(coalesce(known_capacities[array_position(known_ids, queue.id)], default_capacity), w.sends)) as due
    ) as turns
    where turns.turn <= turns.sends
    group by turns.id) as share on share.id = queue.id;
end
$$;
grant execute on function private.divide_webhook_sends(uuid[], uuid[], integer[], uuid[], integer[], integer)
  to sb_service;

-- Counts the claimed deliveries in the windows of these users and postpones the endpoint queues of users without
-- remaining sends.
create or replace function private.count_claimed_sends(
  users uuid[], claimed_ids uuid[], send_limit integer,
  out user_ids uuid[], out opened_at timestamptz[], out left_ms float8[], out postponed uuid[])
language plpgsql volatile
as $$
declare
  spent_users uuid[];
  spent_until timestamptz[];
begin
  with taken as (
    select w.user_id, count(*)::integer as sends
    from private.webhook_queue q
    cross join lateral (select w.user_id from public.webhooks w where w.id = q.webhook_id offset 0) as w
    where q.delivery_id = any (claimed_ids)
    group by w.user_id
  ), counted as (
    select g.*
    from (select array_agg(u.id) as ids, array_agg(coalesce(t.sends, 0)) as sends
          from unnest(users) as u (id) left join taken t on t.user_id = u.id) as a
    cross join lateral private.grant_webhook_sends(a.ids, a.sends, send_limit) as g
  )
  select array_agg(c.user_id), array_agg(c.opened_at), array_agg(c.left_ms),
    array_agg(c.user_id) filter (where c.remaining = 0), array_agg(c.ends_at) filter (where c.remaining = 0)
  into user_ids, opened_at, left_ms, spent_users, spent_until
  from counted c;
  postponed := '{}';
  if spent_users is not null then
    postponed := private.postpone_endpoint_queues(spent_users, spent_until, send_limit);
  end if;
end
$$;
grant execute on function private.count_claimed_sends(uuid[], uuid[], integer) to sb_service;

-- Locks due endpoint queues, those that waited longest first. With a send limit, only those of these users.
create or replace function private.lock_due_endpoint_queues(
  max_queues integer, queue_ids uuid[], queue_capacities integer[], full_users uuid[], users uuid[], send_limit integer)
returns uuid[] language plpgsql volatile
as $$
declare
  queues uuid[];
begin
  select array_agg(chosen.webhook_id) into queues
  from (
    select queue.webhook_id
    from private.webhook_endpoint_queues queue
    left join lateral (select w.user_id from public.webhooks w where w.id = queue.webhook_id offset 0) as w on true
    where private.is_endpoint_queue_claimable(queue.due_at,
        queue_capacities[array_position(queue_ids, queue.webhook_id)], w.user_id, full_users)
      and (send_limit = 0 or w.user_id is null or w.user_id = any (users))
    order by queue.served_at
    limit max_queues
    for update of queue skip locked) as chosen;
  return queues;
end
$$;
grant execute on function private.lock_due_endpoint_queues(integer, uuid[], integer[], uuid[], uuid[], integer)
  to sb_service;

-- Claims due deliveries of these endpoint queues. Returns their ids and when they were due.
create or replace function private.take_due_deliveries(
  queues uuid[], queue_ids uuid[], queue_capacities integer[], default_capacity integer, max_rows integer,
  new_claim uuid, lease interval, out ids uuid[], out due_at timestamptz[])
language plpgsql volatile
as $$
begin
  with picked as materialized (
    select due.delivery_id, due.run_at
    from unnest(queues) as queue (id)
    cross join lateral (
      select q.delivery_id, q.run_at
      from private.webhook_queue q
      where q.webhook_id = queue.id and q.run_at <= now()
      order by q.run_at, q.event_seq
      limit coalesce(queue_capacities[array_position(queue_ids, queue.id)], default_capacity)
      for update skip locked) as due
    limit max_rows
  ), taken as (
    update private.webhook_queue q
    set claim = new_claim, lease_until = now() + lease, run_at = now() + lease
    where q.delivery_id = any (array(select p.delivery_id from picked p))
  )
  select array_agg(p.delivery_id), array_agg(p.run_at) into ids, due_at from picked p;
end
$$;
grant execute on function private.take_due_deliveries(
  uuid[], uuid[], integer[], integer, integer, uuid, interval) to sb_service;

-- Claims due deliveries, few from each of the endpoint queues that waited longest. Every statement of this function and
-- of its steps has its own snapshot: what it reads after the endpoint queue is locked includes all earlier commits, so
-- it misses no row when it sets the next due time. `queue_ids` and `queue_capacities` name endpoint queues whose
-- capacity differs from `default_capacity`; capacity 0 skips one. Claims no more than remains in the window of each
-- user, the user's endpoint queues in turn. Postpones the endpoint queues of users without remaining sends until the
-- window ends. `send_limit` 0 disables the limit.
create or replace function private.claim_webhook_deliveries(
  new_claim uuid, lease interval, max_queues integer, max_rows integer, default_capacity integer,
  queue_ids uuid[], queue_capacities integer[], full_users uuid[], send_limit integer default 0)
returns table (
  id uuid, run_at timestamptz, webhook_id uuid, user_id uuid, event_id uuid, event_type text, body text,
  attempts integer, attempts_before integer, cause text, url text, secret text, previous_secrets text[], headers jsonb,
  retry_count integer, timeout_ms integer, window_opened_at timestamptz, window_left_ms float8, traceparent text)
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  resumed uuid[] := private.take_webhook_resumptions();
  users uuid[];
  users_left integer[];
  opened_at timestamptz[];
  left_ms float8[];
  queues uuid[];
  open_queues uuid[];
  postponed uuid[] := '{}';
  claimed_ids uuid[];
  claimed_due_at timestamptz[];
  found_rows integer;
begin
  if send_limit > 0 then
    select r.users, r.users_left into users, users_left
    from private.read_due_webhook_users(max_queues, queue_ids, queue_capacities, full_users, resumed, send_limit) as r;
  end if;
  if resumed is not null then
    perform private.resume_endpoint_queues(resumed);
  end if;
  queues := private.lock_due_endpoint_queues(max_queues, queue_ids, queue_capacities, full_users, users, send_limit);
  if queues is null then
    return;
  end if;
  open_queues := private.clear_endpoint_queues(queues);
  if send_limit > 0 then
    select d.queue_ids, d.queue_capacities into queue_ids, queue_capacities
    from private.divide_webhook_sends(open_queues, users, users_left, queue_ids, queue_capacities,
      default_capacity) as d;
  end if;
  select t.ids, t.due_at into claimed_ids, claimed_due_at
  from private.take_due_deliveries(open_queues, queue_ids, queue_capacities, default_capacity, max_rows, new_claim,
    lease) as t;
  if send_limit > 0 and users is not null then
    select c.user_ids, c.opened_at, c.left_ms, c.postponed into users, opened_at, left_ms, postponed
    from private.count_claimed_sends(users, claimed_ids, send_limit) as c;
  end if;

  update private.webhook_endpoint_queues queue
  set served_at = clock_timestamp(),
      next_due_at = case when queue.webhook_id = any (postponed) then queue.next_due_at else
        coalesce((select min(q.run_at) from private.webhook_queue q where q.webhook_id = queue.webhook_id),
          'infinity') end
  where queue.webhook_id = any (queues)
    -- An endpoint queue without a claimed delivery keeps its position in the order of service.
    and (queue.webhook_id <> all (postponed)
         or exists (select 1 from private.webhook_queue q
                    where q.webhook_id = queue.webhook_id and q.run_at = now() + lease and q.claim = new_claim));
  if claimed_ids is null then
    return;
  end if;

  return query
  select d.id, claimed.due_at, d.webhook_id, d.user_id, d.event_id, d.event_type, d.payload::text, d.attempts,
    q.attempts_before, q.cause, w.url, w.secret,
    array(select p.secret from private.webhook_previous_secrets p
          where p.webhook_id = w.id and p.expires_at > now() order by p.created_at desc),
    w.headers, w.retry_count, w.timeout_ms, opened_at[array_position(users, d.user_id)],
    left_ms[array_position(users, d.user_id)], q.traceparent
  from unnest(claimed_ids, claimed_due_at) as claimed (id, due_at)
  cross join lateral (select * from private.webhook_queue q where q.delivery_id = claimed.id offset 0) as q
  cross join lateral (select * from public.webhook_deliveries d where d.id = claimed.id offset 0) as d
  cross join lateral (select * from public.webhooks w where w.id = d.webhook_id offset 0) as w
  order by q.event_seq, d.id;
  get diagnostics found_rows = row_count;
  if found_rows < cardinality(claimed_ids) then
    delete from private.webhook_queue q where q.delivery_id = any (claimed_ids)
      and not exists (select 1 from public.webhook_deliveries d where d.id = q.delivery_id);
  end if;
end
$$;
grant execute on function private.claim_webhook_deliveries(uuid, interval, integer, integer, integer, uuid[],
  integer[], uuid[], integer) to sb_service;

-- Returns since when an endpoint fails, after these outcomes: a success ends the failing period, the first failure
-- starts it. Inlined.
create or replace function private.update_failing_since(failing_since timestamptz, has_delivered boolean,
  failures integer) returns timestamptz language sql stable parallel safe
as $$
  select case when has_delivered then null when failures > 0 then coalesce(failing_since, now()) else failing_since end
$$;
grant execute on function private.update_failing_since(timestamptz, boolean, integer) to sb_service;

-- Returns when the owner was warned of a failing endpoint, after these outcomes: once in a failing period. Inlined.
create or replace function private.update_warned_at(warned_at timestamptz, failing_since timestamptz,
  has_delivered boolean, failures integer, warn_after_days integer) returns timestamptz
language sql stable parallel safe
as $$
  select case
    when has_delivered then null
    when failures > 0 and failing_since <= now() - warn_after_days * interval '1 day' then coalesce(warned_at, now())
    else warned_at end
$$;
grant execute on function private.update_warned_at(timestamptz, timestamptz, boolean, integer, integer) to sb_service;

-- Applies outcomes to the endpoint queues of their webhooks and disables webhooks that are gone or failed for too long.
-- Skips tests. Locks endpoint queues by id, and before it sets the next due time, so that a concurrent claim cannot set
-- a later one. A step of record_webhook_attempts, which alone calls it; it runs with its settings.
create or replace function private.apply_webhook_outcomes(
  records json, written private.webhook_queue[], failing_days integer, min_failures integer, warn_after_days integer)
returns table (kind text, id uuid, reason text) language plpgsql volatile
as $$
#variable_conflict use_column
begin
  return query
  with totals as materialized (
    select w.webhook_id,
      count(*) filter (where r.status = 'failed')::integer as failures,
      bool_or(r.status = 'delivered') as has_delivered, bool_or(r.should_disable) as disables,
      now() + min(r.retry_delay_ms) * interval '1 millisecond' as retry_at,
      now() + max(r.pause_ms) * interval '1 millisecond' as paused_until
    from unnest(written) as w
    join json_to_recordset(records)
      as r (delivery_id uuid, status text, retry_delay_ms float8, pause_ms float8, should_disable boolean)
      on r.delivery_id = w.delivery_id
    where w.cause <> 'test'
    group by w.webhook_id
  ), locked as materialized (
    select t.*
    from (select * from totals order by webhook_id offset 0) as t
    cross join lateral (
      select from private.webhook_endpoint_queues queue
      where queue.webhook_id = t.webhook_id
        and (t.failures > 0 or t.retry_at is not null or t.paused_until is not null or queue.failed_in_a_row > 0)
      for update) as queue
  ), queues as (
    update private.webhook_endpoint_queues queue
    set next_due_at = least(queue.next_due_at, t.retry_at),
      paused_until = greatest(queue.paused_until, t.paused_until),
      failing_since = private.update_failing_since(queue.failing_since, t.has_delivered, t.failures),
      failed_in_a_row = case when t.has_delivered then 0 else queue.failed_in_a_row + t.failures end,
      warned_at = private.update_warned_at(queue.warned_at, queue.failing_since, t.has_delivered, t.failures,
        warn_after_days)
    from locked t where queue.webhook_id = any (array[t.webhook_id])
    returning queue.webhook_id, queue.failing_since, queue.failed_in_a_row, queue.warned_at
  ), disabled as (
    update public.webhooks w
    set is_active = false, disabled_at = now(), updated_at = now(),
      disabled_reason = case when t.disables then 'endpoint_gone' else 'endpoint_failing' end
    from totals t left join queues queue on queue.webhook_id = t.webhook_id
    where w.id = any (array[t.webhook_id]) and w.is_active
      and (t.disables
           or (queue.failing_since <= now() - failing_days * interval '1 day'
               and queue.failed_in_a_row >= min_failures))
    returning w.id, w.disabled_reason
  )
  select 'disabled', disabled.id, disabled.disabled_reason from disabled
  union all
  select 'failing', queues.webhook_id, queues.failed_in_a_row::text from queues where queues.warned_at = now();
end
$$;
grant execute on function private.apply_webhook_outcomes(json, private.webhook_queue[], integer, integer, integer)
  to sb_service;

-- Returns the cause of a further attempt of a delivery, or of a replay of its event. Those of a test are tests as well:
-- otherwise the health of a webhook would count the second attempt of a delivery and not the first.
create or replace function private.keep_test_cause(delivery_id uuid, cause text) returns text language sql stable
as $$
  select case when exists (
    select 1 from public.webhook_delivery_attempts a
    where a.delivery_id = keep_test_cause.delivery_id and a.attempt = 1 and a.cause = 'test')
  then 'test' else keep_test_cause.cause end
$$;
grant execute on function private.keep_test_cause(uuid, text) to sb_service;

-- Records attempts, ends or reschedules their deliveries and updates their endpoint queues. `records` is a list of
-- objects with the columns that the statements name; those that are null or false may be left out. Skips a record
-- whose claim is no longer held. Locks rows in the order delivery queue, webhook, endpoint queue.
--
-- Most batches only succeed at endpoints that did not fail before, which changes no endpoint queue. To start the
-- statements for the other outcomes costs as much as to record a few rows, so they run for batches that need them.
create or replace function private.record_webhook_attempts(
  records json, failing_days integer, min_failures integer, warn_after_days integer)
returns table (kind text, id uuid, reason text) language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  written private.webhook_queue[];
  changes_queues boolean;
begin
  with held as materialized (
    select r.*, q.queued, w.user_id, now() + r.retry_delay_ms * interval '1 millisecond' as retry_at
    from (
      select * from json_to_recordset(records)
      as r (delivery_id uuid, claim uuid, attempt integer, status text, status_code integer, response_body text,
        response_truncated boolean, error_code text, error text, response_time_ms integer, url text,
        retry_delay_ms float8)
      order by r.delivery_id offset 0) as r
    cross join lateral (
      select q as queued from private.webhook_queue q
      where q.delivery_id = r.delivery_id and q.claim = r.claim
      for update) as q
    cross join lateral (
      select w.user_id from public.webhooks w where w.id = (q.queued).webhook_id for key share) as w
  ), updated as (
    update public.webhook_deliveries d
    set status = h.status, attempts = h.attempt, status_code = h.status_code, response_body = h.response_body,
      next_retry_at = h.retry_at, scheduled_for = null, delivered_at = case when h.status = 'delivered' then now() end
    from held h where d.id = any (array[h.delivery_id])
  ), logged as (
    insert into public.webhook_delivery_attempts (delivery_id, webhook_id, user_id, attempt, cause, url, status_code,
      error_code, error, response_body, response_truncated, response_time_ms, outcome)
    select h.delivery_id, (h.queued).webhook_id, h.user_id, h.attempt, (h.queued).cause, h.url, h.status_code,
      h.error_code, h.error, h.response_body, coalesce(h.response_truncated, false), h.response_time_ms, h.status
    from held h
  ), ended as (
    delete from private.webhook_queue q
    where q.delivery_id = any (array(select h.delivery_id from held h where h.retry_at is null))
  )
  select array_agg(h.queued),
    bool_or(h.status <> 'delivered'
      or (select queue.failed_in_a_row > 0 from private.webhook_endpoint_queues queue
          where queue.webhook_id = (h.queued).webhook_id))
  into written, changes_queues
  from held h;

  if changes_queues then
    update private.webhook_queue q
    set run_at = now() + r.retry_delay_ms * interval '1 millisecond', claim = null, lease_until = null
    from unnest(written) as w
    join json_to_recordset(records) as r (delivery_id uuid, retry_delay_ms float8) on r.delivery_id = w.delivery_id
    where q.delivery_id = any (array[w.delivery_id]) and r.retry_delay_ms is not null;
    return query
    select o.kind, o.id, o.reason
    from private.apply_webhook_outcomes(records, written, failing_days, min_failures, warn_after_days) as o;
  end if;
  if private.has_followers() then
    perform private.signal_deliveries(array_agg(w.webhook_id), array_agg(w.delivery_id)) from unnest(written) as w;
  end if;
end
$$;
grant execute on function private.record_webhook_attempts(json, integer, integer, integer) to sb_service;

-- Deletes the next finished rows after an id that are older than their retention, except those of a partition that will
-- be dropped as a whole. Ids start with their time, so old rows are found by the primary key. Returns the last id when
-- more may follow.
create or replace function private.prune_webhook_rows(
  relation regclass, retention interval, after_id uuid, max_rows integer)
returns uuid language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
  first_kept constant uuid := private.get_first_id(now() - retention);
  ids uuid[];
begin
  execute format('select array_agg(old.id order by old.id) from (
      select t.id from %s t where t.id > $1 and t.id < $2 and t.created_at < now() - $3 and %s
      order by t.id limit $4 for update skip locked) as old', relation,
    case relation when 'public.webhook_deliveries'::regclass then $s$t.status in ('delivered', 'failed')$s$
      when 'public.webhook_recoveries'::regclass then $s$t.status = 'completed'$s$ else 'true' end)
  into ids
  using after_id, coalesce(private.find_prune_bound(relation, first_kept), first_kept), retention, max_rows;
  execute format('delete from %s t where t.id = any ($1) and t.id >= $2 and t.id <= $3', relation)
  using ids, ids[1], ids[cardinality(ids)];
  return case when cardinality(ids) = max_rows then ids[max_rows] end;
end
$$;
grant execute on function private.prune_webhook_rows(regclass, interval, uuid, integer) to sb_service;
