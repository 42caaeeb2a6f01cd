-- What the service needs as a client of MCP servers.

-- Authorizations of the service at MCP servers, by OAuth. One row serves all tools of an owner that have the same
-- address.

create table private.mcp_authorizations (
  id uuid default private.new_id() constraint mcp_authorizations_pkey primary key,
  -- Null: for tools without an owner.
  owner_id uuid constraint mcp_authorizations_owner_id_fkey references auth.users on delete cascade,
  url text not null constraint mcp_authorizations_url_length check (char_length(url) between 1 and 2048),
  scope text constraint mcp_authorizations_scope_length check (char_length(scope) <= 4096),
  -- Tokens, and what their renewal needs. Null until the owner has agreed at the server, and when it withdraws that.
  credentials_wrapped bytea
    constraint mcp_authorizations_credentials_wrapped_size check (octet_length(credentials_wrapped) <= 262144),
  authorized_at timestamptz,
  -- Increases with every change of the credentials.
  version bigint not null default 0,
  -- Servers accept a refresh token once, so only one node may use it.
  renewing_until timestamptz,
  -- The attempt that waits for the owner. The state that the browser returns is stored as its SHA-256.
  state_hash bytea constraint mcp_authorizations_state_hash_key unique,
  state_expires_at timestamptz,
  redirect_to text constraint mcp_authorizations_redirect_to_length check (char_length(redirect_to) <= 2048),
  attempt_wrapped bytea
    constraint mcp_authorizations_attempt_wrapped_size check (octet_length(attempt_wrapped) <= 262144),
  created_at timestamptz not null default now(),
  constraint mcp_authorizations_owner_id_url_key unique nulls not distinct (owner_id, url)
);
create index mcp_authorizations_state_expires_at_idx on private.mcp_authorizations (state_expires_at)
  where authorized_at is null;
alter table private.mcp_authorizations enable row level security;
grant select, insert, update, delete on private.mcp_authorizations to sb_service;

-- A call whose tool asks a person. The answer is removed when the tool has it.
alter table public.tool_execution_payloads add column question jsonb;
alter table public.tool_execution_payloads add column answer jsonb;

-- after functions

create policy mcp_authorizations_service on private.mcp_authorizations to sb_service using (true) with check (true);
