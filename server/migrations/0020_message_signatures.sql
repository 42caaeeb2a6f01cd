-- HTTP message signatures (RFC 9421): a user can require them, and each nonce is accepted once.

alter table public.user_settings add column require_message_signature boolean not null default false;

-- Nonces of accepted signatures, until the signature expires on every node.
create table private.request_nonces (
  user_id uuid not null constraint request_nonces_user_id_fkey references auth.users on delete cascade,
  nonce text not null constraint request_nonces_nonce_length check (char_length(nonce) between 8 and 128),
  expires_at timestamptz not null,
  constraint request_nonces_pkey primary key (user_id, nonce)
);
create index request_nonces_expires_at_idx on private.request_nonces (expires_at);
alter table private.request_nonces enable row level security;
grant select, insert, update, delete on private.request_nonces to sb_service;

-- after functions

create policy request_nonces_service on private.request_nonces to sb_service using (true) with check (true);

drop trigger user_settings_sync_sessions on public.user_settings;
create trigger user_settings_sync_sessions after update of require_request_signature, require_message_signature
  on public.user_settings for each row
  when ((new.require_request_signature, new.require_message_signature)
    is distinct from (old.require_request_signature, old.require_message_signature))
  execute function private.sync_signature_requirement();
