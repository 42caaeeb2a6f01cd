-- Plain names for objects of the schema. Renames only what has its old name: a new database has the new names already.

alter table if exists private.webhook_lanes rename to webhook_endpoint_queues;
alter index if exists private.webhook_lanes_due_idx rename to webhook_endpoint_queues_due_idx;
alter index if exists private.webhook_queue_lane_idx rename to webhook_queue_webhook_id_idx;

do $do$
declare
  renamed record;
begin
  -- The primary key, and since PostgreSQL 18 the not-null constraints, which have names of their own.
  for renamed in
    select c.conname, replace(c.conname, 'webhook_lanes_', 'webhook_endpoint_queues_') as new_name
    from pg_catalog.pg_constraint c
    where c.conrelid = 'private.webhook_endpoint_queues'::regclass and c.conname like 'webhook\_lanes\_%'
  loop
    execute format('alter table private.webhook_endpoint_queues rename constraint %I to %I', renamed.conname,
      renamed.new_name);
  end loop;

  if exists (select 1 from pg_catalog.pg_policy where polname = 'webhook_lanes_service') then
    alter policy webhook_lanes_service on private.webhook_endpoint_queues rename to webhook_endpoint_queues_service;
  end if;
end
$do$;

-- Names of parameters change only with a new function.
drop function if exists private.fan_out_events(integer, interval, uuid, interval, integer, integer, uuid[],
  integer[], uuid[], integer);
drop function if exists private.claim_webhook_deliveries(uuid, interval, integer, integer, integer, uuid[], integer[],
  uuid[], integer);
drop function if exists private.read_due_webhook_users(integer, uuid[], integer[], uuid[], uuid[], integer);
drop function if exists private.divide_webhook_sends(uuid[], uuid[], integer[], uuid[], integer[], integer);
drop function if exists private.take_due_deliveries(uuid[], uuid[], integer[], integer, integer, uuid, interval);

-- after functions

drop function if exists private.clear_webhook_lanes(uuid[]);
drop function if exists private.earliest_webhook_send(timestamptz, bigint, integer);
drop function if exists private.is_lane_claimable(timestamptz, integer, uuid, uuid[]);
drop function if exists private.lock_due_webhook_lanes(integer, uuid[], integer[], uuid[], uuid[], integer);
drop function if exists private.postpone_webhook_lanes(uuid[], timestamptz[], integer);
drop function if exists private.resume_webhook_lanes(uuid[]);
