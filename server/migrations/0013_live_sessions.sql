-- A token may outlive what it speaks for. The enter statement asks here in the same flight, so that a sign-out, a ban or a
-- deletion on any node counts from the next request on, everywhere.

-- SB001: the session is gone or over. SB002: the user is gone. SB003: the user is banned.
-- Tokens of imported keys have no session that could end: for them session_id is null. One look-up, because every request pays.
create function private.require_live_session(user_id uuid, session_id uuid, inactivity_seconds int) returns void
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

-- For the logins alone: they ask before they become the caller, and callers have no business with each other's sessions.
grant usage on schema private to sb_user;
grant execute on function private.require_live_session(uuid, uuid, int) to sb_user, sb_service;
