-- Passkeys: WebAuthn credentials that sign in, and those of second factors.

create table auth.webauthn_credentials (
  id uuid default private.new_id() constraint webauthn_credentials_pkey primary key,
  user_id uuid not null constraint webauthn_credentials_user_id_fkey references auth.users on delete cascade,
  -- Null for passkeys. The credential of a second factor does not sign in.
  factor_id uuid constraint webauthn_credentials_factor_id_key unique
    constraint webauthn_credentials_factor_id_fkey references auth.mfa_factors on delete cascade,
  credential_id bytea not null constraint webauthn_credentials_credential_id_key unique
    constraint webauthn_credentials_credential_id_length check (octet_length(credential_id) between 1 and 1023),
  -- As in COSE.
  public_key bytea not null
    constraint webauthn_credentials_public_key_length check (octet_length(public_key) between 1 and 2048),
  sign_count bigint not null,
  transports text[] not null default '{}',
  -- The model of the authenticator; zeros where it does not say.
  aaguid uuid not null,
  friendly_name text
    constraint webauthn_credentials_friendly_name_length check (char_length(friendly_name) between 1 and 120),
  is_backed_up boolean not null,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index webauthn_credentials_user_id_idx on auth.webauthn_credentials (user_id);
alter table auth.webauthn_credentials enable row level security;
grant select, insert, update, delete on auth.webauthn_credentials to sb_service;

-- Challenges of passkeys, each for one response. Those of second factors are in auth.mfa_challenges.
create table auth.webauthn_challenges (
  id uuid default private.new_id() constraint webauthn_challenges_pkey primary key,
  -- Who registers a passkey; null for a sign-in, before which nobody is known.
  user_id uuid constraint webauthn_challenges_user_id_fkey references auth.users on delete cascade,
  challenge_hash bytea not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index webauthn_challenges_user_id_idx on auth.webauthn_challenges (user_id) where user_id is not null;
create index webauthn_challenges_expires_at_idx on auth.webauthn_challenges (expires_at);
alter table auth.webauthn_challenges enable row level security;
grant select, insert, update, delete on auth.webauthn_challenges to sb_service;

-- after functions

create policy webauthn_credentials_service on auth.webauthn_credentials to sb_service using (true) with check (true);
create policy webauthn_challenges_service on auth.webauthn_challenges to sb_service using (true) with check (true);
