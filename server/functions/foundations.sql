-- What the tables have in common: timestamps, columns that never change, and limits that a request sets for its own
-- effect.

-- Returns 32 random bytes without an extension: the hash of four random UUIDs (488 random bits).
create or replace function private.random_32_bytes() returns bytea language sql volatile parallel safe
as $$
  select pg_catalog.sha256(
    pg_catalog.uuid_send(pg_catalog.gen_random_uuid()) || pg_catalog.uuid_send(pg_catalog.gen_random_uuid())
    || pg_catalog.uuid_send(pg_catalog.gen_random_uuid()) || pg_catalog.uuid_send(pg_catalog.gen_random_uuid()))
$$;
grant execute on function private.random_32_bytes() to authenticated, sb_service, service_role;

-- The service sets timestamps and ignores what an interface role sends for them, so that a client can send back a whole
-- row that it has read. The owner may set them (imports).
create or replace function private.stamp_created() returns trigger language plpgsql
as $$
begin
  if current_user not in ('anon', 'authenticated', 'api_key', 'service_role') then
    return new;
  end if;
  if tg_op = 'INSERT' then
    new.created_at := pg_catalog.now();
  else
    new.created_at := old.created_at;
  end if;
  return new;
end
$$;

create or replace function private.stamp_created_and_updated() returns trigger language plpgsql
as $$
begin
  if current_user not in ('anon', 'authenticated', 'api_key', 'service_role') then
    return new;
  end if;
  if tg_op = 'INSERT' then
    new.created_at := pg_catalog.now();
  else
    new.created_at := old.created_at;
  end if;
  new.updated_at := pg_catalog.now();
  return new;
end
$$;

-- Called by triggers whose WHEN clause has found a change; the arguments are the columns that must not change. The
-- interface maps the constraint name in the error to a field.
create or replace function private.reject_change() returns trigger language plpgsql
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

-- Giving a row to another user is a missing privilege, not an invalid value.
create or replace function private.reject_transfer() returns trigger language plpgsql
as $$
begin
  raise exception '% cannot be given to another user', tg_table_name
    using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name, column = tg_argv[0],
          constraint = tg_table_name || '_' || tg_argv[0] || '_transfer';
end
$$;

-- Rejects rows beyond as many as a user may have, the argument. The lock makes the limit exact.
create or replace function private.limit_rows_of_user() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  has_more boolean;
begin
  perform pg_advisory_xact_lock(hashtextextended(new.user_id::text, tg_relid::bigint));
  execute format('select count(*) > $2 from %s where user_id = $1', tg_relid::regclass)
    into has_more using new.user_id, tg_argv[0]::integer;
  if has_more then
    raise exception 'a user has at most % %', tg_argv[0], replace(tg_table_name, '_', ' ')
      using errcode = 'check_violation', schema = tg_table_schema, table = tg_table_name, column = 'user_id',
            constraint = tg_table_name || '_user_id_limit';
  end if;
  return null;
end
$$;

-- Rejects what only the service role writes. The argument is the column.
create or replace function private.require_service_role() returns trigger language plpgsql
as $$
begin
  if current_user in ('anon', 'authenticated', 'api_key') then
    raise exception 'only the service role writes %', tg_argv[0]
      using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name, column = tg_argv[0];
  end if;
  return new;
end
$$;

-- Reports a null column before row-level security rejects the row without a reason. The argument is the column.
create or replace function private.require_columns() returns trigger language plpgsql
as $$
begin
  raise exception 'null value in column "%" of relation "%" violates not-null constraint', tg_argv[0], tg_table_name
    using errcode = 'not_null_violation', schema = tg_table_schema, table = tg_table_name, column = tg_argv[0];
end
$$;

-- Returns the keys of a row that differ, without the named ones.
create or replace function private.list_changed_fields(before jsonb, after jsonb, variadic except_fields text[])
returns text[]
language sql immutable parallel safe
as $$
  select coalesce(pg_catalog.array_agg(field.key order by field.key), '{}')
  from pg_catalog.jsonb_each(after) as field
  where field.value is distinct from before -> field.key and field.key <> all (except_fields)
$$;

-- SB116: not exactly one row.
create or replace function private.require_single(row_count bigint) returns boolean language plpgsql volatile
as $$
begin
  if row_count is distinct from 1 then
    raise exception 'exactly one row is required' using errcode = 'SB116', detail = coalesce(row_count, 0)::text;
  end if;
  return true;
end
$$;
grant execute on function private.require_single(bigint) to anon, authenticated, service_role;

-- SB124: more rows than the request allows.
create or replace function private.require_at_most(row_count bigint, max_rows bigint) returns boolean
language plpgsql volatile
as $$
begin
  if row_count > max_rows then
    raise exception 'more rows are affected than the request allows' using errcode = 'SB124', detail = row_count::text;
  end if;
  return true;
end
$$;
grant execute on function private.require_at_most(bigint, bigint) to anon, authenticated, service_role;

-- SB413: the rows of one depth of embedding have more bytes in this transaction than a response may have.
create or replace function private.count_bytes(depth integer, bytes bigint, max_bytes bigint) returns boolean
language plpgsql volatile
as $$
declare
  name constant text := 'swarmbase.bytes_' || depth;
  total constant bigint := bytes + coalesce(nullif(pg_catalog.current_setting(name, true), ''), '0')::bigint;
begin
  if total > max_bytes then
    raise exception 'the response is too large' using errcode = 'SB413', detail = max_bytes::text;
  end if;
  return pg_catalog.set_config(name, total::text, true) is not null;
end
$$;
grant execute on function private.count_bytes(integer, bigint, bigint) to anon, authenticated, service_role;

-- Returns the first rows of a list, and sends SB206 to the service. Messages of this level are sent whatever the
-- settings are.
create or replace function private.cut_list(list json, max_rows integer) returns json language plpgsql volatile
as $$
begin
  raise info 'the row cap has cut off a list' using errcode = 'SB206';
  return (
    select pg_catalog.json_agg(kept.value)
    from (select value from pg_catalog.json_array_elements(list) limit max_rows) as kept
  );
end
$$;
grant execute on function private.cut_list(json, integer) to anon, authenticated, service_role;
