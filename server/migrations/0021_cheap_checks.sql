-- Every statement prepares the checks of its table anew, and functions in plain SQL are parsed and inlined again each time: a
-- third of the cost of writing an agent. Functions in plpgsql are not. Strict: what is absent is nothing to check.

create or replace function private.is_number_between(value jsonb, low numeric, high numeric) returns boolean
language plpgsql immutable strict parallel safe
as $$
begin
  return case when pg_catalog.jsonb_typeof(value) = 'number' then (value #>> '{}')::numeric between low and high else false end;
end
$$;

create or replace function private.are_stop_sequences(value jsonb) returns boolean
language plpgsql immutable strict parallel safe
as $$
begin
  return case pg_catalog.jsonb_typeof(value)
    when 'null' then true
    when 'array' then pg_catalog.jsonb_array_length(value) <= 16
      and not pg_catalog.jsonb_path_exists(value, '$[*] ? (@.type() != "string")')
    else false
  end;
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
      and pg_catalog.lower(header.key) !~ '^(host|connection|keep-alive|expect|te|trailer|transfer-encoding|upgrade|user-agent|content-.*|proxy-.*|x-service-.*|webhook-.*)$'
      and pg_catalog.octet_length(header.value #>> '{}') <= 4096
      and (header.value #>> '{}') ~ '^[\x09\x20-\x7e]*$'), true)
    from pg_catalog.jsonb_each(headers) as header)
  end;
end
$$;
