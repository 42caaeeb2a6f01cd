-- Schemas: `auth` (identity), `private` (helpers, queues, events, keys), `public` (what the REST interface serves).
-- Every object belongs to swarmbase_owner, which never serves a request. Roles are created before migrations run.
--
-- PostgreSQL reads the condition of a trigger anew for every statement that can fire it. So triggers that guard columns
-- name them, and the functions of others decide for themselves.

create schema auth;
-- Partitions of tables of `public`, see docs/decisions/0023-partitions.md. No role but the owner may enter: rows are
-- read and written through the partitioned tables.
create schema partitions;

-- Functions are executable only by roles with an explicit grant, because some run with their owner's rights.
alter default privileges revoke execute on functions from public;

grant usage on schema public to anon, authenticated, service_role;
grant usage on schema auth to anon, authenticated, service_role, sb_service;
-- Names in `private` resolve for every role, because triggers run as the caller; execution is granted per function. The
-- login of users checks the session before it becomes the caller.
grant usage on schema private to anon, authenticated, service_role, sb_service, sb_user;

-- The service role has access to what the owner adds later; other roles need explicit grants.
alter default privileges in schema public grant select, insert, update, delete on tables to service_role;
alter default privileges in schema public grant usage, select on sequences to service_role;
alter default privileges in schema public grant execute on functions to service_role;

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

-- The identity of the caller from the verified token. The enter statement sets the claims on every transaction.
create function auth.jwt() returns jsonb language sql stable parallel safe
as $$ select coalesce(nullif(pg_catalog.current_setting('request.jwt.claims', true), ''), '{}')::jsonb $$;
grant execute on function auth.jwt() to anon, authenticated, sb_service, service_role;

-- The enter statement also writes the user's id into a setting of its own. Claims alone, as set in psql, work too.
create function auth.uid() returns uuid language sql stable parallel safe
as $$
  select coalesce(nullif(pg_catalog.current_setting('request.jwt.claim.sub', true), ''),
                  nullif(nullif(pg_catalog.current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub', ''))::uuid
$$;
grant execute on function auth.uid() to anon, authenticated, sb_service, service_role;

create function auth.role() returns text language sql stable parallel safe
as $$
  select nullif(
    coalesce(nullif(pg_catalog.current_setting('request.jwt.claims', true), ''), '{}')::jsonb ->> 'role', '')
$$;
grant execute on function auth.role() to anon, authenticated, sb_service, service_role;

create function auth.email() returns text language sql stable parallel safe
as $$
  select nullif(
    coalesce(nullif(pg_catalog.current_setting('request.jwt.claims', true), ''), '{}')::jsonb ->> 'email', '')
$$;
grant execute on function auth.email() to anon, authenticated, sb_service, service_role;

-- Returns the W3C trace context, or null when the text is not one.
create function private.parse_traceparent(header text) returns text language sql immutable parallel safe
as $$ select pg_catalog.substring(header, '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$') $$;
grant execute on function private.parse_traceparent(text) to sb_service;

-- Returns the trace context of the request that makes this change; null unless the request is recorded.
create function private.get_traceparent() returns text language sql stable parallel safe
as $$ select private.parse_traceparent(pg_catalog.current_setting('swarmbase.traceparent', true)) $$;
grant execute on function private.get_traceparent() to sb_service;

-- Removes white space at both ends, as Unicode and JavaScript's trim() define it.
create function private.trim_whitespace(value text) returns text language sql immutable parallel safe
as $$
  select pg_catalog.btrim(value,
    U&' \0009\000A\000B\000C\000D\00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A'
      '\2028\2029\202F\205F\3000\FEFF')
$$;
grant execute on function private.trim_whitespace(text) to authenticated, sb_service, service_role;

-- For checks on keys of JSON settings: absent is valid, anything but a number in range is not.
create function private.is_number_between(value jsonb, low numeric, high numeric) returns boolean
language plpgsql immutable strict parallel safe
as $$
begin
  return case when pg_catalog.jsonb_typeof(value) = 'number' then (value #>> '{}')::numeric between low and high
    else false end;
end
$$;
grant execute on function private.is_number_between(jsonb, numeric, numeric) to authenticated, sb_service, service_role;

create function private.is_whole_number_between(value jsonb, low numeric, high numeric) returns boolean
language plpgsql immutable strict parallel safe
as $$
begin
  return case when pg_catalog.jsonb_typeof(value) <> 'number' then false
    else (value #>> '{}')::numeric between low and high
      and (value #>> '{}')::numeric = pg_catalog.trunc((value #>> '{}')::numeric) end;
end
$$;
grant execute on function private.is_whole_number_between(jsonb, numeric, numeric)
  to authenticated, sb_service, service_role;

-- Settings that the database needs, written by the service when it starts.
create table private.settings (
  name text constraint settings_pkey primary key,
  value jsonb not null
);
alter table private.settings enable row level security;
grant select on private.settings to sb_service;

-- after functions

create policy settings_service on private.settings to sb_service using (true) with check (true);
