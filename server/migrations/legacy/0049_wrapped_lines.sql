-- Functions that stand in migrations, with lines of at most 120 characters: the same text but for its white space, so that
-- a database that was carried over has the catalogue of a new one.

create or replace function auth.role() returns text language sql stable parallel safe
as $$
  select nullif(
    coalesce(nullif(pg_catalog.current_setting('request.jwt.claims', true), ''), '{}')::jsonb ->> 'role', '')
$$;

create or replace function auth.email() returns text language sql stable parallel safe
as $$
  select nullif(
    coalesce(nullif(pg_catalog.current_setting('request.jwt.claims', true), ''), '{}')::jsonb ->> 'email', '')
$$;

create or replace function private.trimmed(value text) returns text language sql immutable parallel safe
as $$
  select pg_catalog.btrim(value,
    U&' \0009\000A\000B\000C\000D\00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A'
      '\2028\2029\202F\205F\3000\FEFF')
$$;

create or replace function private.is_number_between(value jsonb, low numeric, high numeric) returns boolean
language plpgsql immutable strict parallel safe
as $$
begin
  return case when pg_catalog.jsonb_typeof(value) = 'number' then (value #>> '{}')::numeric between low and high
    else false end;
end
$$;

create or replace function private.are_delivery_headers(headers jsonb) returns boolean
language plpgsql immutable strict parallel safe
as $$
begin
  return case when pg_catalog.jsonb_typeof(headers) <> 'object' then false else (
    select pg_catalog.count(*) <= 20 and coalesce(pg_catalog.bool_and(
      pg_catalog.jsonb_typeof(header.value) = 'string'
      and header.key ~ '^[A-Za-z0-9!#$%&''*+.^_`|~-]{1,128}$'
      and pg_catalog.lower(header.key) !~
        '^(host|connection|keep-alive|expect|te|trailer|transfer-encoding|upgrade|user-agent'
        '|content-.*|proxy-.*|x-service-.*|webhook-.*)$'
      and pg_catalog.octet_length(header.value #>> '{}') <= 4096
      and (header.value #>> '{}') ~ '^[\x09\x20-\x7e]*$'), true)
    from pg_catalog.jsonb_each(headers) as header)
  end;
end
$$;
