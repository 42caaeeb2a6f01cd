-- Deliveries, attempts and run events in partitions by range of their UUIDv7, see docs/decisions/0023-partitions.md.
-- The table that exists becomes the first partition, which has the whole range, so that no row is read or moved. The
-- service makes, closes and drops partitions while it runs.

-- No role but the owner may enter: rows are read and written through the partitioned tables.
create schema partitions;

do $do$
declare
  obstacles text;
begin
  select string_agg(found.name, ', ' order by found.name) into obstacles
  from pg_catalog.pg_class c
  cross join lateral (
    select 'view ' || r.ev_class::regclass as name
    from pg_catalog.pg_depend d join pg_catalog.pg_rewrite r on r.oid = d.objid
    where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid
      and r.ev_class is distinct from to_regclass('public.webhook_backlog')
    union
    select 'foreign key ' || k.conname || ' of ' || k.conrelid::regclass from pg_catalog.pg_constraint k
    where k.contype = 'f' and k.confrelid = c.oid
    union
    select 'trigger ' || t.tgname || ' of ' || c.relname from pg_catalog.pg_trigger t
    where not t.tgisinternal and t.tgrelid = c.oid
    union
    select 'policy ' || p.polname || ' of ' || c.relname from pg_catalog.pg_policy p
    where p.polrelid = c.oid and p.polname not in (c.relname || '_select', c.relname || '_service')) as found
  where c.oid = any (array[
    'public.webhook_deliveries', 'public.webhook_delivery_attempts', 'public.run_events']::regclass[]);
  if obstacles is not null then
    raise exception 'tables that become partitioned are used by %', obstacles
      using hint = 'Drop these objects, upgrade, and create them again.';
  end if;
end
$do$;

-- Foreign keys of a partition would lock the tables that they refer to whenever a partition is attached or dropped.
-- Triggers take their place. REST still embeds over them.
alter table public.webhook_deliveries drop constraint webhook_deliveries_webhook_id_fkey;
alter table public.webhook_delivery_attempts drop constraint webhook_delivery_attempts_webhook_id_fkey;
alter table public.run_events drop constraint run_events_run_id_fkey;

do $do$
declare
  name text;
  first regclass;
  found record;
begin
  foreach name in array array['webhook_deliveries', 'webhook_delivery_attempts', 'run_events'] loop
    execute format('alter table public.%I set schema partitions', name);
    execute format('alter table partitions.%I rename to %I', name, name || '_first');
    first := format('partitions.%I', name || '_first');
    execute format('create table public.%I (like %s including comments including compression including constraints '
      'including defaults including storage) partition by range (%I)', name, first,
      case name when 'run_events' then 'run_id' else 'id' end);
    for found in select p.polname from pg_catalog.pg_policy p where p.polrelid = first loop
      execute format('drop policy %I on %s', found.polname, first);
    end loop;
    execute format('revoke all on %s from authenticated, service_role, sb_service', first);
    for found in
      select p.pubname from pg_catalog.pg_publication_rel r join pg_catalog.pg_publication p on p.oid = r.prpubid
      where r.prrelid = first
    loop
      execute format('alter publication %I drop table only %s', found.pubname, first);
      execute format('alter publication %I add table public.%I', found.pubname, name);
    end loop;
  end loop;
  -- Their parameters are rows of the old table. The function files create them with rows of the new one.
  for found in
    select p.oid::regprocedure as signature
    from pg_catalog.pg_proc p
    join pg_catalog.pg_type t on t.typrelid = 'partitions.run_events_first'::regclass
    where array[t.oid, t.typarray] && (p.proargtypes::oid[] || coalesce(p.proallargtypes, '{}') || p.prorettype)
  loop
    execute format('drop function %s', found.signature);
  end loop;
end
$do$;

alter table public.webhook_deliveries add constraint webhook_deliveries_pkey primary key (id);
create index webhook_deliveries_webhook_id_idx on public.webhook_deliveries (webhook_id, user_id, created_at desc);
create index webhook_deliveries_user_id_idx on public.webhook_deliveries (user_id, created_at desc);
create index webhook_deliveries_created_at_idx on public.webhook_deliveries using brin (created_at);
create index webhook_deliveries_event_id_idx on public.webhook_deliveries (event_id);
alter table public.webhook_deliveries enable row level security;
grant select on public.webhook_deliveries to authenticated;
grant select, insert, update, delete on public.webhook_deliveries to service_role, sb_service;
alter table public.webhook_deliveries attach partition partitions.webhook_deliveries_first
  for values from (minvalue) to (maxvalue);

alter table public.webhook_delivery_attempts add constraint webhook_delivery_attempts_pkey primary key (id);
create index webhook_delivery_attempts_delivery_id_idx on public.webhook_delivery_attempts (delivery_id, attempt);
create index webhook_delivery_attempts_user_id_idx on public.webhook_delivery_attempts (user_id, created_at desc);
create index webhook_delivery_attempts_created_at_idx on public.webhook_delivery_attempts using brin (created_at);
create index webhook_delivery_attempts_webhook_id_idx
  on public.webhook_delivery_attempts (webhook_id, user_id, created_at desc)
  include (cause, outcome, response_time_ms);
