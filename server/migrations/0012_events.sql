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
comment on column public.event_types.schema is
  'JSON Schema of `data`. The function `events` rejects events that do not satisfy it; SQL and `rpc` do not check it.';
comment on column public.event_types.users_may_emit is
  'Whether users may emit it, for themselves and for swarms that they belong to.';
comment on column public.event_types.listed is
  'False: users neither see the type nor can subscribe to it or emit it.';
alter table public.event_types enable row level security;
grant select on public.event_types to authenticated;
grant select, insert, update, delete on public.event_types to service_role, sb_service;

-- after functions

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
