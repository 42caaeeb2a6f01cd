-- Webhooks, what was sent to them, and the dispatcher's queue.

create function private.are_delivery_headers(headers jsonb) returns boolean language sql immutable parallel safe
as $$
  select case when pg_catalog.jsonb_typeof(headers) <> 'object' then false else (
    select pg_catalog.count(*) <= 20 and coalesce(pg_catalog.bool_and(
      pg_catalog.jsonb_typeof(header.value) = 'string'
      and header.key ~ '^[A-Za-z0-9!#$%&''*+.^_`|~-]{1,128}$'
      and pg_catalog.lower(header.key) !~ '^(host|connection|keep-alive|expect|te|trailer|transfer-encoding|upgrade|user-agent|content-.*|proxy-.*|x-service-.*|webhook-.*)$'
      and pg_catalog.octet_length(header.value #>> '{}') <= 4096
      and (header.value #>> '{}') ~ '^[\x09\x20-\x7e]*$'), true)
    from pg_catalog.jsonb_each(headers) as header)
  end
$$;
grant execute on function private.are_delivery_headers(jsonb) to authenticated, service_role, sb_service;

create table public.webhooks (
  id uuid default private.new_id() constraint webhooks_pkey primary key,
  user_id uuid not null default auth.uid() constraint webhooks_user_id_fkey references auth.users on delete cascade,
  name text not null constraint webhooks_name_length check (char_length(name) between 1 and 100),
  url text not null constraint webhooks_url_length check (char_length(url) <= 2048)
                    constraint webhooks_url_https check (url ~* '^https://[^/?#\s\\]' and url !~ '[\s\\\x01-\x1f\x7f]'),
  secret text not null,
  events text[] not null
    constraint webhooks_events_not_empty check (cardinality(events) >= 1)
    constraint webhooks_events_known check (events <@ array[
      'message.created', 'message.updated', 'message.deleted', 'message.flagged',
      'swarm.created', 'swarm.updated', 'swarm.deleted', 'swarm.completed', 'swarm.agent_added', 'swarm.agent_removed',
      'agent.created', 'agent.updated', 'agent.deleted', 'agent.error', 'agent.status_changed',
      'tool.executed', 'tool.error',
      'user.joined', 'user.removed', 'user.role_changed']),
  is_active boolean not null default true,
  headers jsonb not null default '{}'
    constraint webhooks_headers_allowed check (private.are_delivery_headers(headers))
    constraint webhooks_headers_size check (octet_length(headers::text) <= 32768),
  retry_count integer not null default 3 constraint webhooks_retry_count_range check (retry_count between 0 and 10),
  timeout_ms integer not null default 30000 constraint webhooks_timeout_ms_range check (timeout_ms between 1 and 120000),
  api_version text not null default '2026-11-15' constraint webhooks_api_version_known check (api_version in ('2026-11-15')),
  disabled_reason text,
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint webhooks_id_user_id_key unique (id, user_id)
);
create index webhooks_user_id_idx on public.webhooks (user_id, created_at desc);
create index webhooks_subscribed_idx on public.webhooks (user_id) include (events) where is_active;
alter table public.webhooks replica identity using index webhooks_id_user_id_key;

-- Secrets that still sign during the grace period after a rotation.
create table private.webhook_previous_secrets (
  webhook_id uuid not null constraint webhook_previous_secrets_webhook_id_fkey references public.webhooks on delete cascade,
  secret text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint webhook_previous_secrets_pkey primary key (webhook_id, secret)
);

-- payload is json, not jsonb: the bytes that were signed once are the bytes of every attempt.
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
  constraint webhook_deliveries_next_retry_at_only_retrying check (next_retry_at is null or status = 'retrying'),
  constraint webhook_deliveries_delivered_at_only_delivered check ((delivered_at is not null) = (status = 'delivered')),
  constraint webhook_deliveries_webhook_id_fkey foreign key (webhook_id, user_id)
    references public.webhooks (id, user_id) on delete cascade
);
create index webhook_deliveries_webhook_id_idx on public.webhook_deliveries (webhook_id, user_id, created_at desc);
create index webhook_deliveries_user_id_idx on public.webhook_deliveries (user_id, created_at desc);
create index webhook_deliveries_created_at_idx on public.webhook_deliveries using brin (created_at);

-- No foreign key to the delivery: both are pruned by age on their own.
create table public.webhook_delivery_attempts (
  id uuid default private.new_id() constraint webhook_delivery_attempts_pkey primary key,
  delivery_id uuid not null,
  webhook_id uuid not null,
  user_id uuid not null,
  attempt integer not null constraint webhook_delivery_attempts_attempt_range check (attempt >= 1),
  cause text not null constraint webhook_delivery_attempts_cause_known check (cause in ('schedule', 'manual', 'test', 'replay')),
  url text not null,
  status_code integer,
  error_code text,
  error text,
  response_body text,
  response_truncated boolean not null default false,
  response_time_ms integer,
  created_at timestamptz not null default now(),
  constraint webhook_delivery_attempts_webhook_id_fkey foreign key (webhook_id, user_id)
    references public.webhooks (id, user_id) on delete cascade
);
create index webhook_delivery_attempts_delivery_id_idx on public.webhook_delivery_attempts (delivery_id, attempt);
create index webhook_delivery_attempts_webhook_id_idx on public.webhook_delivery_attempts (webhook_id, user_id, created_at desc);
create index webhook_delivery_attempts_user_id_idx on public.webhook_delivery_attempts (user_id, created_at desc);
create index webhook_delivery_attempts_created_at_idx on public.webhook_delivery_attempts using brin (created_at);

-- The queue is narrow and hot; wide columns stay in the delivery. Lanes are written by the dispatcher alone.
create table private.webhook_queue (
  delivery_id uuid constraint webhook_queue_pkey primary key,
  webhook_id uuid not null,
  event_seq bigint not null,
  run_at timestamptz not null default now(),
  claim uuid,
  lease_until timestamptz
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
create index webhook_queue_lane_idx on private.webhook_queue (webhook_id, run_at, event_seq);

create table private.webhook_lanes (
  webhook_id uuid constraint webhook_lanes_pkey primary key,
  next_due_at timestamptz not null default now(),
  served_at timestamptz not null default '-infinity',
  paused_until timestamptz,
  failing_since timestamptz,
  failed_in_a_row integer not null default 0
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index webhook_lanes_due_idx on private.webhook_lanes (served_at, next_due_at);

alter table public.webhooks enable row level security;
alter table private.webhook_previous_secrets enable row level security;
alter table public.webhook_deliveries enable row level security;
alter table public.webhook_delivery_attempts enable row level security;
alter table private.webhook_queue enable row level security;
alter table private.webhook_lanes enable row level security;

create policy webhooks_select on public.webhooks for select to authenticated using (user_id = (select auth.uid()));
create policy webhooks_insert on public.webhooks for insert to authenticated with check (user_id = (select auth.uid()));
create policy webhooks_update on public.webhooks for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy webhooks_delete on public.webhooks for delete to authenticated using (user_id = (select auth.uid()));
create policy webhooks_service on public.webhooks to service_role, sb_service using (true) with check (true);
create policy webhook_deliveries_select on public.webhook_deliveries for select to authenticated
  using (user_id = (select auth.uid()));
create policy webhook_deliveries_service on public.webhook_deliveries to service_role, sb_service using (true) with check (true);
create policy webhook_delivery_attempts_select on public.webhook_delivery_attempts for select to authenticated
  using (user_id = (select auth.uid()));
create policy webhook_delivery_attempts_service on public.webhook_delivery_attempts to service_role, sb_service
  using (true) with check (true);
create policy webhook_previous_secrets_service on private.webhook_previous_secrets to sb_service using (true) with check (true);
create policy webhook_queue_service on private.webhook_queue to sb_service using (true) with check (true);
create policy webhook_lanes_service on private.webhook_lanes to sb_service using (true) with check (true);

grant select, insert, update, delete on public.webhooks to authenticated;
grant select on public.webhook_deliveries, public.webhook_delivery_attempts to authenticated;
grant select, insert, update, delete on public.webhooks, public.webhook_deliveries, public.webhook_delivery_attempts
  to service_role, sb_service;
grant select, insert, update, delete on private.webhook_previous_secrets, private.webhook_queue, private.webhook_lanes
  to sb_service;

create function private.prepare_webhook() returns trigger language plpgsql
as $$
begin
  new.name := private.trimmed(new.name);
  if new.events is not null then
    new.events := array(
      select named.event
      from (select event, min(place) as first
            from pg_catalog.unnest(new.events) with ordinality as given (event, place) group by event) as named
      order by named.first);
  end if;
  if tg_op = 'INSERT' then
    -- An upsert of a row that was read before comes through here too, with the secret it has.
    if new.secret is not null and not exists (select 1 from public.webhooks w where w.id = new.id and w.secret = new.secret) then
      raise exception 'the secret is made by the service; use regenerate_secret to replace it'
        using errcode = 'check_violation', schema = 'public', table = 'webhooks', column = 'secret',
              constraint = 'webhooks_secret_managed';
    end if;
    new.secret := coalesce(new.secret, 'whsec_' || pg_catalog.encode(private.random_32_bytes(), 'base64'));
    new.disabled_reason := null;
    new.disabled_at := null;
  else
    if new.secret is distinct from old.secret and current_user in ('anon', 'authenticated', 'service_role') then
      raise exception 'the secret is made by the service; use regenerate_secret to replace it'
        using errcode = 'check_violation', schema = 'public', table = 'webhooks', column = 'secret',
              constraint = 'webhooks_secret_managed';
    end if;
    if new.is_active then
      new.disabled_reason := null;
      new.disabled_at := null;
    end if;
  end if;
  return new;
end
$$;
create trigger webhooks_prepare before insert or update on public.webhooks for each row execute function private.prepare_webhook();
create trigger webhooks_stamp before insert or update on public.webhooks for each row
  when (current_user in ('anon', 'authenticated', 'service_role')) execute function private.stamp_created_and_updated();
create trigger webhooks_freeze before update on public.webhooks for each row
  when ((new.id, new.api_version) is distinct from (old.id, old.api_version))
  execute function private.refuse_change('id', 'api_version');
create trigger webhooks_keep_owner before update on public.webhooks for each row
  when (new.user_id is distinct from old.user_id) execute function private.refuse_transfer('user_id');
create trigger webhooks_freeze_managed before update on public.webhooks for each row
  when (current_user in ('anon', 'authenticated') and not new.is_active
        and (new.disabled_reason, new.disabled_at) is distinct from (old.disabled_reason, old.disabled_at))
  execute function private.refuse_change('disabled_reason', 'disabled_at');
