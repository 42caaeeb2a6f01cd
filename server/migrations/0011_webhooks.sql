-- Webhooks, their deliveries, and the queue of the dispatcher.

create function private.is_valid_delivery_headers(headers jsonb) returns boolean
language plpgsql immutable strict parallel safe
as $$
begin
  return case when pg_catalog.jsonb_typeof(headers) <> 'object' then false else (
    select pg_catalog.count(*) <= 20 and coalesce(pg_catalog.bool_and(
      pg_catalog.jsonb_typeof(header.value) = 'string'
      and header.key ~ '^[A-Za-z0-9!#$%&''*+.^_`|~-]{1,128}$'
      and pg_catalog.lower(header.key) !~
        '^(host|connection|keep-alive|expect|te|trailer|transfer-encoding|upgrade|user-agent'
        '|content-.*|proxy-.*|x-service-.*|webhook-.*)$'
      and pg_catalog.octet_length(header.value #>> '{}') <= 4096
      and (header.value #>> '{}') ~ '^[\x09\x20-\x7e]*$'), true)
    from pg_catalog.jsonb_each(headers) as header)
  end;
end
$$;
grant execute on function private.is_valid_delivery_headers(jsonb) to authenticated, sb_service, service_role;

-- The names of the app's own event types in a list. Whether they exist is for a trigger to find out.
create function private.list_app_types(events text[]) returns text[] language plpgsql immutable strict parallel safe
as $$
begin
  if pg_catalog.array_to_string(events, ' ') !~ '(^| )app\.' then
    return '{}';
  end if;
  return array(select named.type from pg_catalog.unnest(events) as named (type)
    where pg_catalog.starts_with(named.type, 'app.'));
end
$$;
grant execute on function private.list_app_types(text[]) to authenticated, sb_service, service_role;

create table public.webhooks (
  id uuid default private.new_id() constraint webhooks_pkey primary key,
  user_id uuid not null default auth.uid() constraint webhooks_user_id_fkey references auth.users on delete cascade,
  name text not null constraint webhooks_name_length check (char_length(name) between 1 and 100),
  url text not null constraint webhooks_url_length check (char_length(url) <= 2048)
                    constraint webhooks_url_https check (url ~* '^https://[^/?#\s\\]' and url !~ '[\s\\\x01-\x1f\x7f]'),
  secret text not null,
  events text[] not null
    constraint webhooks_events_not_empty check (cardinality(events) >= 1)
    constraint webhooks_events_known check (events <@ (array[
      'message.created', 'message.updated', 'message.deleted', 'message.flagged',
      'swarm.created', 'swarm.updated', 'swarm.deleted', 'swarm.completed', 'swarm.agent_added', 'swarm.agent_removed',
      'run.updated',
      'agent.created', 'agent.updated', 'agent.deleted', 'agent.error', 'agent.status_changed',
      'tool.executed', 'tool.error',
      'user.joined', 'user.removed', 'user.role_changed'] || private.list_app_types(events))),
  is_active boolean not null default true,
  headers jsonb not null default '{}'
    constraint webhooks_headers_allowed check (private.is_valid_delivery_headers(headers))
    constraint webhooks_headers_size check (octet_length(headers::text) <= 32768),
  retry_count integer not null default 3 constraint webhooks_retry_count_range check (retry_count between 0 and 10),
  timeout_ms integer not null default 30000
    constraint webhooks_timeout_ms_range check (timeout_ms between 1 and 120000),
  api_version text not null default '2026-11-15'
    constraint webhooks_api_version_known check (api_version in ('2026-11-15')),
  disabled_reason text,
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Webhooks of one run are for clients of other protocols that give an address with a task.
  run_id uuid constraint webhooks_run_id_fkey references public.runs on delete cascade,
  bodies jsonb
    constraint webhooks_bodies_of_run check (bodies is null or run_id is not null)
    constraint webhooks_bodies_object check (jsonb_typeof(bodies) = 'object')
    constraint webhooks_bodies_size check (octet_length(bodies::text) <= 32768),
  receives_app_events boolean not null default false,
  filter jsonb constraint webhooks_filter_size check (octet_length(filter::text) <= 4096)
    constraint webhooks_filter_without_bodies check (filter is null or bodies is null),
  constraint webhooks_id_user_id_key unique (id, user_id)
);
create index webhooks_user_id_idx on public.webhooks (user_id, created_at desc);
create index webhooks_subscribed_idx on public.webhooks (user_id) include (events) where is_active;
-- Housekeeping searches for them regularly.
create index webhooks_suspended_idx on public.webhooks (user_id) where disabled_reason = 'account_banned';
create index webhooks_run_id_idx on public.webhooks (run_id) where run_id is not null;
-- Every change of a run's status asks whether anybody subscribes to it.
create index webhooks_run_updated_idx on public.webhooks (user_id) where is_active and 'run.updated' = any (events);
-- Events of the app that are for nobody in particular go to these webhooks.
create index webhooks_receives_app_events_idx on public.webhooks (user_id) include (events)
  where is_active and receives_app_events;
alter table public.webhooks replica identity using index webhooks_id_user_id_key;
alter table public.webhooks enable row level security;
grant select, insert, update, delete on public.webhooks to authenticated, service_role, sb_service;

-- The number of webhooks of each user, so that the limit does not count them again with every insert.
create table private.webhook_counters (
  user_id uuid constraint webhook_counters_pkey primary key
    constraint webhook_counters_user_id_fkey references auth.users on delete cascade,
  webhooks integer not null
);
alter table private.webhook_counters enable row level security;
grant select, insert, update, delete on private.webhook_counters to sb_service;

-- How many events the filter of a webhook did not let pass. Housekeeping deletes the rows of deleted webhooks.
create table private.webhook_skips (
  webhook_id uuid constraint webhook_skips_pkey primary key,
  skipped bigint not null
) with (fillfactor = 50);
alter table private.webhook_skips enable row level security;
grant select, insert, update, delete on private.webhook_skips to sb_service;

-- Secrets that still sign during the grace period after a rotation.
create table private.webhook_previous_secrets (
  webhook_id uuid not null constraint webhook_previous_secrets_webhook_id_fkey
    references public.webhooks on delete cascade,
  secret text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  id uuid not null default private.new_id() constraint webhook_previous_secrets_id_key unique,
  constraint webhook_previous_secrets_pkey primary key (webhook_id, secret)
);
alter table private.webhook_previous_secrets enable row level security;
grant select, insert, update, delete on private.webhook_previous_secrets to sb_service;

-- payload is json, not jsonb: every attempt sends the bytes that were signed first.
--
-- Foreign keys of a partition would lock the tables that they refer to whenever a partition is attached or dropped.
-- Triggers take their place. REST still embeds over them.
create table public.webhook_deliveries (
  id uuid default private.new_id() constraint webhook_deliveries_pkey primary key,
  webhook_id uuid not null,
  user_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  payload json not null,
  status text not null default 'pending'
    constraint webhook_deliveries_status_known check (status in ('pending', 'delivered', 'failed', 'retrying')),
  status_code integer,
  response_body text,
  attempts integer not null default 0 constraint webhook_deliveries_attempts_range check (attempts >= 0),
  next_retry_at timestamptz,
  delivered_at timestamptz,
  created_at timestamptz not null default now(),
  -- The earliest time at which the limit allows a waiting delivery to be sent; null when the limit does not delay it.
  scheduled_for timestamptz,
  constraint webhook_deliveries_scheduled_for_only_waiting
    check (scheduled_for is null or status in ('pending', 'retrying')),
  constraint webhook_deliveries_next_retry_at_only_retrying check (next_retry_at is null or status = 'retrying'),
  constraint webhook_deliveries_delivered_at_only_delivered check ((delivered_at is not null) = (status = 'delivered'))
) partition by range (id);
create index webhook_deliveries_webhook_id_idx on public.webhook_deliveries (webhook_id, user_id, created_at desc);
create index webhook_deliveries_user_id_idx on public.webhook_deliveries (user_id, created_at desc);
create index webhook_deliveries_created_at_idx on public.webhook_deliveries using brin (created_at);
-- For replays. Ids grow with time, so new entries go to one end of the index.
create index webhook_deliveries_event_id_idx on public.webhook_deliveries (event_id);
alter table public.webhook_deliveries enable row level security;
grant select on public.webhook_deliveries to authenticated;
grant select, insert, update, delete on public.webhook_deliveries to service_role, sb_service;
-- The first partition has the whole range until it is closed. The service makes, closes and drops partitions while it
-- runs. Nearly every delivery is updated once, soon after its insert; the fill factor leaves space on the page, so that
-- no index has to change.
create table partitions.webhook_deliveries_first partition of public.webhook_deliveries
  for values from (minvalue) to (maxvalue) with (fillfactor = 50);
alter table partitions.webhook_deliveries_first enable row level security;

-- No foreign key to the delivery: both tables are pruned by age independently.
create table public.webhook_delivery_attempts (
  id uuid default private.new_id() constraint webhook_delivery_attempts_pkey primary key,
  delivery_id uuid not null,
  webhook_id uuid not null,
  user_id uuid not null,
  attempt integer not null constraint webhook_delivery_attempts_attempt_range check (attempt >= 1),
  cause text not null constraint webhook_delivery_attempts_cause_known
    check (cause in ('schedule', 'manual', 'test', 'replay')),
  url text not null,
  status_code integer,
  error_code text,
  error text,
  response_body text,
  response_truncated boolean not null default false,
  response_time_ms integer,
  created_at timestamptz not null default now(),
  -- The status of the delivery after this attempt.
  outcome text constraint webhook_delivery_attempts_outcome_known
    check (outcome in ('delivered', 'retrying', 'failed'))
) partition by range (id);
create index webhook_delivery_attempts_delivery_id_idx on public.webhook_delivery_attempts (delivery_id, attempt);
create index webhook_delivery_attempts_user_id_idx on public.webhook_delivery_attempts (user_id, created_at desc);
create index webhook_delivery_attempts_created_at_idx on public.webhook_delivery_attempts using brin (created_at);
-- Includes what webhook_health reads, for index-only scans. Attempts are never updated, so only inserts pay for the
-- wider index.
create index webhook_delivery_attempts_webhook_id_idx
  on public.webhook_delivery_attempts (webhook_id, user_id, created_at desc)
  include (cause, outcome, response_time_ms);
alter table public.webhook_delivery_attempts enable row level security;
grant select on public.webhook_delivery_attempts to authenticated;
grant select, insert, update, delete on public.webhook_delivery_attempts to service_role, sb_service;
create table partitions.webhook_delivery_attempts_first partition of public.webhook_delivery_attempts
  for values from (minvalue) to (maxvalue);
alter table partitions.webhook_delivery_attempts_first enable row level security;

-- Sends the failed deliveries of a period once more, batch by batch; the cursor moves in the transaction of its batch.
create table public.webhook_recoveries (
  id uuid default private.new_id() constraint webhook_recoveries_pkey primary key,
  webhook_id uuid not null,
  user_id uuid not null,
  since timestamptz not null,
  until timestamptz not null default now(),
  status text not null default 'running' constraint webhook_recoveries_status_known
    check (status in ('running', 'completed')),
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
create unique index webhook_recoveries_one_running_idx on public.webhook_recoveries (webhook_id)
  where status = 'running';
create index webhook_recoveries_webhook_id_idx on public.webhook_recoveries (webhook_id, user_id);
create index webhook_recoveries_user_id_idx on public.webhook_recoveries (user_id, created_at desc);
alter table public.webhook_recoveries enable row level security;
grant select on public.webhook_recoveries to authenticated;
grant select, insert, update, delete on public.webhook_recoveries to service_role, sb_service;

-- The queue of deliveries. It is narrow and changes often; wide columns stay in the delivery.
create table private.webhook_queue (
  delivery_id uuid constraint webhook_queue_pkey primary key,
  webhook_id uuid not null,
  event_seq bigint not null,
  run_at timestamptz not null default now(),
  claim uuid,
  lease_until timestamptz,
  cause text not null default 'schedule'
    constraint webhook_queue_cause_known check (cause in ('schedule', 'manual', 'test', 'replay')),
  -- Attempts of earlier rounds do not count against the retries of this one.
  attempts_before integer not null default 0,
  traceparent text constraint webhook_queue_traceparent_valid
    check (traceparent is not distinct from private.parse_traceparent(traceparent))
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0);
create index webhook_queue_webhook_id_idx on private.webhook_queue (webhook_id, run_at, event_seq);
alter table private.webhook_queue enable row level security;
grant select, insert, update, delete on private.webhook_queue to sb_service;

-- The state of each webhook's deliveries: when one is due, and how the endpoint responds. Written by the dispatcher
-- alone.
create table private.webhook_endpoint_queues (
  webhook_id uuid constraint webhook_endpoint_queues_pkey primary key,
  next_due_at timestamptz not null default now(),
  served_at timestamptz not null default '-infinity',
  paused_until timestamptz,
  failing_since timestamptz,
  failed_in_a_row integer not null default 0,
  warned_at timestamptz,
  -- The later of the two: deliveries that become due during a pause wait for its end.
  due_at timestamptz generated always as (greatest(next_due_at, paused_until)) stored
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0);
create index webhook_endpoint_queues_due_idx on private.webhook_endpoint_queues (due_at);
alter table private.webhook_endpoint_queues enable row level security;
grant select, insert, update, delete on private.webhook_endpoint_queues to sb_service;

-- Enabling a webhook inserts a row here and does not touch its endpoint queue: only the dispatcher locks endpoint
-- queues, never the transaction of a caller.
create table private.webhook_resumptions (
  id bigint generated always as identity constraint webhook_resumptions_pkey primary key,
  webhook_id uuid not null
);
alter table private.webhook_resumptions enable row level security;
grant select, insert, update, delete on private.webhook_resumptions to sb_service;

-- The limit of webhook sends per user and minute. Deliveries beyond it wait: none is lost, and waiting is not an
-- attempt. The statements that claim deliveries also count them, in the database, so that all nodes share one count.
--
-- Lock order: windows (by user id), then endpoint queues (by webhook id). No transaction waits for a window while it
-- holds an endpoint queue.
--
-- The current window of each user. There is no foreign key to the user, because deleting an account would then have to
-- wait for claims; housekeeping deletes every row an hour after its window.
create table private.webhook_send_windows (
  user_id uuid constraint webhook_send_windows_pkey primary key,
  -- The time of the first send. The window ends one minute later.
  opened_at timestamptz not null,
  sent integer not null,
  -- How much the last request for sends was granted; the upsert that wrote it returns it.
  granted integer not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0);
alter table private.webhook_send_windows enable row level security;
grant select, insert, update, delete on private.webhook_send_windows to sb_service;

-- after functions

create policy webhooks_select on public.webhooks for select to authenticated using (user_id = (select auth.uid()));
create policy webhooks_insert on public.webhooks for insert to authenticated with check (user_id = (select auth.uid()));
create policy webhooks_update on public.webhooks for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy webhooks_delete on public.webhooks for delete to authenticated using (user_id = (select auth.uid()));
create policy webhooks_service on public.webhooks to service_role, sb_service using (true) with check (true);

create trigger webhooks_check_subscription before insert or update of name, events, filter, receives_app_events
  on public.webhooks for each row execute function private.prepare_subscription();
create trigger webhooks_prepare before insert or update on public.webhooks for each row
  execute function private.prepare_webhook();
create trigger webhooks_stamp before insert or update on public.webhooks for each row
  execute function private.stamp_created_and_updated();
create trigger webhooks_freeze before update of id, api_version, run_id, bodies on public.webhooks for each row
  when ((new.id, new.api_version, new.run_id, new.bodies)
    is distinct from (old.id, old.api_version, old.run_id, old.bodies))
  execute function private.reject_change('id', 'api_version', 'run_id', 'bodies');
create trigger webhooks_keep_owner before update of user_id on public.webhooks for each row
  when (new.user_id is distinct from old.user_id) execute function private.reject_transfer('user_id');
create trigger webhooks_freeze_managed before update of disabled_reason, disabled_at on public.webhooks for each row
  when (current_user in ('anon', 'authenticated', 'api_key') and not new.is_active
    and (new.disabled_reason, new.disabled_at) is distinct from (old.disabled_reason, old.disabled_at))
  execute function private.reject_change('disabled_reason', 'disabled_at');
create trigger webhooks_record_resumption after update of is_active on public.webhooks for each row
  when (new.is_active and not old.is_active) execute function private.record_webhook_resumption();
create trigger webhooks_limit_filters after insert or update of filter on public.webhooks for each row
  when (new.filter is not null) execute function private.limit_filters();
create trigger webhooks_limit after insert on public.webhooks referencing new table as new_rows
  for each statement execute function private.enforce_webhook_limit();
create trigger webhooks_count_deleted after delete on public.webhooks referencing old table as old_rows
  for each statement execute function private.count_deleted_webhooks();
create trigger webhooks_count_truncated after truncate on public.webhooks
  for each statement execute function private.count_truncated_webhooks();
create trigger webhooks_check_run before insert on public.webhooks for each row
  when (new.run_id is not null) execute function private.check_webhook_run();
create trigger webhooks_follow_run after insert on public.webhooks for each row
  when (new.run_id is not null) execute function private.follow_run();
create trigger webhooks_delete_deliveries after delete on public.webhooks referencing old table as old_rows
  for each statement execute function private.delete_webhook_deliveries();
create trigger webhooks_enqueue_mails after update on public.webhooks
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.enqueue_webhook_mails();

create policy webhook_skips_service on private.webhook_skips to sb_service using (true) with check (true);
create policy webhook_counters_service on private.webhook_counters to sb_service using (true) with check (true);

create policy webhook_previous_secrets_service on private.webhook_previous_secrets to sb_service
  using (true) with check (true);

create policy webhook_deliveries_select on public.webhook_deliveries for select to authenticated
  using (user_id = (select auth.uid()));
create policy webhook_deliveries_service on public.webhook_deliveries to service_role, sb_service
  using (true) with check (true);

create policy webhook_delivery_attempts_select on public.webhook_delivery_attempts for select to authenticated
  using (user_id = (select auth.uid()));
create policy webhook_delivery_attempts_service on public.webhook_delivery_attempts to service_role, sb_service
  using (true) with check (true);

-- What foreign keys would do. The statements of the service lock the webhook themselves before they insert.
create trigger webhook_deliveries_require_webhook before insert or update of webhook_id, user_id
  on public.webhook_deliveries for each row when (current_user not in ('sb_service', 'swarmbase_owner'))
  execute function private.require_webhook('webhook_deliveries');
create trigger webhook_delivery_attempts_require_webhook before insert or update of webhook_id, user_id
  on public.webhook_delivery_attempts for each row when (current_user not in ('sb_service', 'swarmbase_owner'))
  execute function private.require_webhook('webhook_delivery_attempts');

-- A second partition: PostgreSQL 18 ignores planner settings for a table with a single one.
select private.close_last_partition('public.webhook_deliveries', private.get_first_id(now() + interval '1 day')),
  private.close_last_partition('public.webhook_delivery_attempts', private.get_first_id(now() + interval '1 day'));

create policy webhook_recoveries_select on public.webhook_recoveries for select to authenticated
  using (user_id = (select auth.uid()));
create policy webhook_recoveries_service on public.webhook_recoveries to service_role, sb_service
  using (true) with check (true);

create policy webhook_queue_service on private.webhook_queue to sb_service using (true) with check (true);
create policy webhook_endpoint_queues_service on private.webhook_endpoint_queues to sb_service
  using (true) with check (true);
create policy webhook_resumptions_service on private.webhook_resumptions to sb_service using (true) with check (true);
create policy webhook_send_windows_service on private.webhook_send_windows to sb_service using (true) with check (true);

create trigger webhook_resumptions_announce before insert on private.webhook_resumptions for each row
  when (pg_catalog.current_setting('swarmbase.is_webhook_work_announced', true) is distinct from 'on')
  execute function private.announce_webhook_work();

-- Replaced secrets that still sign. The view has their times and never the secret itself.
create view public.webhook_previous_secrets with (security_barrier) as
  select p.id, p.webhook_id, p.created_at, p.expires_at
  from private.webhook_previous_secrets p
  join public.webhooks w on w.id = p.webhook_id
  where p.expires_at > now() and (current_user = 'service_role' or w.user_id = (select auth.uid()))
    and (select private.require_scopes('read'));
revoke insert, update, delete on public.webhook_previous_secrets from service_role;
grant select on public.webhook_previous_secrets to authenticated, service_role;

-- Unfinished deliveries of each webhook. Counts up to 10,000, which bounds the cost.
create view public.webhook_backlog with (security_barrier) as
  select w.id as webhook_id, waiting.pending, waiting.retrying,
    coalesce((select s.skipped from private.webhook_skips s where s.webhook_id = w.id), 0) as skipped
  from public.webhooks w
  cross join lateral (
    select count(*) filter (where d.status = 'pending')::integer as pending,
      count(*) filter (where d.status = 'retrying')::integer as retrying
    from (select q.delivery_id from private.webhook_queue q where q.webhook_id = w.id limit 10000) as few
    join public.webhook_deliveries d on d.id = few.delivery_id) as waiting
  where (current_user = 'service_role' or w.user_id = (select auth.uid()))
    and (select private.require_portal_or_scopes('read'));
revoke insert, update, delete on public.webhook_backlog from service_role;
grant select on public.webhook_backlog to authenticated, service_role;
