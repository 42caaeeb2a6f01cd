-- Identity: users, and what authenticates them. Not exposed: only the service login reads these tables.

create table auth.users (
  id uuid default private.new_id() constraint users_pkey primary key,
  role text not null default 'authenticated' constraint users_role_length check (char_length(role) between 1 and 63),
  email text constraint users_email_lower_case check (email = lower(email))
             constraint users_email_length check (char_length(email) between 3 and 320),
  email_confirmed_at timestamptz,
  password_hash text,
  new_email text constraint users_new_email_lower_case check (new_email = lower(new_email)),
  email_change_confirmations smallint not null default 0,
  invited_at timestamptz,
  confirmation_sent_at timestamptz,
  recovery_sent_at timestamptz,
  email_change_sent_at timestamptz,
  reauthentication_sent_at timestamptz,
  last_sign_in_at timestamptz,
  app_metadata jsonb not null default '{}'
    constraint users_app_metadata_object check (jsonb_typeof(app_metadata) = 'object'),
  user_metadata jsonb not null default '{}'
    constraint users_user_metadata_object check (jsonb_typeof(user_metadata) = 'object'),
  is_anonymous boolean not null default false,
  banned_until timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- An address gives a right only when it was proven: by a link or code in a mail, or by the service role. Without a
  -- mail server every address counts as confirmed, so email_confirmed_at says nothing about who has the mailbox.
  proven_email text,
  -- Somebody has proven the address of an account whose address was never proven before: all that gives access to the
  -- account, or sends its data elsewhere, ends with it.
  access_removed_at timestamptz
);
comment on column auth.users.proven_email is
  'the address that was proven last; it gives rights only while it is also the address of the account';
create unique index users_email_key on auth.users (email) where deleted_at is null;
create index users_created_at_idx on auth.users (created_at, id);
alter table auth.users enable row level security;
grant select, insert, update, delete on auth.users to sb_service;

create table auth.identities (
  id uuid default private.new_id() constraint identities_pkey primary key,
  user_id uuid not null constraint identities_user_id_fkey references auth.users on delete cascade,
  provider text not null,
  provider_id text not null,
  -- The subject is one of this issuer, whatever issuer the provider gets later. Null until somebody signs in with an
  -- identity that was imported, and for those of addresses.
  issuer text,
  identity_data jsonb not null default '{}',
  email text generated always as (lower(identity_data ->> 'email')) stored,
  last_sign_in_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint identities_provider_id_key unique (provider, provider_id)
);
create index identities_user_id_idx on auth.identities (user_id);
alter table auth.identities enable row level security;
grant select, insert, update, delete on auth.identities to sb_service;

create table auth.mfa_factors (
  id uuid default private.new_id() constraint mfa_factors_pkey primary key,
  user_id uuid not null constraint mfa_factors_user_id_fkey references auth.users on delete cascade,
  friendly_name text constraint mfa_factors_friendly_name_length check (char_length(friendly_name) <= 200),
  factor_type text not null constraint mfa_factors_factor_type_known
    check (factor_type in ('totp', 'webauthn', 'recovery_code')),
  status text not null default 'unverified'
    constraint mfa_factors_status_known check (status in ('unverified', 'verified')),
  -- Null for WebAuthn, where only the authenticator has a secret.
  secret_wrapped bytea,
  last_used_step bigint,
  last_challenged_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint mfa_factors_secret_of_type check ((secret_wrapped is null) = (factor_type = 'webauthn'))
);
create unique index mfa_factors_user_id_friendly_name_key on auth.mfa_factors (user_id, friendly_name)
  where friendly_name <> '';
create index mfa_factors_user_id_idx on auth.mfa_factors (user_id);
-- Recovery codes are a factor of their own, at most one for each user. Its secret is the key of the hashes.
create unique index mfa_factors_one_recovery_idx on auth.mfa_factors (user_id) where factor_type = 'recovery_code';
alter table auth.mfa_factors enable row level security;
grant select, insert, update, delete on auth.mfa_factors to sb_service;

create table auth.mfa_recovery_codes (
  factor_id uuid not null constraint mfa_recovery_codes_factor_id_fkey references auth.mfa_factors on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  created_at timestamptz not null default now(),
  constraint mfa_recovery_codes_pkey primary key (factor_id, code_hash)
);
alter table auth.mfa_recovery_codes enable row level security;
grant select, insert, update, delete on auth.mfa_recovery_codes to sb_service;

