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
    constraint events_traceparent_valid check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
comment on column private.events.audience is 'users who could read the changed rows when the event occurred';
alter table private.events enable row level security;
grant select, insert, update, delete on private.events to sb_service;

-- after functions

create policy events_service on private.events to sb_service using (true) with check (true);

-- A transaction that makes work for the webhook workers tells the service so.
create trigger events_announce before insert on private.events for each row
  when (pg_catalog.current_setting('swarmbase.is_webhook_work_announced', true) is distinct from 'on')
  execute function private.announce_webhook_work();
