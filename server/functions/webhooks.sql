-- Webhooks and their health.

create or replace function private.new_webhook_secret() returns text language sql volatile
as $$ select 'whsec_' || pg_catalog.encode(private.random_32_bytes(), 'base64') $$;
grant execute on function private.new_webhook_secret() to authenticated, sb_service, service_role;

-- Rejects names of event types of the app that the writer cannot see: unknown ones, and for users those that are not
-- listed. Runs with the rights of the writer. `relation` is the table that has the names in its column `events`.
create or replace function private.require_app_types(events text[], relation text) returns void
language plpgsql stable
as $$
declare
  unknown text;
begin
  select pg_catalog.string_agg(pg_catalog.to_json(pg_catalog.left(named.type, 100))::text, ', ') into unknown
  from (select n.type from pg_catalog.unnest(private.list_app_types(events)) as n (type)
    where not exists (select 1 from public.event_types t where t.name = n.type) limit 5) as named;
  if unknown is not null then
    raise exception 'has unknown event types: %', unknown
      using errcode = 'check_violation', schema = 'public', table = relation, column = 'events',
            constraint = relation || '_events_known';
  end if;
end
$$;
grant execute on function private.require_app_types(text[], text) to authenticated, sb_service, service_role;

-- What webhooks and event feeds have in common. Runs with the rights of the writer.
create or replace function private.prepare_subscription() returns trigger language plpgsql
as $$
declare
  -- Indexes have the names, and an entry of an index has at most 2,704 bytes.
  max_bytes constant integer := 2600;
begin
  new.name := private.trim_whitespace(new.name);
  if tg_op = 'INSERT' or new.events is distinct from old.events then
    -- A statement of its own, so only for names that may be repeated.
    if pg_catalog.cardinality(new.events) > 1 then
      new.events := array(
        select named.event
        from (select event, min(position) as first
              from pg_catalog.unnest(new.events) with ordinality as given (event, position) group by event) as named
        order by named.first);
    end if;
    if pg_catalog.octet_length(pg_catalog.array_to_string(new.events, '')) + 8 * pg_catalog.cardinality(new.events)
      > max_bytes then
      raise exception 'has too many types: their names may have % bytes together, with 8 more for each', max_bytes
        using errcode = 'check_violation', schema = 'public', table = tg_table_name, column = 'events',
              constraint = tg_table_name || '_events_size';
    end if;
    if pg_catalog.array_to_string(new.events, ' ') like '%app.%' then
      perform private.require_app_types(new.events, tg_table_name);
    end if;
  end if;
  if new.filter is not null and (tg_op = 'INSERT' or new.filter is distinct from old.filter) then
    perform private.require_filter(new.filter, tg_table_name);
    new.filter := nullif(new.filter, '{}');
  end if;
  if new.receives_app_events is distinct from (tg_op = 'UPDATE' and old.receives_app_events)
    and current_user in ('anon', 'authenticated', 'api_key') then
    raise exception 'only the service role sets receives_app_events'
      using errcode = 'insufficient_privilege', schema = 'public', table = tg_table_name,
            column = 'receives_app_events';
  end if;
  return new;
end
$$;

create or replace function private.prepare_webhook() returns trigger language plpgsql
as $$
begin
  if tg_op = 'INSERT' then
    -- An upsert of a row that was read before also fires this trigger, with the row's own secret.
    if new.secret is not null and not exists (select 1 from public.webhooks w
      where w.id = new.id and w.secret = new.secret) then
      raise exception 'the secret is made by the service; use regenerate_secret to replace it'
        using errcode = 'check_violation', schema = 'public', table = 'webhooks', column = 'secret',
              constraint = 'webhooks_secret_managed';
    end if;
    new.secret := coalesce(new.secret, private.new_webhook_secret());
    new.disabled_reason := null;
    new.disabled_at := null;
  else
    if new.secret is distinct from old.secret
      and current_user in ('anon', 'authenticated', 'api_key', 'service_role') then
      raise exception 'the secret is made by the service; use regenerate_secret to replace it'
        using errcode = 'check_violation', schema = 'public', table = 'webhooks', column = 'secret',
              constraint = 'webhooks_secret_managed';
    end if;
    if not private.has_scope('secrets') and private.get_host(new.url) is distinct from private.get_host(old.url) then
      -- The credentials of one host do not go to another that a key chose.
      new.headers := case when new.headers is distinct from old.headers then new.headers else '{}' end;
      new.secret := private.new_webhook_secret();
    end if;
    if new.is_active then
      new.disabled_reason := null;
      new.disabled_at := null;
    end if;
  end if;
  return new;
end
$$;

