-- Second factors and stolen refresh tokens: sessions know whether their user has a verified factor, and whether the
-- current refresh token has reached its client.

-- A copy of the state of the user's factors, because every request reads its session's row anyway.
alter table auth.sessions add column requires_aal2 boolean not null default false;

update auth.sessions s set requires_aal2 = true
  where exists (select from auth.mfa_factors f where f.user_id = s.user_id and f.status = 'verified');

-- The refresh counter of the newest access token that was presented. Below refresh_counter, the answer to the last
-- refresh may have been lost.
alter table auth.sessions add column seen_refresh_counter bigint not null default 0;

-- What an operator or a user must be able to find out later about the security of an account.
create table auth.audit_log_entries (
  id uuid default private.new_id() constraint audit_log_entries_pkey primary key,
  action text not null constraint audit_log_entries_action_length check (char_length(action) between 1 and 63),
  user_id uuid not null constraint audit_log_entries_user_id_fkey references auth.users on delete cascade,
  -- Not a reference: the entry outlives the session.
  session_id uuid,
  ip inet,
  created_at timestamptz not null default now()
);
create index audit_log_entries_user_id_idx on auth.audit_log_entries (user_id, created_at);
create index audit_log_entries_created_at_idx on auth.audit_log_entries (created_at);
alter table auth.audit_log_entries enable row level security;
grant select, insert, update, delete on auth.audit_log_entries to sb_service;

-- Recovery codes are a factor of their own, at most one for each user. Its secret is the key of the hashes.
alter table auth.mfa_factors drop constraint mfa_factors_factor_type_known;
alter table auth.mfa_factors add constraint mfa_factors_factor_type_known
  check (factor_type in ('totp', 'recovery_code'));
create unique index mfa_factors_one_recovery_idx on auth.mfa_factors (user_id) where factor_type = 'recovery_code';

create table auth.mfa_recovery_codes (
  factor_id uuid not null constraint mfa_recovery_codes_factor_id_fkey references auth.mfa_factors on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  created_at timestamptz not null default now(),
  constraint mfa_recovery_codes_pkey primary key (factor_id, code_hash)
);
alter table auth.mfa_recovery_codes enable row level security;
grant select, insert, update, delete on auth.mfa_recovery_codes to sb_service;

-- after functions

create trigger mfa_factors_sync_sessions after insert or update of status or delete on auth.mfa_factors for each row
  execute function private.sync_second_factor();

create policy mfa_recovery_codes_service on auth.mfa_recovery_codes to sb_service using (true) with check (true);
create policy audit_log_entries_service on auth.audit_log_entries to sb_service using (true) with check (true);
