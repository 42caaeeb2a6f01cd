-- One row per event, inserted in the transaction of the change and deleted by the worker that turns it into deliveries.
-- Triggers insert only where an active webhook subscribes to the event.

create table private.events (
  seq bigint generated always as identity constraint events_pkey primary key,
  id uuid not null default private.new_id(),
  type text not null,
  data json not null,
  audience uuid[] not null,
  created_at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
comment on column private.events.audience is 'users who could read the changed rows when the event occurred';
alter table private.events enable row level security;
grant select, insert, update, delete on private.events to sb_service;

-- after functions

create policy events_service on private.events to sb_service using (true) with check (true);
