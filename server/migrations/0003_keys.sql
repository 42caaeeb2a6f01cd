-- Keys of the deployment: created once under the migration lock and wrapped by the master key, so that all nodes have
-- the same keys.

create table private.signing_keys (
  kid text constraint signing_keys_pkey primary key,
  purpose text not null constraint signing_keys_purpose_known check (purpose in ('access_token', 'role_key')),
  algorithm text not null constraint signing_keys_algorithm_known check (algorithm in ('ES256', 'RS256', 'HS256')),
  public_jwk jsonb,
  private_key_wrapped bytea,
  status text not null constraint signing_keys_status_known
    check (status in ('standby', 'current', 'previous', 'revoked')),
  created_at timestamptz not null default now(),
  current_since timestamptz,
  retired_at timestamptz
);
create unique index signing_keys_one_current on private.signing_keys (purpose) where status = 'current';
alter table private.signing_keys enable row level security;
grant select, insert, update, delete on private.signing_keys to sb_service;

create table private.api_keys (
  id uuid default private.new_id() constraint api_keys_pkey primary key,
  role text not null constraint api_keys_role_known check (role in ('anon', 'service_role')),
  token_wrapped bytea not null,
  token_hash bytea not null constraint api_keys_token_hash_key unique,
  kid text not null constraint api_keys_kid_fkey references private.signing_keys,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create index api_keys_kid_idx on private.api_keys (kid);
alter table private.api_keys enable row level security;
grant select, insert, update, delete on private.api_keys to sb_service;

-- after functions

create policy signing_keys_service on private.signing_keys to sb_service using (true) with check (true);
create policy api_keys_service on private.api_keys to sb_service using (true) with check (true);
