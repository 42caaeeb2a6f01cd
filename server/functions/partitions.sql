-- Partitions by range of a UUIDv7, see docs/decisions/0023-partitions.md. The last partition has no upper bound, so
-- every insert finds one. Closing it at a bound adds the next one.

-- Returns the smallest UUIDv7 of a moment: ids start with their time in milliseconds.
create or replace function private.get_first_id(moment timestamptz) returns uuid language sql stable parallel safe
as $$
  select (pg_catalog.lpad(pg_catalog.to_hex(pg_catalog.floor(extract(epoch from moment) * 1000)::bigint), 12, '0')
    || pg_catalog.repeat('0', 20))::uuid
$$;
grant execute on function private.get_first_id(timestamptz) to sb_service;

-- Returns the partitions in the order of their bounds; a bound is null where there is none. `is_pending` marks one
-- whose detachment has begun.
create or replace function private.list_partitions(parent regclass)
returns table (partition regclass, lower_id uuid, upper_id uuid, is_pending boolean)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select c.oid::regclass, substring(bound.text, 'FROM \(''([^'']+)''\)')::uuid,
    substring(bound.text, 'TO \(''([^'']+)''\)')::uuid, i.inhdetachpending
  from pg_inherits i
  join pg_class c on c.oid = i.inhrelid
  cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as text) as bound
  where i.inhparent = list_partitions.parent
  order by 2 nulls first
$$;
grant execute on function private.list_partitions(regclass) to sb_service;

-- Returns the start of the partition with bounds that `cutoff` lies in, or null if there is none. Such a partition is
-- dropped as a whole when all of its rows are due, so single rows are deleted only below.
create or replace function private.find_prune_bound(parent regclass, cutoff uuid) returns uuid
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select p.lower_id from private.list_partitions(find_prune_bound.parent) p
  where p.lower_id <= find_prune_bound.cutoff and p.upper_id > find_prune_bound.cutoff
$$;
grant execute on function private.find_prune_bound(regclass, uuid) to sb_service;

-- Forbids ids from `bound` on in the last partition, without reading its rows. Returns false if it has such ids.
-- Validate the constraint afterwards, in another transaction, so that the scan holds no lock that a write waits for.
create or replace function private.limit_last_partition(parent regclass, bound uuid) returns boolean
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $$
declare
  last regclass;
  key name;
  has_later boolean;
begin
  select p.partition into strict last from private.list_partitions(limit_last_partition.parent) p
  where p.upper_id is null;
  key := private.get_partition_key(limit_last_partition.parent);
  execute format('alter table %s drop constraint if exists partition_bound', last);
  execute format('select exists (select 1 from %s where %I >= $1)', last, key) into has_later using bound;
  if not has_later then
    execute format('alter table %s add constraint partition_bound check (%I < %L) not valid', last, key, bound);
  end if;
  return not has_later;
end
$$;

create or replace function private.get_partition_key(parent regclass) returns name
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select a.attname
  from pg_partitioned_table t join pg_attribute a on a.attrelid = t.partrelid and a.attnum = t.partattrs[0]
  where t.partrelid = get_partition_key.parent
$$;

-- Gives the last partition an upper bound and adds the next one, with the same storage parameters and replica identity.
-- Everything that takes time comes before the lock of the partitioned table. Returns false, and changes nothing, if the
-- last partition has rows and no valid constraint that spares reading them under the lock.
create or replace function private.close_last_partition(parent regclass, bound uuid) returns boolean
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $$
declare
  last regclass;
  since uuid;
  next text;
  options text;
  identity "char";
  has_rows boolean;
begin
  select p.partition, p.lower_id into strict last, since
  from private.list_partitions(close_last_partition.parent) p where p.upper_id is null;
  if since >= bound then
    raise exception 'the bound % is not after the start of the last partition, %', bound, since;
  end if;
  select array_to_string(c.reloptions, ', '), c.relreplident into options, identity from pg_class c where c.oid = last;
  next := format('partitions.%I', (select c.relname from pg_class c where c.oid = close_last_partition.parent)
    || '_' || left(replace(bound::text, '-', ''), 12));
  execute format('create table %s (like %s including all)%s', next, close_last_partition.parent,
    ' with (' || options || ')');
  execute format('alter table %s enable row level security', next);
  if identity = 'f' then
    execute format('alter table %s replica identity full', next);
  end if;

  execute format('lock table %s in access exclusive mode', close_last_partition.parent);
  execute format('select exists (select 1 from %s)', last) into has_rows;
  if has_rows and not exists (
    select 1 from pg_constraint k
    where k.conrelid = last and k.conname = 'partition_bound' and k.convalidated
      and pg_get_constraintdef(k.oid) ~ (bound::text)) then
    execute format('drop table %s', next);
    return false;
  end if;
  execute format('alter table %s detach partition %s', close_last_partition.parent, last);
  execute format('alter table %s attach partition %s for values from (%s) to (%L)', close_last_partition.parent, last,
    coalesce(quote_literal(since), 'minvalue'), bound);
  execute format('alter table %s attach partition %s for values from (%L) to (maxvalue)', close_last_partition.parent,
    next, bound);
  execute format('alter table %s drop constraint if exists partition_bound', last);
  return true;
end
$$;

-- In place of foreign keys, which partitions do not have. Callers other than the service may name any webhook or run.
-- The argument is the partitioned table: the trigger runs on a partition.
create or replace function private.require_webhook() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform 1 from public.webhooks w where w.id = new.webhook_id and w.user_id = new.user_id for key share;
  if not found then
    raise foreign_key_violation using constraint = tg_argv[0] || '_webhook_id_fkey', table = tg_argv[0],
      schema = 'public', message = 'There is no webhook ' || new.webhook_id || ' of this user.';
  end if;
  return new;
end
$$;

create or replace function private.require_run() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform 1 from public.runs r where r.id = new.run_id and r.swarm_id = new.swarm_id for key share;
  if not found then
    raise foreign_key_violation using constraint = 'run_events_run_id_fkey', table = 'run_events',
      schema = 'public', message = 'There is no run ' || new.run_id || ' in this swarm.';
  end if;
  return new;
end
$$;

create or replace function private.delete_webhook_deliveries() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  delete from public.webhook_deliveries d using old_rows o where d.webhook_id = o.id and d.user_id = o.user_id;
  delete from public.webhook_delivery_attempts a using old_rows o where a.webhook_id = o.id and a.user_id = o.user_id;
  return null;
end
$$;

create or replace function private.delete_run_events() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  delete from public.run_events e using old_rows o where e.run_id = o.id;
  return null;
end
$$;
