-- What the owner of a webhook may read about it: its health, and which replaced secrets still sign.

-- Includes what webhook_health reads, for index-only scans. Attempts are never updated, so the wider index costs inserts alone.
drop index public.webhook_delivery_attempts_webhook_id_idx;
create index webhook_delivery_attempts_webhook_id_idx on public.webhook_delivery_attempts (webhook_id, user_id, created_at desc)
  include (cause, outcome, response_time_ms);

-- Unfinished deliveries of each webhook. Counts up to 10,000, which bounds the cost.
create view public.webhook_backlog with (security_barrier) as
  select w.id as webhook_id, waiting.pending, waiting.retrying
  from public.webhooks w
  cross join lateral (
    select count(*) filter (where d.status = 'pending')::integer as pending,
      count(*) filter (where d.status = 'retrying')::integer as retrying
    from (select q.delivery_id from private.webhook_queue q where q.webhook_id = w.id limit 10000) as few
    join public.webhook_deliveries d on d.id = few.delivery_id) as waiting
  where current_user = 'service_role' or w.user_id = (select auth.uid());
revoke insert, update, delete on public.webhook_backlog from service_role;
grant select on public.webhook_backlog to authenticated, service_role;

-- Health of the caller's webhooks, or of one of them, over the last `hours` (1 to 720). Counts the newest 20,000 attempts of each
-- webhook at most; `since` is the start of the time that was counted. Excludes tests. Response times are those of attempts that
-- delivered.
create function public.webhook_health(webhook_id uuid default null, hours integer default 24)
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
  from (select pg_catalog.now() - least(greatest(coalesce(webhook_health.hours, 24), 1), 720) * interval '1 hour' as since) as span
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

-- Replaced secrets that still sign. The view has their times and never the secret itself.
alter table private.webhook_previous_secrets
  add column id uuid not null default private.new_id() constraint webhook_previous_secrets_id_key unique;
create view public.webhook_previous_secrets with (security_barrier) as
  select p.id, p.webhook_id, p.created_at, p.expires_at
  from private.webhook_previous_secrets p
  join public.webhooks w on w.id = p.webhook_id
  where p.expires_at > now() and (current_user = 'service_role' or w.user_id = (select auth.uid()));
revoke insert, update, delete on public.webhook_previous_secrets from service_role;
grant select on public.webhook_previous_secrets to authenticated, service_role;
