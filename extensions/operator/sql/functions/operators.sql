-- Operators: who is one, and the guard of their calls.

-- Adds a user by e-mail address or id. Returns the user, or nothing when there is no such account. Anybody can sign up with
-- an address without proving it, so the account of an address that is not proven is returned, but not added.
create or replace function ext_operator.add_operator(wanted text)
returns table (user_id uuid, email text, is_added boolean)
language sql security definer set search_path = pg_catalog, pg_temp as $$
  with found as (
    select u.id, u.email, u.id::text = lower(wanted) or coalesce(u.proven_email = u.email, false) as is_certain
    from auth.users u
    where (u.email = lower(wanted) or u.id::text = lower(wanted)) and u.deleted_at is null and not u.is_anonymous
  ), added as (
    insert into ext_operator.operators (user_id) select f.id from found f where f.is_certain on conflict do nothing
  )
  select f.id, f.email, f.is_certain from found f
$$;

create or replace function ext_operator.remove_operator(wanted text) returns table (user_id uuid, email text)
language sql security definer set search_path = pg_catalog, pg_temp as $$
  with removed as (
    delete from ext_operator.operators o using auth.users u
    where u.id = o.user_id and (u.email = lower(wanted) or u.id::text = lower(wanted))
    returning o.user_id, u.email
  )
  select r.user_id, r.email from removed r
$$;

create or replace function ext_operator.list_operators()
returns table (user_id uuid, email text, created_at timestamptz, has_second_factor boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select o.user_id, u.email, o.created_at,
    exists (
      select from auth.mfa_factors f
      where f.user_id = o.user_id and f.status = 'verified' and f.factor_type <> 'recovery_code'
    )
  from ext_operator.operators o join auth.users u on u.id = o.user_id
  order by o.created_at, o.user_id
$$;

-- What a session lacks to be one of an operator: 'operator', 'second_factor', 'recent_sign_in', or null. The row of the
-- session decides and not the token, which can be older. The oldest proof of its owner counts, which is the sign-in.
create or replace function ext_operator.find_lack(of_user uuid, of_session uuid, max_age_seconds integer) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select case
    when not exists (select from ext_operator.operators o where o.user_id = of_user) then 'operator'
    when s.id is null or s.aal <> 'aal2' then 'second_factor'
    when s.signed_in_at is null or s.signed_in_at < now() - make_interval(secs => max_age_seconds) then 'recent_sign_in'
  end
  from (select) as one
  left join lateral (
    select t.id, t.aal,
      (select to_timestamp(min((e ->> 'timestamp')::bigint)) from jsonb_array_elements(t.amr) e) as signed_in_at
    from auth.sessions t
    where t.id = of_session and t.user_id = of_user and t.api_key_hash is null
  ) s on true
$$;

-- The guard of a call: writes the entry of the audit log before anything is done. Calls of others than operators have
-- no entry, so that nobody else can fill the log.
create or replace function ext_operator.admit(of_user uuid, of_session uuid, max_age_seconds integer, call jsonb)
returns table (lack text, entry bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  lack := ext_operator.find_lack(of_user, of_session, max_age_seconds);
  if lack is distinct from 'operator' then
    insert into ext_operator.audit (actor, user_id, action, target, request_id, is_read, outcome, status, details)
    values ('operator', of_user, call ->> 'action', call ->> 'target', call ->> 'request_id', (call ->> 'is_read')::boolean,
      case when lack is not null then 'denied' end, case when lack is not null then 403 end,
      case when lack is not null then jsonb_build_object('lacks', lack) else '{}' end)
    returning id into entry;
  end if;
  return next;
end
$$;

-- The end of a call. An entry is settled once.
create or replace function ext_operator.settle(
  of_entry bigint, with_outcome text, with_status integer, with_details jsonb
) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update ext_operator.audit a
  set outcome = with_outcome, status = with_status, details = with_details
  where a.id = of_entry and a.outcome is null
$$;

-- An entry of the service role or of the command line.
create or replace function ext_operator.record(by_actor text, call jsonb) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into ext_operator.audit (actor, action, target, request_id, outcome, status)
  values (by_actor, call ->> 'action', call ->> 'target', call ->> 'request_id', 'done', (call ->> 'status')::integer)
$$;

create or replace function ext_operator.delete_old_audit(max_age_days integer) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from ext_operator.audit a where a.created_at < now() - make_interval(days => max_age_days)
$$;

revoke all on function ext_operator.add_operator(text), ext_operator.remove_operator(text),
  ext_operator.list_operators(),
  ext_operator.find_lack(uuid, uuid, integer), ext_operator.admit(uuid, uuid, integer, jsonb),
  ext_operator.settle(bigint, text, integer, jsonb), ext_operator.record(text, jsonb),
  ext_operator.delete_old_audit(integer) from public;
grant execute on function ext_operator.add_operator(text), ext_operator.remove_operator(text),
  ext_operator.list_operators(),
  ext_operator.find_lack(uuid, uuid, integer), ext_operator.admit(uuid, uuid, integer, jsonb),
  ext_operator.settle(bigint, text, integer, jsonb), ext_operator.record(text, jsonb),
  ext_operator.delete_old_audit(integer) to sb_service;
