-- A mail to the owner of webhooks that the service switched off. The row names the webhooks; the mail tells of those that are still
-- off when it is sent.

-- A row that no worker has claimed yet takes further webhooks of its owner.
create unique index mail_outbox_one_webhook_mail_idx on private.mail_outbox (user_id)
  where kind = 'webhook_disabled' and attempts = 0 and ended_at is null;

-- One mail an hour for an owner. The order by user keeps concurrent statements from deadlocking.
create function private.enqueue_webhook_mails() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.mail_outbox as waiting (kind, user_id, data, not_before, due_at)
  select 'webhook_disabled', owners.user_id, jsonb_build_object('webhooks', owners.webhooks), turn.at, turn.at
  from (
    -- An object, so that a webhook that is switched off again and again is named once.
    select n.user_id, jsonb_object_agg(n.id, true) as webhooks
    from new_rows n join old_rows o on o.id = n.id
    -- A banned owner (account_banned) gets no mail.
    where o.is_active and not n.is_active and n.disabled_reason in ('endpoint_gone', 'endpoint_failing', 'queue_full')
    group by n.user_id) as owners
  cross join lateral (
    select greatest(now(), max(coalesce(o.ended_at, now())) + interval '1 hour')
    from private.mail_outbox o
    where o.user_id = owners.user_id and o.kind = 'webhook_disabled' and o.attempts > 0
      and coalesce(o.outcome, 'sent') = 'sent') as turn (at)
  order by owners.user_id
  on conflict (user_id) where kind = 'webhook_disabled' and attempts = 0 and ended_at is null do update
  set data = jsonb_build_object('webhooks', (waiting.data -> 'webhooks') || (excluded.data -> 'webhooks'));
  return null;
end
$$;
create trigger webhooks_enqueue_mails after update on public.webhooks referencing old table as old_rows new table as new_rows
  for each statement execute function private.enqueue_webhook_mails();
