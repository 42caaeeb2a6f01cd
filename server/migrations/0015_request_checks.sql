-- Conditions that a request sets on its own effect. They raise inside the statement that wrote, so that the write is taken back.
-- Volatile, because a planner that folds or drops the call would let the write stand.

-- SB116: not exactly one row.
create function private.require_single(row_count bigint) returns boolean language plpgsql volatile
as $$
begin
  if row_count is distinct from 1 then
    raise exception 'exactly one row is required' using errcode = 'SB116', detail = coalesce(row_count, 0)::text;
  end if;
  return true;
end
$$;

-- SB124: more rows than the request allows.
create function private.require_at_most(row_count bigint, most bigint) returns boolean language plpgsql volatile
as $$
begin
  if row_count > most then
    raise exception 'more rows are affected than the request allows' using errcode = 'SB124', detail = row_count::text;
  end if;
  return true;
end
$$;

grant execute on function private.require_single(bigint), private.require_at_most(bigint, bigint)
  to anon, authenticated, service_role;
