-- Keys of writes to tables. A key is claimed in the transaction of the write, so that it exists exactly when the write
-- was committed.

-- Claims a key of the caller for the write of this transaction; the service role, which has no user, has keys of its
-- own. Waits for a transaction that has claimed it. SB208: a
-- committed write or a run has it.
create or replace function private.claim_idempotency_key(key text, request_hash bytea) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  caller constant uuid := auth.uid();
begin
  insert into private.idempotency_keys as used (user_id, key, request_hash)
  values (caller, claim_idempotency_key.key, claim_idempotency_key.request_hash)
  on conflict on constraint idempotency_keys_user_id_key do update
  set request_hash = excluded.request_hash, run_id = null, result = null, created_at = now()
  where used.created_at < now() - interval '24 hours';
  if not found then
    raise exception 'the idempotency key is in use' using errcode = 'SB208';
  end if;
  perform set_config('swarmbase.idempotency_key', claim_idempotency_key.key, true);
end
$$;
grant execute on function private.claim_idempotency_key(text, bytea) to authenticated, service_role;

-- Stores the rows that a write returns under the key of its transaction. SB413: they have too many bytes.
create or replace function private.keep_result(result text[], max_bytes bigint) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if pg_column_size(keep_result.result) > keep_result.max_bytes then
    raise exception 'the response is too large to be kept' using errcode = 'SB413', detail = max_bytes::text;
  end if;
  update private.idempotency_keys k set result = keep_result.result
  where (k.user_id = auth.uid() or (k.user_id is null and auth.uid() is null))
    and k.key = current_setting('swarmbase.idempotency_key', true);
  return true;
end
$$;
grant execute on function private.keep_result(text[], bigint) to authenticated, service_role;

-- Returns the rows of the caller's earlier write with this key. `is_same`: the request was the same. No row: the key is
-- not in use.
create or replace function private.find_kept_result(key text, request_hash bytea)
returns table (is_same boolean, result json)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select k.request_hash = find_kept_result.request_hash, array_to_json(k.result)
  from private.idempotency_keys k
  where (k.user_id = auth.uid() or (k.user_id is null and auth.uid() is null)) and k.key = find_kept_result.key
$$;
grant execute on function private.find_kept_result(text, bytea) to authenticated, service_role;
