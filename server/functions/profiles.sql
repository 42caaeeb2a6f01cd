-- Profiles and settings of users.

create or replace function private.create_profile() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.profiles (id, email, full_name, avatar_url)
  values (new.id, new.email, left(nullif(private.trim_whitespace(new.user_metadata ->> 'full_name'), ''), 200),
    (select value from (values (new.user_metadata ->> 'avatar_url')) as given (value)
     where char_length(value) <= 2048 and value ~* '^https?://[^/?#\s]'));
  insert into public.user_settings (user_id) values (new.id);
  return null;
end
$$;

create or replace function private.sync_profile_email() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update public.profiles set email = new.email, updated_at = now() where id = new.id;
  return null;
end
$$;
