-- The authorization server: programs that people let in. What a program may do is an API key without a key of its own:
-- a row of public.api_keys with a client, whose secret side is a row of auth.sessions, as for other keys. The access
-- token takes the place of the key (auth.sessions.api_key_hash), and the refresh key signs refresh tokens, as for the
-- session of a device. So every check of a key, and every end of one, holds for programs too.

create table auth.oauth_clients (
  -- A UUID, or the address of the document that describes the client.
  id text constraint oauth_clients_pkey primary key
    constraint oauth_clients_id_length check (char_length(id) between 1 and 2048),
  registration text not null
    constraint oauth_clients_registration_known check (registration in ('manual', 'dynamic', 'document')),
  name text not null constraint oauth_clients_name_length check (char_length(name) between 1 and 100),
  client_uri text,
  logo_uri text,
  redirect_uris text[] not null
    constraint oauth_clients_redirect_uris_count check (cardinality(redirect_uris) between 1 and 20),
  grant_types text[] not null default '{authorization_code,refresh_token}',
  token_endpoint_auth_method text not null default 'none' constraint oauth_clients_auth_method_known
    check (token_endpoint_auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
  -- SHA-256, for confidential clients.
  secret_hash bytea,
  -- The scopes that the client may ask for. Null: all that its registration permits.
  scopes text[],
  -- When a document is read again.
  document_expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint oauth_clients_secret_if_confidential
    check ((token_endpoint_auth_method = 'none') = (secret_hash is null))
);
create index oauth_clients_created_at_idx on auth.oauth_clients (created_at);
alter table auth.oauth_clients enable row level security;
grant select, insert, update, delete on auth.oauth_clients to sb_service;

-- What a person has agreed to. While it stands, the client gets the same again without a question.
create table auth.oauth_consents (
  user_id uuid not null constraint oauth_consents_user_id_fkey references auth.users on delete cascade,
  client_id text not null constraint oauth_consents_client_id_fkey references auth.oauth_clients on delete cascade,
  -- The address that the tokens are for.
  resource text not null,
  scopes text[] not null,
  -- As api_keys.resources.
  resources jsonb,
  -- As the person saw them. A client that has changed either is asked for again.
  client_name text not null,
  redirect_uris text[] not null,
  granted_at timestamptz not null default now(),
  constraint oauth_consents_pkey primary key (user_id, client_id, resource)
);
create index oauth_consents_client_id_idx on auth.oauth_consents (client_id);
alter table auth.oauth_consents enable row level security;
grant select, insert, update, delete on auth.oauth_consents to sb_service;

-- The sessions of clients: one for each code that was redeemed.
create table auth.oauth_sessions (
  id uuid default private.new_id() constraint oauth_sessions_pkey primary key
    constraint oauth_sessions_id_fkey references auth.sessions on delete cascade,
  user_id uuid not null constraint oauth_sessions_user_id_fkey references auth.users on delete cascade,
  client_id text not null constraint oauth_sessions_client_id_fkey references auth.oauth_clients,
  resource text not null,
  -- All that were granted, those of OpenID Connect included.
  scopes text[] not null,
  access_expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index oauth_sessions_user_id_idx on auth.oauth_sessions (user_id, client_id);
create index oauth_sessions_client_id_idx on auth.oauth_sessions (client_id);
alter table auth.oauth_sessions enable row level security;
grant select, insert, update, delete on auth.oauth_sessions to sb_service;

-- Requests of clients, from the redirect to the consent until the code was redeemed.
create table auth.oauth_authorizations (
  id uuid default private.new_id() constraint oauth_authorizations_pkey primary key,
  client_id text not null
    constraint oauth_authorizations_client_id_fkey references auth.oauth_clients on delete cascade,
  redirect_uri text not null,
  scopes text[] not null,
  resource text not null,
  state text,
  nonce text,
  -- S256, the only method.
  code_challenge text not null,
  -- Whether the client wants the person to be asked although a consent stands (prompt=consent, prompt=login).
  is_asked boolean not null default false,
  -- The approval needs a sign-in after this time (prompt=login, max_age); null: as every approval.
  authenticated_after timestamptz,
  -- Whoever opened the request first. Nobody else can decide about it.
  user_id uuid constraint oauth_authorizations_user_id_fkey references auth.users on delete cascade,
  resources jsonb,
  -- How strong the session was that approved; null before that.
  aal text constraint oauth_authorizations_aal_known check (aal in ('aal1', 'aal2')),
  -- When the person last signed in before the approval.
  authenticated_at timestamptz,
  code_hash bytea constraint oauth_authorizations_code_hash_key unique,
  -- What the code was redeemed for. A second attempt ends it.
  session_id uuid constraint oauth_authorizations_session_id_fkey references auth.sessions on delete set null,
  redeemed_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index oauth_authorizations_client_id_idx on auth.oauth_authorizations (client_id);
create index oauth_authorizations_user_id_idx on auth.oauth_authorizations (user_id) where user_id is not null;
create index oauth_authorizations_session_id_idx on auth.oauth_authorizations (session_id) where session_id is not null;
create index oauth_authorizations_expires_at_idx on auth.oauth_authorizations (expires_at);
alter table auth.oauth_authorizations enable row level security;
grant select, insert, update, delete on auth.oauth_authorizations to sb_service;

-- after functions

create policy oauth_clients_service on auth.oauth_clients to sb_service using (true) with check (true);
create policy oauth_consents_service on auth.oauth_consents to sb_service using (true) with check (true);
create policy oauth_sessions_service on auth.oauth_sessions to sb_service using (true) with check (true);
create policy oauth_authorizations_service on auth.oauth_authorizations to sb_service using (true) with check (true);