create table auth.mfa_challenges (
  id uuid default private.new_id() constraint mfa_challenges_pkey primary key,
  factor_id uuid not null constraint mfa_challenges_factor_id_fkey references auth.mfa_factors on delete cascade,
  ip inet,
  -- Of a WebAuthn challenge; null for codes.
  challenge_hash bytea,
  failed_attempts smallint not null default 0,
  verified_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index mfa_challenges_factor_id_idx on auth.mfa_challenges (factor_id);
create index mfa_challenges_expires_at_idx on auth.mfa_challenges (expires_at);
alter table auth.mfa_challenges enable row level security;
grant select, insert, update, delete on auth.mfa_challenges to sb_service;

-- One row per signed-in device or API key. Refresh tokens are not stored: the row keeps the counter and the key that
-- signs them.
create table auth.sessions (
  id uuid default private.new_id() constraint sessions_pkey primary key,
  user_id uuid not null constraint sessions_user_id_fkey references auth.users on delete cascade,
  aal text not null default 'aal1' constraint sessions_aal_known check (aal in ('aal1', 'aal2')),
  amr jsonb not null default '[]',
  factor_id uuid constraint sessions_factor_id_fkey references auth.mfa_factors on delete set null,
  refresh_key_wrapped bytea,
  refresh_counter bigint not null default 0,
  refreshed_at timestamptz,
  not_after timestamptz,
  user_agent text,
  ip inet,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Until when a ban suspends the session; infinity after the deletion of the account.
  suspended_until timestamptz,
  -- Users may require that every request of theirs is signed. A copy of the setting, because every request reads its
  -- session's row anyway.
  requires_signature boolean not null default false,
  -- Whether the user has a verified factor: a copy for the same reason.
  requires_aal2 boolean not null default false,
  -- The refresh counter of the newest access token that was presented. Below refresh_counter, the answer to the last
  -- refresh may have been lost.
  seen_refresh_counter bigint not null default 0,
  -- SHA-256 of the whole key, or of the access token of a program, which has a refresh key too; null for the session of
  -- a device.
  api_key_hash bytea constraint sessions_api_key_hash_key unique,
  -- The sign-in, and later the password, a second factor or a mailed nonce: changes of an account need a recent proof
  -- that the owner makes them, so that a stolen token is not enough. Null for API keys, which prove nothing.
  proven_at timestamptz,
  constraint sessions_secret check (api_key_hash is not null or refresh_key_wrapped is not null)
);
comment on column auth.sessions.proven_at is 'when the session last proved that its holder is the owner of the account';
create index sessions_user_id_idx on auth.sessions (user_id);
create index sessions_not_after_idx on auth.sessions (not_after) where not_after is not null;
create index sessions_factor_id_idx on auth.sessions (factor_id) where factor_id is not null;
alter table auth.sessions enable row level security;
grant select, insert, update, delete on auth.sessions to sb_service;

-- PKCE: the code challenge of a flow, until the client exchanges the code.
create table auth.flow_states (
  id uuid default private.new_id() constraint flow_states_pkey primary key,
  user_id uuid constraint flow_states_user_id_fkey references auth.users on delete cascade,
  auth_code_hash bytea constraint flow_states_auth_code_hash_key unique,
  authentication_method text not null,
  code_challenge text not null,
  code_challenge_method text not null
    constraint flow_states_code_challenge_method_known check (code_challenge_method in ('s256', 'plain')),
  redirect_to text,
  code_issued_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  -- What a sign-in provider has returned, until the code is exchanged.
  provider_answer_wrapped bytea
);
create index flow_states_user_id_idx on auth.flow_states (user_id);
create index flow_states_expires_at_idx on auth.flow_states (expires_at);
alter table auth.flow_states enable row level security;
grant select, insert, update, delete on auth.flow_states to sb_service;

-- Sign-ins at identity providers, from the redirect to the provider until the browser comes back. A row without a
-- browser is an identity that somebody wants to link, until the browser follows, or the nonce of an ID token, which is
-- used once.
create table auth.sign_in_flows (
  id uuid default private.new_id() constraint sign_in_flows_pkey primary key,
  provider text not null,
  -- Of the state, which only the browser and the provider know.
  state_hash bytea not null constraint sign_in_flows_state_hash_key unique,
  -- Of the cookie of the browser that began it: no other browser can end it.
  browser_hash bytea,
  redirect_to text not null,
  code_challenge text,
  code_challenge_method text
    constraint sign_in_flows_code_challenge_method_known check (code_challenge_method in ('s256', 'plain')),
  -- The session that links the identity. A sign-out ends the flow too.
  linking_session_id uuid constraint sign_in_flows_linking_session_id_fkey references auth.sessions on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index sign_in_flows_expires_at_idx on auth.sign_in_flows (expires_at);
create index sign_in_flows_linking_session_id_idx on auth.sign_in_flows (linking_session_id)
  where linking_session_id is not null;
alter table auth.sign_in_flows enable row level security;
grant select, insert, update, delete on auth.sign_in_flows to sb_service;

-- Codes and links that are used once: confirmation, recovery, magic link, invitation, e-mail change, reauthentication.
create table auth.one_time_tokens (
  id uuid default private.new_id() constraint one_time_tokens_pkey primary key,
  user_id uuid not null constraint one_time_tokens_user_id_fkey references auth.users on delete cascade,
  kind text not null constraint one_time_tokens_kind_known check (kind in
    ('confirmation', 'recovery', 'magiclink', 'invite', 'email_change_current', 'email_change_new',
      'reauthentication')),
  token_hash bytea not null,
  relates_to text not null,
  failed_attempts smallint not null default 0,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  -- A new mail has a new code and new attempts, so attempts are also counted per hour, over all codes of one kind.
  hour_began_at timestamptz not null default now(),
  attempts_in_hour smallint not null default 0,
  -- The flow that a link belongs to. Deleted with it: without its flow, the link must not sign in.
  flow_state_id uuid constraint one_time_tokens_flow_state_id_fkey references auth.flow_states on delete cascade,
  -- The service role vouches for who gets a link that it has requested for itself.
  is_by_service_role boolean not null default false,
  constraint one_time_tokens_user_id_kind_key unique (user_id, kind)
);
create index one_time_tokens_token_hash_idx on auth.one_time_tokens (token_hash);
create index one_time_tokens_expires_at_idx on auth.one_time_tokens (expires_at);
-- Codes are looked up by the address they were sent to.
create index one_time_tokens_relates_to_idx on auth.one_time_tokens (relates_to);
create index one_time_tokens_flow_state_id_idx on auth.one_time_tokens (flow_state_id) where flow_state_id is not null;
alter table auth.one_time_tokens enable row level security;
grant select, insert, update, delete on auth.one_time_tokens to sb_service;

-- Limits how often mails of one kind go to an address, whether the address has an account or not: a limit for accounts
-- alone would reveal them. Addresses are stored as keyed hashes.
create table auth.mail_throttles (
  address_hash bytea not null,
  slot text not null constraint mail_throttles_slot_known check (slot in
    ('confirmation', 'magiclink', 'recovery', 'invite', 'email_change', 'email_change_resend', 'reauthentication')),
  sent_at timestamptz not null,
  constraint mail_throttles_pkey primary key (address_hash, slot)
);
create index mail_throttles_sent_at_idx on auth.mail_throttles (sent_at);
alter table auth.mail_throttles enable row level security;
grant select, insert, update, delete on auth.mail_throttles to sb_service;

-- A user's own secret for signing requests.
create table private.request_signing_secrets (
  user_id uuid constraint request_signing_secrets_pkey primary key
    constraint request_signing_secrets_user_id_fkey references auth.users on delete cascade,
  secret_wrapped bytea not null,
  created_at timestamptz not null default now()
);
alter table private.request_signing_secrets enable row level security;
grant select, insert, update, delete on private.request_signing_secrets to sb_service;

-- Nonces of accepted HTTP message signatures (RFC 9421). Each is accepted once: they stay until the
-- signature expires on every node.
create table private.request_nonces (
  user_id uuid not null constraint request_nonces_user_id_fkey references auth.users on delete cascade,
  nonce text not null constraint request_nonces_nonce_length check (char_length(nonce) between 8 and 128),
  expires_at timestamptz not null,
  constraint request_nonces_pkey primary key (user_id, nonce)
);
create index request_nonces_expires_at_idx on private.request_nonces (expires_at);
alter table private.request_nonces enable row level security;
grant select, insert, update, delete on private.request_nonces to sb_service;

-- What an operator or a user must be able to find out later about the security of an account.
create table auth.audit_log_entries (
  id uuid default private.new_id() constraint audit_log_entries_pkey primary key,
  action text not null constraint audit_log_entries_action_length check (char_length(action) between 1 and 63),
  user_id uuid constraint audit_log_entries_user_id_fkey references auth.users on delete cascade,
  -- Not a reference: the entry outlives the session.
  session_id uuid,
  ip inet,
  created_at timestamptz not null default now(),
  -- The entry of a deletion outlives the account.
  deleted_user_id uuid,
  -- The OAuth client that the entry is about. Not a reference: the entry outlives it.
  client_id text,
  constraint audit_log_entries_one_user check (num_nonnulls(user_id, deleted_user_id) = 1)
);
comment on column auth.audit_log_entries.deleted_user_id is
  'in place of user_id, the account that its owner has deleted';
create index audit_log_entries_user_id_idx on auth.audit_log_entries (user_id, created_at);
create index audit_log_entries_created_at_idx on auth.audit_log_entries (created_at);
alter table auth.audit_log_entries enable row level security;
grant select, insert, update, delete on auth.audit_log_entries to sb_service;

-- How hooks have failed, for operators: one row for each reason, so that a hook that is away fills no table.
create table private.hook_failures (
  hook text not null,
  reason text not null constraint hook_failures_reason_length check (char_length(reason) <= 200),
  count bigint not null default 1,
  failed_at timestamptz not null default now(),
  constraint hook_failures_pkey primary key (hook, reason)
);
comment on column private.hook_failures.failed_at is 'the latest one';
alter table private.hook_failures enable row level security;
grant select, insert, update, delete on private.hook_failures to sb_service;

-- after functions

create policy users_service on auth.users to sb_service using (true) with check (true);

create trigger users_create_profile after insert on auth.users for each row execute function private.create_profile();
create trigger users_sync_profile_email after update of email on auth.users for each row
  when (new.email is distinct from old.email) execute function private.sync_profile_email();
create trigger users_suspend_sessions after update of banned_until, deleted_at on auth.users for each row
  when ((new.banned_until, new.deleted_at) is distinct from (old.banned_until, old.deleted_at))
  execute function private.suspend_sessions();
create trigger users_withdraw_from_swarms after update on auth.users for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function private.remove_user_from_swarms();
create trigger users_suspend_webhooks after update of banned_until on auth.users for each row
  when (new.banned_until > now() and new.banned_until is distinct from old.banned_until)
  execute function private.suspend_webhooks();

create trigger users_remove_access after update of access_removed_at on auth.users for each row
  when (new.access_removed_at is distinct from old.access_removed_at) execute function private.remove_access();

create policy identities_service on auth.identities to sb_service using (true) with check (true);
create policy mfa_factors_service on auth.mfa_factors to sb_service using (true) with check (true);
create policy mfa_recovery_codes_service on auth.mfa_recovery_codes to sb_service using (true) with check (true);
create policy mfa_challenges_service on auth.mfa_challenges to sb_service using (true) with check (true);
create policy sessions_service on auth.sessions to sb_service using (true) with check (true);

create trigger sessions_begin before insert on auth.sessions for each row execute function private.begin_session();
create trigger mfa_factors_sync_sessions after insert or update of status or delete on auth.mfa_factors for each row
  execute function private.sync_second_factor();

create policy flow_states_service on auth.flow_states to sb_service using (true) with check (true);
create policy sign_in_flows_service on auth.sign_in_flows to sb_service using (true) with check (true);
create policy one_time_tokens_service on auth.one_time_tokens to sb_service using (true) with check (true);
create policy mail_throttles_service on auth.mail_throttles to sb_service using (true) with check (true);

create policy request_signing_secrets_service on private.request_signing_secrets to sb_service
  using (true) with check (true);

create policy request_nonces_service on private.request_nonces to sb_service using (true) with check (true);
create policy audit_log_entries_service on auth.audit_log_entries to sb_service using (true) with check (true);
create policy hook_failures_service on private.hook_failures to sb_service using (true) with check (true);