-- A counter as for agents: see enforce_agent_limit.
create or replace function private.enforce_webhook_limit() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  allowed constant integer := 1000;
  most integer;
begin
  with counted as (
    insert into private.webhook_counters as counter (user_id, webhooks)
    select n.user_id, count(*) from new_rows n group by n.user_id order by n.user_id
    on conflict (user_id) do update set webhooks = counter.webhooks + excluded.webhooks
    returning counter.webhooks
  )
  select max(c.webhooks) into most from counted c;
  if most > allowed then
    raise exception 'a user may have at most % webhooks', allowed
      using errcode = 'check_violation', schema = 'public', table = 'webhooks', constraint = 'webhooks_limit_per_user';
  end if;
  return null;
end
$$;

create or replace function private.count_deleted_webhooks() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  with deleted as materialized (
    select c.user_id from private.webhook_counters c where c.user_id in (select o.user_id from old_rows o)
    order by c.user_id for no key update
  )
  update private.webhook_counters c
  set webhooks = c.webhooks - (select count(*) from old_rows o where o.user_id = c.user_id)
  where c.user_id in (select d.user_id from deleted d);
  return null;
end
$$;

create or replace function private.count_truncated_webhooks() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  delete from private.webhook_counters;
  return null;
end
$$;

-- The names of the headers of a webhook, for callers who may not read their values.
create or replace function public.header_names(webhook public.webhooks) returns text[] language sql stable
as $$ select array(select pg_catalog.jsonb_object_keys(webhook.headers)) $$;
revoke execute on function public.header_names(public.webhooks) from public, anon;
grant execute on function public.header_names(public.webhooks) to authenticated, service_role;

create or replace function private.record_webhook_resumption() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.webhook_resumptions (webhook_id) values (new.id);
  return null;
end
$$;

-- A ban disables the webhooks of the user in the same transaction. Unfinished deliveries wait, as for any disabled
-- webhook. Housekeeping enables the webhooks again when the ban ends.
create or replace function private.suspend_webhooks() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update public.webhooks
    set is_active = false, disabled_reason = 'account_banned', disabled_at = now(), updated_at = now()
    where user_id = new.id and is_active;
  return null;
end
$$;

-- Health of the caller's webhooks, or of one of them, over the last `hours` (1 to 720). Counts the newest 20,000
-- attempts of each webhook at most; `since` is the start of the time that was counted. Excludes tests. Response times
-- are those of attempts that delivered.
create or replace function public.webhook_health(webhook_id uuid default null, hours integer default 24)
returns table (
  webhook_id uuid, since timestamptz, until timestamptz,
  attempts integer, delivered integer, retried integer, failed integer, success_rate numeric,
  p50_ms integer, p95_ms integer, pending integer, retrying integer)
language sql stable
as $$
  select w.id, case when counted.attempts = 20000 then counted.oldest else span.since end, pg_catalog.now(),
    counted.attempts::integer, counted.delivered::integer, counted.retried::integer, counted.failed::integer,
    pg_catalog.round(counted.delivered::numeric / nullif(counted.attempts, 0), 4),
    counted.times[1], counted.times[2], waiting.pending, waiting.retrying
  from (
    select pg_catalog.now() - least(greatest(coalesce(webhook_health.hours, 24), 1), 720) * interval '1 hour' as since
  ) as span
  cross join public.webhooks w
  cross join lateral (
    select pg_catalog.count(*) as attempts, pg_catalog.min(recent.created_at) as oldest,
      pg_catalog.count(*) filter (where recent.outcome = 'delivered') as delivered,
      pg_catalog.count(*) filter (where recent.outcome = 'retrying') as retried,
      pg_catalog.count(*) filter (where recent.outcome = 'failed') as failed,
      pg_catalog.percentile_disc(array[0.5, 0.95]) within group (order by recent.response_time_ms)
        filter (where recent.outcome = 'delivered') as times
    from (
      select a.created_at, a.outcome, a.response_time_ms
      from public.webhook_delivery_attempts a
      where a.webhook_id = w.id and a.user_id = w.user_id and a.created_at >= span.since
        and a.cause <> 'test' and a.outcome is not null
      order by a.created_at desc
      limit 20000) as recent) as counted
  join public.webhook_backlog waiting on waiting.webhook_id = w.id
  where webhook_health.webhook_id is null or w.id = webhook_health.webhook_id
$$;
grant execute on function public.webhook_health(uuid, integer) to authenticated, service_role;

-- Attempts of one of the caller's webhooks over time, in 1 to 100 periods of the same length, for charts. Counts the
-- newest 10,000 attempts of each period at most, so that the time that it takes has a limit; `is_complete` is false for
-- a period that had more. Excludes tests. Response times are those of attempts with a response.
create or replace function public.webhook_attempt_counts(webhook_id uuid, since timestamptz, until timestamptz,
  periods integer default 24)
