-- Users and their sessions.

-- The proven address of the caller, read from the row, since the token may be outdated.
create or replace function private.my_proven_email() returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select u.email from auth.users u
  where u.id = (select auth.uid()) and u.proven_email = u.email and u.deleted_at is null
$$;
grant execute on function private.my_proven_email() to authenticated, sb_service, service_role;

-- SB001: the session does not exist or has ended. SB002: the user does not exist. SB003: the user is banned. Tokens of
-- imported keys have no session: their session_id is null. A single query, because every request runs it.
create or replace function private.require_live_session(user_id uuid, session_id uuid, inactivity_seconds int)
returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  is_banned boolean;
  has_session boolean;
begin
  select coalesce(u.banned_until > now(), false), s.id is not null into is_banned, has_session
    from auth.users u
    left join auth.sessions s
      on s.id = require_live_session.session_id
     and s.user_id = u.id
     and (s.not_after is null or s.not_after > now())
     and (inactivity_seconds = 0
          or coalesce(s.refreshed_at, s.created_at) + make_interval(secs => inactivity_seconds) > now())
   where u.id = require_live_session.user_id and u.deleted_at is null;
  if is_banned is null then
    raise exception 'User not found' using errcode = 'SB002';
  elsif is_banned then
    raise exception 'User is banned' using errcode = 'SB003';
  elsif session_id is not null and not has_session then
    raise exception 'Session from session_id claim in JWT does not exist' using errcode = 'SB001';
  end if;
end
$$;
grant execute on function private.require_live_session(uuid, uuid, integer) to sb_service, sb_user;

-- Sufficient for nearly every request. If it does not return true, require_live_session raises the reason.
create or replace function private.is_session_live(user_id uuid, session_id uuid) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return (select true from auth.sessions s
          where s.id = is_session_live.session_id and s.user_id = is_session_live.user_id
            and (s.not_after is null or s.not_after > now())
            and (s.suspended_until is null or s.suspended_until <= now())
            and not s.requires_signature
            and (not s.requires_aal2 or s.aal = 'aal2'));
end
$$;
grant execute on function private.is_session_live(uuid, uuid) to sb_service, sb_user;

-- SB004: the user requires signatures and the request has none. Called for unsigned requests alone, after
-- require_live_session.
create or replace function private.reject_unsigned_request(user_id uuid) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from public.user_settings u
    where u.user_id = reject_unsigned_request.user_id and u.require_request_signature) then
    raise exception 'A request signature is required' using errcode = 'SB004';
  end if;
end
$$;
grant execute on function private.reject_unsigned_request(uuid) to sb_service, sb_user;

-- SB005: the user has a verified second factor and the session has not passed one. Called after require_live_session.
-- A token without a session cannot pass one.
create or replace function private.require_second_factor(user_id uuid, session_id uuid) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from auth.mfa_factors f
             where f.user_id = require_second_factor.user_id and f.status = 'verified')
    and not exists (select from auth.sessions s
                    where s.id = require_second_factor.session_id and s.user_id = require_second_factor.user_id
                      and s.aal = 'aal2') then
    raise exception 'The second factor is not verified' using errcode = 'SB005';
  end if;
end
$$;
grant execute on function private.require_second_factor(uuid, uuid) to sb_service, sb_user;

-- SB006: the user requires message signatures and the request has none. Called like reject_unsigned_request.
create or replace function private.require_message_signature(user_id uuid) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from public.user_settings u
    where u.user_id = require_message_signature.user_id and u.require_message_signature) then
    raise exception 'A message signature is required' using errcode = 'SB006';
  end if;
end
$$;
grant execute on function private.require_message_signature(uuid) to sb_service, sb_user;

-- Locks the rows, so that a sign-in sees a concurrent ban, change of a signature setting or verification of a factor,
-- or the other way round.
create or replace function private.begin_session() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  select case when u.deleted_at is not null then 'infinity'::timestamptz else u.banned_until end
    into new.suspended_until
    from auth.users u where u.id = new.user_id for share;
  select u.require_request_signature or u.require_message_signature into new.requires_signature
    from public.user_settings u where u.user_id = new.user_id for share;
  new.requires_signature := coalesce(new.requires_signature, false);
  new.requires_aal2 := exists (
    select from auth.mfa_factors f where f.user_id = new.user_id and f.status = 'verified');
  return new;
end
$$;

create or replace function private.suspend_sessions() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update auth.sessions
    set suspended_until = case when new.deleted_at is not null then 'infinity'::timestamptz else new.banned_until end
    where user_id = new.id;
  return null;
end
$$;

-- Whoever prepared the account for an address of somebody else keeps nothing. What acts for the account stays, switched
-- off. A feed cannot be switched off.
create or replace function private.remove_access() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  delete from auth.sessions where user_id = new.id;
  delete from auth.oauth_consents where user_id = new.id;
  delete from auth.oauth_authorizations where user_id = new.id;
  delete from auth.mfa_factors where user_id = new.id;
  delete from auth.webauthn_credentials where user_id = new.id;
  delete from auth.webauthn_challenges where user_id = new.id;
  delete from auth.identities where user_id = new.id;
  -- A flow without a code needs a link, and only the link that is being followed is left.
  delete from auth.flow_states where user_id = new.id and auth_code_hash is not null;
  delete from auth.one_time_tokens where user_id = new.id;
  update public.user_settings set require_request_signature = false, require_message_signature = false
    where user_id = new.id;
  delete from private.request_signing_secrets where user_id = new.id;
  delete from private.tool_authorizations where owner_id = new.id;
  update public.webhooks
    set is_active = false, disabled_reason = 'access_removed', disabled_at = now(), updated_at = now()
    where user_id = new.id and is_active;
  delete from public.event_feeds where user_id = new.id;
  update public.agent_grants g set expires_at = now() from public.agents a
    where a.id = g.agent_id and a.user_id = new.id and coalesce(g.expires_at > now(), true);
  update public.agent_grants set accepted_at = null, accepted_approver = null
    where user_id = new.id and accepted_at is not null;
  return null;
end
$$;

create or replace function private.sync_signature_requirement() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  is_required constant boolean := new.require_request_signature or new.require_message_signature;
begin
  update auth.sessions set requires_signature = is_required
    where user_id = new.user_id and requires_signature is distinct from is_required;
  return null;
end
$$;

create or replace function private.sync_second_factor() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  owner_id constant uuid := coalesce(new.user_id, old.user_id);
  has_verified constant boolean := exists (
    select from auth.mfa_factors f where f.user_id = owner_id and f.status = 'verified');
begin
  update auth.sessions set requires_aal2 = has_verified where user_id = owner_id and requires_aal2 <> has_verified;
  return null;
end
$$;

-- Rejects a change that only the user may make, and not an API key of the user.
create or replace function private.reject_api_key() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if auth.jwt() ? 'api_key_id' then
    raise exception 'an API key cannot change signature requirements and budgets'
      using errcode = '42501', schema = tg_table_schema, table = tg_table_name,
            constraint = tg_table_name || '_reject_api_key';
  end if;
  return new;
end
$$;

-- Rejects a change by an API key without the scope that is the argument of the trigger.
create or replace function private.require_key_scope() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if auth.jwt() ? 'api_key_id' and not coalesce(auth.jwt() -> 'scopes' ? tg_argv[0], false) then
    raise exception 'The API key lacks the scope %', tg_argv[0]
      using errcode = '42501', schema = tg_table_schema, table = tg_table_name,
            constraint = tg_table_name || '_require_key_scope';
  end if;
  return new;
end
$$;
