-- An address gives a right only when it was proven: by a link or code in a mail, or by the service role. Without a mail
-- server every address counts as confirmed, so `email_confirmed_at` says nothing about who has the mailbox.
alter table auth.users add column proven_email text;
comment on column auth.users.proven_email is
  'the address that was proven last; it gives rights only while it is also the address of the account';

-- The service role vouches for who gets a link that it has requested for itself.
alter table auth.one_time_tokens add column is_by_service_role boolean not null default false;

do $$
begin
  if to_regprocedure('private.my_confirmed_email()') is not null then
    alter function private.my_confirmed_email() rename to my_proven_email;
  end if;
end
$$;

-- The secrets with which the account of an invited address accepts, whether the address was proven or not: one in the
-- link that the inviter gets, one in the mail. Deleted with the invitation.
create table private.invitation_secrets (
  member_id uuid not null
    constraint invitation_secrets_member_id_fkey references public.swarm_members on delete cascade,
  way text not null constraint invitation_secrets_way_known check (way in ('link', 'mail')),
  secret_hash bytea not null constraint invitation_secrets_secret_hash_key unique,
  created_at timestamptz not null default now(),
  constraint invitation_secrets_pkey primary key (member_id, way)
);
alter table private.invitation_secrets enable row level security;
grant select, insert, update, delete on private.invitation_secrets to sb_service;

-- after functions

create policy invitation_secrets_service on private.invitation_secrets to sb_service using (true) with check (true);

alter policy swarm_members_update on public.swarm_members
  using (role <> 'owner' and (swarm_id = any (array(select private.my_managed_swarm_ids()))
    or user_id = (select auth.uid())
         or (user_id is null and invited_email = (select private.my_proven_email()))));
alter policy swarm_members_delete on public.swarm_members
  using (role <> 'owner' and (swarm_id = any (array(select private.my_managed_swarm_ids()))
    or user_id = (select auth.uid())
         or (user_id is null and invited_email = (select private.my_proven_email()))));