returns table (
  since timestamptz, until timestamptz, delivered integer, retried integer, failed integer,
  p50_ms integer, p95_ms integer, slowest_ms integer, is_complete boolean)
language sql stable
as $$
  select period.since, period.until, counted.delivered::integer, counted.retried::integer, counted.failed::integer,
    counted.times[1], counted.times[2], counted.slowest, counted.attempts < 10000
  from public.webhooks w
  cross join lateral (
    select least(greatest(coalesce(webhook_attempt_counts.periods, 24), 1), 100) as count,
      greatest(webhook_attempt_counts.until - webhook_attempt_counts.since, interval '1 millisecond') as whole) as span
  cross join lateral pg_catalog.generate_series(0, span.count - 1) as number
  cross join lateral (
    select webhook_attempt_counts.since + span.whole * number / span.count as since,
      webhook_attempt_counts.since + span.whole * (number + 1) / span.count as until) as period
  cross join lateral (
    select pg_catalog.count(*) as attempts, pg_catalog.max(recent.response_time_ms) as slowest,
      pg_catalog.count(*) filter (where recent.outcome = 'delivered') as delivered,
      pg_catalog.count(*) filter (where recent.outcome = 'retrying') as retried,
      pg_catalog.count(*) filter (where recent.outcome = 'failed') as failed,
      pg_catalog.percentile_disc(array[0.5, 0.95]) within group (order by recent.response_time_ms) as times
    from (
      select a.outcome, a.response_time_ms
      from public.webhook_delivery_attempts a
      where a.webhook_id = w.id and a.user_id = w.user_id
        and a.created_at >= period.since and a.created_at < period.until
        and a.cause <> 'test' and a.outcome is not null
      order by a.created_at desc
      limit 10000) as recent) as counted
  where w.id = webhook_attempt_counts.webhook_id
  order by number
$$;
grant execute on function public.webhook_attempt_counts(uuid, timestamptz, timestamptz, integer)
  to authenticated, service_role;

create or replace function private.build_run_update(run public.runs) returns json language sql stable
as $$
  select json_build_object('run_id', run.id, 'swarm_id', run.swarm_id, 'user_id', run.user_id, 'status', run.status,
    'stop_reason', run.stop_reason, 'message_id', run.message_id)
$$;

-- Whoever decides on a call need not be a member: the owner of an agent that somebody else asks in private. A call of a
-- sub-task is decided as one of the outermost run, and nobody learns of the run in between.
create or replace function private.emit_run_update() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  shown public.runs := new;
begin
  -- An index has only these webhooks. Where there are none, no run pays for finding its audience.
  if exists (select 1 from private.subscriptions w where 'run.updated' = any (w.events)) then
    if new.request ->> 'source' = 'sub_task' then
      select r.* into shown from private.list_outer_tasks(new.swarm_id) as t
      join public.runs r on r.id = t.parent_run_id order by t.depth limit 1;
    end if;
    perform private.emit_event('run.updated', private.build_run_update(shown),
      private.list_swarm_audience(new.swarm_id) || case when new.status = 'requires_action' then array(
        select coalesce(x.approver_id, a.user_id) from public.tool_executions x
        left join public.agents a on a.id = x.agent_id
        where x.swarm_id = new.swarm_id and x.run_id = new.id and x.status = 'pending_approval') end);
  end if;
  return null;
end
$$;

-- Before the row is written: its foreign key would tell a run that does not exist from one that the caller cannot see.
-- A row for another user is left to the policies.
create or replace function private.check_webhook_run() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select 1 from public.runs r where r.id = new.run_id
                 and coalesce(auth.uid(), new.user_id) = any (private.list_swarm_audience(r.swarm_id))) then
    raise exception 'the run does not exist, or its swarm is not one of the webhook''s owner'
      using errcode = 'check_violation', schema = 'public', table = 'webhooks', column = 'run_id',
            constraint = 'webhooks_run_id_visible';
  end if;
  return new;
end
$$;

-- A webhook of a run that already waits or has ended gets its status at once: nothing else would tell. The lock orders
-- the insert and changes of the status, so that none is missed.
create or replace function private.follow_run() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  run public.runs;
begin
  select * into run from public.runs r where r.id = new.run_id for no key update;
  if new.is_active and 'run.updated' = any (new.events) and run.status not in ('queued', 'running') then
    insert into private.events (type, data, audience)
    values ('run.updated', private.build_run_update(run), array[new.user_id]);
  end if;
  return null;
end
$$;
