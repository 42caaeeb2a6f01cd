-- Schemas: `auth` (identity), `private` (helpers, queue, events, keys), `public` (what the REST interface serves).
-- Every object belongs to swarmbase_owner, which never serves a request. Roles themselves are made before migrations run.

create schema auth;
alter table private.migrations enable row level security;

-- Functions are executable by nobody unless granted: a helper that runs with its owner's rights must name its callers.
alter default privileges revoke execute on functions from public;

grant usage on schema public to anon, authenticated, service_role;
grant usage on schema auth to anon, authenticated, service_role, sb_service;
-- Names in `private` resolve for everybody because triggers run as the caller; what may be called is granted function by function.
grant usage on schema private to anon, authenticated, service_role, sb_service;

-- Tables that are added later by the owner are open to the service role, as the role promises; everybody else follows the table's own grants.
alter default privileges in schema public grant select, insert, update, delete on tables to service_role;
alter default privileges in schema public grant usage, select on sequences to service_role;

-- Ids are UUIDs of version 7: they grow with time, so index pages and WAL stay dense.
do $do$
begin
  if current_setting('server_version_num')::int >= 180000 then
    create function private.new_id() returns uuid language sql volatile parallel safe
    as 'select pg_catalog.uuidv7()';
  else
    create function private.new_id() returns uuid language sql volatile parallel safe
    as $$
      select pg_catalog.encode(
        pg_catalog.set_bit(
          pg_catalog.set_bit(
            pg_catalog.overlay(
              pg_catalog.uuid_send(pg_catalog.gen_random_uuid()),
              pg_catalog.substring(
                pg_catalog.int8send((extract(epoch from pg_catalog.clock_timestamp()) * 1000)::bigint), 3),
              1, 6),
            52, 1),
          53, 1),
        'hex')::uuid
    $$;
  end if;
end
$do$;
grant execute on function private.new_id() to anon, authenticated, service_role, sb_service;

-- 32 random bytes without an extension: the hash of four random UUIDs (488 random bits).
create function private.random_32_bytes() returns bytea language sql volatile parallel safe
as $$
  select pg_catalog.sha256(
    pg_catalog.uuid_send(pg_catalog.gen_random_uuid()) || pg_catalog.uuid_send(pg_catalog.gen_random_uuid())
    || pg_catalog.uuid_send(pg_catalog.gen_random_uuid()) || pg_catalog.uuid_send(pg_catalog.gen_random_uuid()))
$$;
grant execute on function private.random_32_bytes() to authenticated, service_role, sb_service;

-- Who is calling, as the verified token says. The enter statement sets the claims on every transaction.
create function auth.jwt() returns jsonb language sql stable parallel safe
as $$ select coalesce(nullif(pg_catalog.current_setting('request.jwt.claims', true), ''), '{}')::jsonb $$;

create function auth.uid() returns uuid language sql stable parallel safe
as $$ select nullif(coalesce(nullif(pg_catalog.current_setting('request.jwt.claims', true), ''), '{}')::jsonb ->> 'sub', '')::uuid $$;

create function auth.role() returns text language sql stable parallel safe
as $$ select nullif(coalesce(nullif(pg_catalog.current_setting('request.jwt.claims', true), ''), '{}')::jsonb ->> 'role', '') $$;

create function auth.email() returns text language sql stable parallel safe
as $$ select nullif(coalesce(nullif(pg_catalog.current_setting('request.jwt.claims', true), ''), '{}')::jsonb ->> 'email', '') $$;

grant execute on function auth.jwt(), auth.uid(), auth.role(), auth.email()
  to anon, authenticated, service_role, sb_service;

-- Settings that the database itself must know, written by the service when it starts.
create table private.settings (
  name text constraint settings_pkey primary key,
  value jsonb not null
);
alter table private.settings enable row level security;
create policy settings_service on private.settings to sb_service using (true) with check (true);
grant select on private.settings to sb_service;

-- Timestamps are the service's own: whatever an interface role sends for them is ignored, so that a client can send back a
-- whole row that it has read. The owner may set them (imports).
create function private.stamp_created() returns trigger language plpgsql
as $$
begin
  if tg_op = 'INSERT' then
    new.created_at := pg_catalog.now();
  else
    new.created_at := old.created_at;
  end if;
  return new;
end
$$;

create function private.stamp_created_and_updated() returns trigger language plpgsql
as $$
begin
  if tg_op = 'INSERT' then
    new.created_at := pg_catalog.now();
  else
    new.created_at := old.created_at;
  end if;
  new.updated_at := pg_catalog.now();
  return new;
end
$$;

-- Called by triggers whose WHEN clause has seen a change; the arguments are the columns that may not change.
-- The constraint name it reports is what the interface maps to a field.
create function private.refuse_change() returns trigger language plpgsql
as $$
declare
  changed text;
begin
  foreach changed in array tg_argv loop
    if pg_catalog.to_jsonb(new) -> changed is distinct from pg_catalog.to_jsonb(old) -> changed then
      raise exception '% of % cannot be changed', changed, tg_table_name
        using errcode = 'check_violation', schema = tg_table_schema, table = tg_table_name, column = changed,
              constraint = tg_table_name || '_' || changed || '_immutable';
    end if;
  end loop;
  return new;
end
$$;

-- Giving a row to another user is a matter of rights, not of form.
create function private.refuse_transfer() returns trigger language plpgsql
as $$
begin
  raise exception '% cannot be given to another user', tg_table_name
    using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name, column = tg_argv[0],
          constraint = tg_table_name || '_' || tg_argv[0] || '_transfer';
end
$$;

-- Fires before a rule that would refuse the row without saying why: its argument is the column that may not be null.
create function private.require_columns() returns trigger language plpgsql
as $$
begin
  raise exception 'null value in column "%" of relation "%" violates not-null constraint', tg_argv[0], tg_table_name
    using errcode = 'not_null_violation', schema = tg_table_schema, table = tg_table_name, column = tg_argv[0];
end
$$;

-- White space at either end, as Unicode and JavaScript's trim() see it.
create function private.trimmed(value text) returns text language sql immutable parallel safe
as $$
  select pg_catalog.btrim(value, U&' \0009\000A\000B\000C\000D\00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\2028\2029\202F\205F\3000\FEFF')
$$;
grant execute on function private.trimmed(text) to authenticated, service_role, sb_service;

-- For checks on keys of JSON settings: absent is fine, anything but a number in range is not.
create function private.is_number_between(value jsonb, low numeric, high numeric) returns boolean
language sql immutable parallel safe
as $$
  select case
    when value is null then true
    when pg_catalog.jsonb_typeof(value) = 'number' then (value #>> '{}')::numeric between low and high
    else false
  end
$$;
grant execute on function private.is_number_between(jsonb, numeric, numeric) to authenticated, service_role, sb_service;
