-- Mails that the service sends on its own.

-- One mail a day for each swarm and invited person, and sixty an hour for each inviter; further mails are delayed. A
-- mail to an address is written whether the address has an account or not.
create or replace function private.enqueue_invitation_mails() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  mails_per_hour constant integer := 60;
  inviter uuid;
begin
  if not exists (select 1 from new_rows n where n.status = 'invited') then
    return null;
  end if;
  for inviter in select distinct n.invited_by from new_rows n
    where n.status = 'invited' and n.invited_by is not null order by 1
  loop
    perform pg_advisory_xact_lock(hashtext('private.mail_outbox'), hashtext(inviter::text));
  end loop;
  insert into private.mail_outbox (kind, user_id, email, sender_id, data, not_before, due_at)
  select 'swarm_invitation', n.user_id, case when n.user_id is null then n.invited_email end, n.invited_by,
         jsonb_build_object('swarm_id', n.swarm_id), schedule.due_at, schedule.due_at
  from (select *, row_number() over (partition by invited_by order by id) - 1 as inviter_position from new_rows
    where status = 'invited') n
  cross join lateral (
    select case when n.invited_by is null then now() else now() + interval '1 hour' * ((n.inviter_position + (
      select count(*) from private.mail_outbox o
      where o.sender_id = n.invited_by and o.not_before > now() - interval '1 hour')) / mails_per_hour) end)
        as schedule (due_at)
  where not exists (
    select 1 from private.mail_outbox o
    where o.kind = 'swarm_invitation' and o.created_at > now() - interval '1 day'
      and o.data ->> 'swarm_id' = n.swarm_id::text
      and (o.user_id = n.user_id or (n.user_id is null and o.email = n.invited_email)));
  return null;
end
$$;

-- One mail an hour for each owner. The order by user prevents deadlocks of concurrent statements.
create or replace function private.enqueue_webhook_mails() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select 1 from new_rows n where not n.is_active
                 and n.disabled_reason in ('endpoint_gone', 'endpoint_failing', 'queue_full')) then
    return null;
  end if;
  insert into private.mail_outbox as waiting (kind, user_id, data, not_before, due_at)
  select 'webhook_disabled', owners.user_id, jsonb_build_object('webhooks', owners.webhooks),
    schedule.due_at, schedule.due_at
  from (
    -- An object, so that a webhook that is disabled several times is named once.
    select n.user_id, jsonb_object_agg(n.id, true) as webhooks
    from new_rows n join old_rows o on o.id = n.id
    -- A banned owner (account_banned) gets no mail.
    where o.is_active and not n.is_active and n.disabled_reason in ('endpoint_gone', 'endpoint_failing', 'queue_full')
    group by n.user_id) as owners
  cross join lateral (
    select greatest(now(), max(coalesce(o.ended_at, now())) + interval '1 hour')
    from private.mail_outbox o
    where o.user_id = owners.user_id and o.kind = 'webhook_disabled' and o.attempts > 0
      and coalesce(o.outcome, 'sent') = 'sent') as schedule (due_at)
  order by owners.user_id
  on conflict (user_id) where kind = 'webhook_disabled' and attempts = 0 and ended_at is null do update
  set data = jsonb_build_object('webhooks', (waiting.data -> 'webhooks') || (excluded.data -> 'webhooks'));
  return null;
end
$$;
