-- Users may demand that every request of theirs is signed. What a request reads anyway, its session's row, says so: those who
-- demand nothing pay nothing.
alter table auth.sessions add column requires_signature boolean not null default false;
update auth.sessions s set requires_signature = true
  from public.user_settings u where u.user_id = s.user_id and u.require_request_signature;

create function private.mark_sessions_signed() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update auth.sessions set requires_signature = new.require_request_signature
    where user_id = new.user_id and requires_signature is distinct from new.require_request_signature;
  return null;
end
$$;
create trigger user_settings_mark_sessions after update of require_request_signature on public.user_settings for each row
  when (new.require_request_signature is distinct from old.require_request_signature)
  execute function private.mark_sessions_signed();

-- The rows are held, so that a sign-in and a ban or a new demand at the same moment cannot miss each other.
create or replace function private.begin_session() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  select case when u.deleted_at is not null then 'infinity'::timestamptz else u.banned_until end into new.suspended_until
    from auth.users u where u.id = new.user_id for share;
  select u.require_request_signature into new.requires_signature
    from public.user_settings u where u.user_id = new.user_id for share;
  new.requires_signature := coalesce(new.requires_signature, false);
  return new;
end
$$;

create or replace function private.is_session_live(user_id uuid, session_id uuid) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return (select true from auth.sessions s
          where s.id = is_session_live.session_id and s.user_id = is_session_live.user_id
            and (s.not_after is null or s.not_after > now())
            and (s.suspended_until is null or s.suspended_until <= now())
            and not s.requires_signature);
end
$$;

-- SB004: the user demands signatures and the request has none. Asked for unsigned requests alone, after require_live_session.
create function private.refuse_unsigned(user_id uuid) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from public.user_settings u where u.user_id = refuse_unsigned.user_id and u.require_request_signature) then
    raise exception 'A request signature is required' using errcode = 'SB004';
  end if;
end
$$;
grant execute on function private.refuse_unsigned(uuid) to sb_user, sb_service;
