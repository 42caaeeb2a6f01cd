-- The number of webhooks of each user, so that the limit does not count them again with every insert.

create table private.webhook_counters (
  user_id uuid constraint webhook_counters_pkey primary key
    constraint webhook_counters_user_id_fkey references auth.users on delete cascade,
  webhooks integer not null
);
alter table private.webhook_counters enable row level security;
grant select, insert, update, delete on private.webhook_counters to sb_service;

-- Until the triggers below exist, nothing counts what other sessions insert and delete.
lock table public.webhooks in share row exclusive mode;
insert into private.webhook_counters (user_id, webhooks)
select w.user_id, count(*) from public.webhooks w group by w.user_id;

-- after functions

create policy webhook_counters_service on private.webhook_counters to sb_service using (true) with check (true);

create trigger webhooks_count_deleted after delete on public.webhooks referencing old table as old_rows
  for each statement execute function private.count_deleted_webhooks();
create trigger webhooks_count_truncated after truncate on public.webhooks
  for each statement execute function private.count_truncated_webhooks();
