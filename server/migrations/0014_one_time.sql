-- Mails of one kind to one address keep their distance, whether the address has an account or not: a brake that knew
-- accounts only would tell them apart from the rest. Addresses are kept as keyed hashes.
create table auth.mail_throttles (
  address_hash bytea not null,
  slot text not null constraint mail_throttles_slot_known check (slot in
    ('confirmation', 'magiclink', 'recovery', 'invite', 'email_change', 'email_change_resend', 'reauthentication')),
  sent_at timestamptz not null,
  constraint mail_throttles_pkey primary key (address_hash, slot)
);
create index mail_throttles_sent_at_idx on auth.mail_throttles (sent_at);

alter table auth.mail_throttles enable row level security;
create policy mail_throttles_service on auth.mail_throttles to sb_service using (true) with check (true);
grant select, insert, update, delete on auth.mail_throttles to sb_service;

-- A code is tried by the address that it was sent to.
create index one_time_tokens_relates_to_idx on auth.one_time_tokens (relates_to);

-- A new mail brings a new code and new attempts, so attempts are also counted by the hour, over all codes of one kind.
alter table auth.one_time_tokens
  add column hour_began_at timestamptz not null default now(),
  add column attempts_in_hour smallint not null default 0;

-- The flow that a link belongs to. Gone with it: a link of a flow must never turn into one that signs in without it.
alter table auth.one_time_tokens add column flow_state_id uuid
  constraint one_time_tokens_flow_state_id_fkey references auth.flow_states on delete cascade;
create index one_time_tokens_flow_state_id_idx on auth.one_time_tokens (flow_state_id) where flow_state_id is not null;
