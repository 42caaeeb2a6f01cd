-- Mails that the service sends on its own. The transaction that causes a mail inserts its row; a worker of any node
-- claims the row, composes the mail from the current data, and sends it.
create table private.mail_outbox (
  id uuid default private.new_id() constraint mail_outbox_pkey primary key,
  kind text not null constraint mail_outbox_kind_length check (char_length(kind) between 1 and 63),
  user_id uuid constraint mail_outbox_user_id_fkey references auth.users on delete cascade,
  email text constraint mail_outbox_email_lower_case check (email = lower(email))
             constraint mail_outbox_email_length check (char_length(email) between 3 and 320),
  sender_id uuid constraint mail_outbox_sender_id_fkey references auth.users on delete cascade,
  data jsonb not null default '{}' constraint mail_outbox_data_object check (jsonb_typeof(data) = 'object'),
  not_before timestamptz not null default now(),
  due_at timestamptz not null default now(),
  attempts smallint not null default 0,
  ended_at timestamptz,
  outcome text constraint mail_outbox_outcome_known check (outcome in ('sent', 'obsolete', 'undeliverable')),
  created_at timestamptz not null default now(),
  constraint mail_outbox_one_recipient check (num_nonnulls(user_id, email) = 1),
  constraint mail_outbox_outcome_at_end check ((ended_at is null) = (outcome is null))
);
create index mail_outbox_due_at_idx on private.mail_outbox (due_at) where ended_at is null;
create index mail_outbox_ended_at_idx on private.mail_outbox (ended_at) where ended_at is not null;
create index mail_outbox_user_id_idx on private.mail_outbox (user_id) where user_id is not null;
create index mail_outbox_email_idx on private.mail_outbox (email) where email is not null;
create index mail_outbox_sender_id_idx on private.mail_outbox (sender_id, not_before) where sender_id is not null;
-- An unclaimed row collects further webhooks of its owner.
create unique index mail_outbox_one_webhook_mail_idx on private.mail_outbox (user_id)
  where kind = 'webhook_disabled' and attempts = 0 and ended_at is null;
-- An unclaimed row collects further changes of the account.
create unique index mail_outbox_one_change_mail_idx on private.mail_outbox (email)
  where kind = 'account_changed' and attempts = 0 and ended_at is null;
comment on column private.mail_outbox.user_id is
  'the account whose confirmed address the mail goes to, as it is when the mail is sent';
comment on column private.mail_outbox.sender_id is
  'the user on whose behalf the mail is sent; null for mails of the service itself';
comment on column private.mail_outbox.not_before is 'the earliest time of the first attempt';
comment on column private.mail_outbox.due_at is
  'the time of the next attempt; while a worker holds the row, the end of its lease';
comment on column private.mail_outbox.attempts is
  'the number of claims; a worker ends the row only while this is the number of its own claim';
alter table private.mail_outbox enable row level security;
grant select, insert, update, delete on private.mail_outbox to sb_service;

-- after functions

create policy mail_outbox_service on private.mail_outbox to sb_service using (true) with check (true);
