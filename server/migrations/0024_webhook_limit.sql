-- One event becomes as many deliveries as its readers have webhooks, in one transaction with those of everybody else's events.
-- Whoever could have any number of webhooks could make that transaction too long to ever end, so their number is bounded.

create function private.enforce_webhook_limit() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  allowed constant integer := 1000;
begin
  -- As with agents, two inserts at once cannot both take the last place.
  perform 1 from auth.users u where u.id in (select n.user_id from new_rows n) order by u.id for no key update;
  if exists (select 1 from public.webhooks w where w.user_id in (select n.user_id from new_rows n)
             group by w.user_id having count(*) > allowed) then
    raise exception 'a user may have at most % webhooks', allowed
      using errcode = 'check_violation', schema = 'public', table = 'webhooks', constraint = 'webhooks_limit_per_user';
  end if;
  return null;
end
$$;
create trigger webhooks_limit after insert on public.webhooks referencing new table as new_rows
  for each statement execute function private.enforce_webhook_limit();
