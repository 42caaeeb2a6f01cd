-- API keys of users. The secret side of a key is a row of auth.sessions with the same id, so that the check of the
-- session that begins every transaction also covers keys: revocation, expiry, bans, deletion, signatures and second
-- factors.

-- SHA-256 of the whole key; null for the session of a device, which has a refresh key instead.
alter table auth.sessions add column api_key_hash bytea constraint sessions_api_key_hash_key unique;
alter table auth.sessions alter column refresh_key_wrapped drop not null;
alter table auth.sessions add constraint sessions_one_secret
  check ((api_key_hash is null) <> (refresh_key_wrapped is null));

-- Some constraints have a name because the one that PostgreSQL chooses is that of a constraint of private.api_keys.
create table public.api_keys (
  id uuid default private.new_id() constraint api_keys_id_given not null constraint api_keys_id_pkey primary key
    constraint api_keys_id_fkey references auth.sessions on delete cascade,
  user_id uuid not null constraint api_keys_user_id_fkey references auth.users on delete cascade,
  name text not null constraint api_keys_name_length check (char_length(name) between 1 and 100),
  scopes text[] not null constraint api_keys_scopes_known check (scopes <@ array['read', 'write', 'run', 'approve'])
    constraint api_keys_scopes_read check ('read' = any (scopes)),
  -- The first characters, by which people recognise a key that they have stored elsewhere.
  prefix text not null constraint api_keys_prefix_length check (char_length(prefix) between 3 and 16),
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz constraint api_keys_created_at_given not null default now()
);
create index api_keys_user_id_idx on public.api_keys (user_id, created_at);
alter table public.api_keys enable row level security;
-- New tables of public are the service role's. Keys change through the function alone, which keeps both rows together.
revoke insert, update, delete on public.api_keys from service_role;
grant select on public.api_keys to authenticated, service_role;
grant select, insert, update, delete on public.api_keys to sb_service;

-- after functions

create policy api_keys_select on public.api_keys for select to authenticated using (user_id = (select auth.uid()));
create policy api_keys_service on public.api_keys to service_role, sb_service using (true) with check (true);

create trigger user_settings_reject_api_key before update on public.user_settings for each row
  when ((new.require_request_signature, new.require_message_signature, new.daily_token_budget,
         new.daily_cost_budget_usd)
    is distinct from (old.require_request_signature, old.require_message_signature, old.daily_token_budget,
         old.daily_cost_budget_usd))
  execute function private.reject_api_key();
