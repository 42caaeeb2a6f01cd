-- One row per event, inserted in the transaction of the change and deleted by the worker that turns it into deliveries.
-- Triggers insert only where an active webhook subscribes to the event.

create table private.events (
  seq bigint generated always as identity constraint events_pkey primary key,
  id uuid not null default private.new_id(),
  type text not null,
  data json not null,
  audience uuid[] not null,
  created_at timestamptz not null default now(),
  -- The W3C trace context of the request that caused the event, for the spans of its deliveries. Null unless the
  -- service records the trace of the request. The queue keeps it for retries; both rows are deleted after use. Checked
  -- without a function: PostgreSQL reads the text of an SQL function again for each statement.
  traceparent text default private.get_traceparent()
    constraint events_traceparent_valid check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'),
  -- An event of the app for nobody in particular: only webhooks with `receives_app_events` get it.
  is_for_app boolean not null default false
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
comment on column private.events.audience is 'users who could read the changed rows when the event occurred';
alter table private.events enable row level security;
grant select, insert, update, delete on private.events to sb_service;

-- The types of the app's own events. The service role writes them.
create table public.event_types (
  id uuid default private.new_id() constraint event_types_pkey primary key,
  name text not null constraint event_types_name_key unique
    constraint event_types_name_length check (char_length(name) <= 100)
    constraint event_types_name_format check (name ~ '^app(\.[a-z][a-z0-9_]*)+$'),
  description text constraint event_types_description_length check (char_length(description) <= 2000),
  schema jsonb constraint event_types_schema_object check (jsonb_typeof(schema) = 'object')
               constraint event_types_schema_size check (octet_length(schema::text) <= 32768),
  example jsonb constraint event_types_example_object check (jsonb_typeof(example) = 'object')
                constraint event_types_example_size check (octet_length(example::text) <= 32768),
  users_may_emit boolean not null default false,
  listed boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
alter table public.event_types enable row level security;
grant select on public.event_types to authenticated;
grant select, insert, update, delete on public.event_types to service_role, sb_service;

-- Event feeds: receivers without an address read the events that a webhook would have been sent.
create table public.event_feeds (
  id uuid default private.new_id() constraint event_feeds_pkey primary key,
  user_id uuid not null default auth.uid() constraint event_feeds_user_id_fkey references auth.users on delete cascade,
  name text not null constraint event_feeds_name_length check (char_length(name) between 1 and 100),
  events text[] not null
    constraint event_feeds_events_not_empty check (cardinality(events) >= 1)
    constraint event_feeds_events_known check (events <@ (array[
      'message.created', 'message.updated', 'message.deleted', 'message.flagged',
      'swarm.created', 'swarm.updated', 'swarm.deleted', 'swarm.completed', 'swarm.agent_added', 'swarm.agent_removed',
      'run.updated',
      'agent.created', 'agent.updated', 'agent.deleted', 'agent.error', 'agent.status_changed',
      'tool.executed', 'tool.error',
      'user.joined', 'user.removed', 'user.role_changed'] || private.list_app_types(events))),
  filter jsonb constraint event_feeds_filter_size check (octet_length(filter::text) <= 4096),
  receives_app_events boolean not null default false,
  api_version text not null default '2026-11-15'
    constraint event_feeds_api_version_known check (api_version in ('2026-11-15')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index event_feeds_user_id_idx on public.event_feeds (user_id) include (events);
create index event_feeds_run_updated_idx on public.event_feeds (user_id) where 'run.updated' = any (events);
create index event_feeds_receives_app_events_idx on public.event_feeds (user_id) include (events)
  where receives_app_events;
alter table public.event_feeds enable row level security;
grant select, insert, update, delete on public.event_feeds to authenticated, service_role, sb_service;

-- What webhooks and feeds subscribe to. Every function that writes events asks it.
create view private.subscriptions with (security_invoker = true) as
  select w.user_id, w.events, w.receives_app_events from public.webhooks w where w.is_active
  union all
  select f.user_id, f.events, f.receives_app_events from public.event_feeds f;
grant select on private.subscriptions to sb_service;

-- The last position of each feed. The fan-out adds events under the lock of this row, which it holds until it commits:
-- a position is visible only when all positions before it are, whatever the order in which fan-outs and the
-- transactions of events commit.
create table private.event_feed_positions (
  feed_id uuid constraint event_feed_positions_pkey primary key
    constraint event_feed_positions_feed_id_fkey references public.event_feeds on delete cascade,
  position bigint not null,
  -- How many events the filter did not let pass.
  skipped bigint not null
) with (fillfactor = 50);
alter table private.event_feed_positions enable row level security;
grant select, insert, update, delete on private.event_feed_positions to sb_service;

create table private.event_feed_entries (
  id uuid default private.new_id() constraint event_feed_entries_pkey primary key,
  feed_id uuid not null constraint event_feed_entries_feed_id_fkey references public.event_feeds on delete cascade,
  position bigint not null,
  event_id uuid not null,
  -- json, not jsonb: readers get the bytes that a delivery would have sent.
  payload json not null,
  bytes integer not null,
  created_at timestamptz not null default now(),
  constraint event_feed_entries_feed_id_position_key unique (feed_id, position)
);
alter table private.event_feed_entries enable row level security;
grant select, insert, update, delete on private.event_feed_entries to sb_service;

-- How far each consumer of a feed is.
create table private.event_feed_consumers (
  feed_id uuid not null constraint event_feed_consumers_feed_id_fkey references public.event_feeds on delete cascade,
  consumer text not null,
  position bigint not null,
  updated_at timestamptz not null default now(),
  constraint event_feed_consumers_pkey primary key (feed_id, consumer)
);
alter table private.event_feed_consumers enable row level security;
grant select, insert, update, delete on private.event_feed_consumers to sb_service;

-- after functions

create policy event_feeds_select on public.event_feeds for select to authenticated
  using (user_id = (select auth.uid()));
create policy event_feeds_insert on public.event_feeds for insert to authenticated
  with check (user_id = (select auth.uid()));
create policy event_feeds_update on public.event_feeds for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy event_feeds_delete on public.event_feeds for delete to authenticated
  using (user_id = (select auth.uid()));
create policy event_feeds_service on public.event_feeds to service_role, sb_service using (true) with check (true);
create trigger event_feeds_check_subscription before insert or update of name, events, filter, receives_app_events
  on public.event_feeds for each row execute function private.prepare_subscription();
create trigger event_feeds_stamp before insert or update on public.event_feeds for each row
  execute function private.stamp_created_and_updated();
create trigger event_feeds_freeze before update of id, api_version on public.event_feeds for each row
  when ((new.id, new.api_version) is distinct from (old.id, old.api_version))
  execute function private.reject_change('id', 'api_version');
create trigger event_feeds_keep_owner before update of user_id on public.event_feeds for each row
  when (new.user_id is distinct from old.user_id) execute function private.reject_transfer('user_id');
create trigger event_feeds_limit_filters after insert or update of filter on public.event_feeds for each row
  when (new.filter is not null) execute function private.limit_filters();
create trigger event_feeds_limit after insert on public.event_feeds for each row
  execute function private.limit_rows_of_user('100');

create policy event_feed_positions_service on private.event_feed_positions to sb_service
  using (true) with check (true);
create policy event_feed_entries_service on private.event_feed_entries to sb_service using (true) with check (true);
create policy event_feed_consumers_service on private.event_feed_consumers to sb_service
  using (true) with check (true);

-- What is stored of each feed, and how far its consumers are. Positions have no gaps, so differences count events.
create view public.event_feed_backlog with (security_barrier) as
  select f.id as feed_id, coalesce(last.position - oldest.position + 1, 0) as events,
    coalesce(last.skipped, 0) as skipped, readers.consumers
  from public.event_feeds f
  left join private.event_feed_positions last on last.feed_id = f.id
  left join lateral (
    select e.position from private.event_feed_entries e where e.feed_id = f.id order by e.position limit 1
  ) as oldest on true
  cross join lateral (
    select coalesce(jsonb_agg(jsonb_build_object(
      'consumer', c.consumer,
      'cursor', private.render_feed_cursor(c.feed_id, c.position),
      'waiting', coalesce(last.position - greatest(c.position, oldest.position - 1), 0),
      'committed_at', c.updated_at) order by c.consumer), '[]') as consumers
    from private.event_feed_consumers c where c.feed_id = f.id) as readers
  where (current_user = 'service_role' or f.user_id = (select auth.uid())) and (select private.require_scopes('read'));
revoke insert, update, delete on public.event_feed_backlog from service_role;
grant select on public.event_feed_backlog to authenticated, service_role;

-- A name exists for a writer who may read its row, so nobody learns the names of types that are not listed.
create policy event_types_select on public.event_types for select to authenticated using (listed);
create policy event_types_service on public.event_types to service_role, sb_service using (true) with check (true);
create trigger event_types_stamp before insert or update on public.event_types for each row
  execute function private.stamp_created_and_updated();
create trigger event_types_freeze before update of id, name on public.event_types for each row
  when ((new.id, new.name) is distinct from (old.id, old.name)) execute function private.reject_change('id', 'name');

create policy events_service on private.events to sb_service using (true) with check (true);

-- A transaction that makes work for the webhook workers tells the service so.
create trigger events_announce before insert on private.events for each row
  when (pg_catalog.current_setting('swarmbase.is_webhook_work_announced', true) is distinct from 'on')
  execute function private.announce_webhook_work();
