-- Changes of an account need a recent proof that the owner makes them, so that a stolen token is not enough.

-- The sign-in, and later the password, a second factor or a mailed nonce. Null for API keys, which prove nothing.
alter table auth.sessions add column proven_at timestamptz;
comment on column auth.sessions.proven_at is 'when the session last proved that its holder is the owner of the account';

-- The entry of a deletion outlives the account.
alter table auth.audit_log_entries alter column user_id drop not null;
alter table auth.audit_log_entries add column deleted_user_id uuid;
alter table auth.audit_log_entries add constraint audit_log_entries_one_user
  check (num_nonnulls(user_id, deleted_user_id) = 1);
comment on column auth.audit_log_entries.deleted_user_id is
  'in place of user_id, the account that its owner has deleted';

-- An unclaimed row collects further changes of the account.
create unique index mail_outbox_one_change_mail_idx on private.mail_outbox (email)
  where kind = 'account_changed' and attempts = 0 and ended_at is null;

-- after functions
