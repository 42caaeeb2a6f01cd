-- Whoever is banned is not told either: their webhooks are switched off with the ban, in its transaction. What was on its way
-- waits, as for any webhook that is off. The keeper switches them on again when the ban is over, lifted or expired.
create function private.suspend_webhooks() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update public.webhooks
    set is_active = false, disabled_reason = 'account_banned', disabled_at = now(), updated_at = now()
    where user_id = new.id and is_active;
  return null;
end
$$;
create trigger users_suspend_webhooks after update of banned_until on auth.users for each row
  when (new.banned_until > now() and new.banned_until is distinct from old.banned_until)
  execute function private.suspend_webhooks();

-- The keeper looks for them again and again among all that exist.
create index webhooks_suspended_idx on public.webhooks (user_id) where disabled_reason = 'account_banned';

-- Events of a run repeat what was said in it, for those who come late. Once something of that is deleted, they are told how the
-- run ended by what is stored of it then.
create function private.forget_deleted_words() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.run_events e using public.runs r
  where r.swarm_id = new.swarm_id and (r.id = new.run_id or r.message_id = new.id)
    and r.status in ('completed', 'partial', 'failed', 'cancelled') and e.run_id = r.id;
  return null;
end
$$;
create trigger messages_forget after update on public.messages for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function private.forget_deleted_words();