alter table public.webhook_delivery_attempts enable row level security;
grant select on public.webhook_delivery_attempts to authenticated;
grant select, insert, update, delete on public.webhook_delivery_attempts to service_role, sb_service;
alter table public.webhook_delivery_attempts attach partition partitions.webhook_delivery_attempts_first
  for values from (minvalue) to (maxvalue);

-- By the run, so that all events of a run are in one partition and its key remains the primary key.
alter table public.run_events add constraint run_events_pkey primary key (run_id, seq);
create index run_events_swarm_id_idx on public.run_events (swarm_id, run_id);
create index run_events_created_at_idx on public.run_events using brin (created_at);
alter table public.run_events replica identity full;
alter table public.run_events enable row level security;
grant select on public.run_events to authenticated;
grant select, insert, update, delete on public.run_events to service_role, sb_service;
alter table public.run_events attach partition partitions.run_events_first for values from (minvalue) to (maxvalue);

-- after functions

drop policy if exists webhook_deliveries_select on public.webhook_deliveries;
drop policy if exists webhook_deliveries_service on public.webhook_deliveries;
create policy webhook_deliveries_select on public.webhook_deliveries for select to authenticated
  using (user_id = (select auth.uid()));
create policy webhook_deliveries_service on public.webhook_deliveries to service_role, sb_service
  using (true) with check (true);

drop policy if exists webhook_delivery_attempts_select on public.webhook_delivery_attempts;
drop policy if exists webhook_delivery_attempts_service on public.webhook_delivery_attempts;
create policy webhook_delivery_attempts_select on public.webhook_delivery_attempts for select to authenticated
  using (user_id = (select auth.uid()));
create policy webhook_delivery_attempts_service on public.webhook_delivery_attempts to service_role, sb_service
  using (true) with check (true);

drop policy if exists run_events_select on public.run_events;
drop policy if exists run_events_service on public.run_events;
create policy run_events_select on public.run_events for select to authenticated
  using (swarm_id = any (array(select private.my_swarm_ids()))
         and (not restricted or swarm_id = any (array(select private.my_managed_swarm_ids()))
              or exists (select 1 from public.agents a
                         where a.id = run_events.agent_id and a.user_id = (select auth.uid())
                           and a.created_at <= run_events.created_at)));
create policy run_events_service on public.run_events to service_role, sb_service using (true) with check (true);

-- What foreign keys did. The statements of the service lock the webhook or the run themselves before they insert.
create trigger webhook_deliveries_require_webhook before insert or update of webhook_id, user_id
  on public.webhook_deliveries for each row when (current_user not in ('sb_service', 'swarmbase_owner'))
  execute function private.require_webhook('webhook_deliveries');
create trigger webhook_delivery_attempts_require_webhook before insert or update of webhook_id, user_id
  on public.webhook_delivery_attempts for each row when (current_user not in ('sb_service', 'swarmbase_owner'))
  execute function private.require_webhook('webhook_delivery_attempts');
create trigger run_events_require_run before insert or update of run_id, swarm_id on public.run_events for each row
  when (current_user not in ('sb_service', 'swarmbase_owner')) execute function private.require_run();
create trigger webhooks_delete_deliveries after delete on public.webhooks referencing old table as old_rows
  for each statement execute function private.delete_webhook_deliveries();
create trigger runs_delete_events after delete on public.runs referencing old table as old_rows
  for each statement execute function private.delete_run_events();

-- It must read the partitioned table.
create or replace view public.webhook_backlog with (security_barrier) as
  select w.id as webhook_id, waiting.pending, waiting.retrying
  from public.webhooks w
  cross join lateral (
    select count(*) filter (where d.status = 'pending')::integer as pending,
      count(*) filter (where d.status = 'retrying')::integer as retrying
    from (select q.delivery_id from private.webhook_queue q where q.webhook_id = w.id limit 10000) as few
    join public.webhook_deliveries d on d.id = few.delivery_id) as waiting
  where current_user = 'service_role' or w.user_id = (select auth.uid());

-- A second partition for tables that are quickly read. PostgreSQL 18 ignores planner settings for a table with a single
-- one. The service adds it to larger tables.
do $do$
declare
  name text;
  first regclass;
  bound constant uuid := private.get_first_id(now() + interval '1 day');
begin
  foreach name in array array['public.webhook_deliveries', 'public.webhook_delivery_attempts', 'public.run_events'] loop
    select p.partition into strict first from private.list_partitions(name::regclass) p;
    if pg_catalog.pg_relation_size(first) < 128 * 1024 * 1024
        and private.limit_last_partition(name::regclass, bound) then
      execute format('alter table %s validate constraint partition_bound', first);
      perform private.close_last_partition(name::regclass, bound);
    end if;
  end loop;
end
$do$;

select private.sync_feed_publication();
