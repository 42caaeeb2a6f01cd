-- Who is calling, found at the least cost: every request asks, so what it reads is one row and one setting.

-- The enter statement writes the user's id into a setting of its own; claims alone, as somebody at psql sets them, still do.
create or replace function auth.uid() returns uuid language sql stable parallel safe
as $$
  select coalesce(nullif(pg_catalog.current_setting('request.jwt.claim.sub', true), ''),
                  nullif(nullif(pg_catalog.current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub', ''))::uuid
$$;

-- What a ban or a deletion of the user means for the session: dead until then, or for ever.
alter table auth.sessions add column suspended_until timestamptz;
update auth.sessions s
  set suspended_until = case when u.deleted_at is not null then 'infinity' else u.banned_until end
  from auth.users u where u.id = s.user_id and (u.deleted_at is not null or u.banned_until is not null);

create function private.suspend_sessions() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update auth.sessions
    set suspended_until = case when new.deleted_at is not null then 'infinity'::timestamptz else new.banned_until end
    where user_id = new.id;
  return null;
end
$$;
create trigger users_suspend_sessions after update of banned_until, deleted_at on auth.users for each row
  when ((new.banned_until, new.deleted_at) is distinct from (old.banned_until, old.deleted_at))
  execute function private.suspend_sessions();

-- The user's row is held, so that a sign-in and a ban at the same moment cannot miss each other.
create function private.begin_session() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  select case when u.deleted_at is not null then 'infinity'::timestamptz else u.banned_until end into new.suspended_until
    from auth.users u where u.id = new.user_id for share;
  return new;
end
$$;
create trigger sessions_begin before insert on auth.sessions for each row execute function private.begin_session();

-- The whole answer for nearly every request. Why not, when it is not so, is for require_live_session to say.
create function private.is_session_live(user_id uuid, session_id uuid) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return (select true from auth.sessions s
          where s.id = is_session_live.session_id and s.user_id = is_session_live.user_id
            and (s.not_after is null or s.not_after > now())
            and (s.suspended_until is null or s.suspended_until <= now()));
end
$$;
grant execute on function private.is_session_live(uuid, uuid) to sb_user, sb_service;
