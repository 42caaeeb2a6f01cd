-- Invitations expire. Those that exist already do not, because nobody told their recipients.
alter table public.swarm_members add column expires_at timestamptz;

-- after functions

create or replace view private.open_invitations with (security_barrier) as
  select m.id, m.swarm_id, s.name as swarm_name, m.role,
    coalesce(nullif(btrim(p.full_name), ''), u.email) as inviter_name, m.created_at,
         m.user_id, m.invited_email, m.expires_at
  from public.swarm_members m
  join public.swarms s on s.id = m.swarm_id
  left join auth.users u on u.id = m.invited_by and u.deleted_at is null
  left join public.profiles p on p.id = u.id
  where m.status = 'invited' and (m.expires_at is null or m.expires_at > now());

create or replace view public.swarm_invitations with (security_barrier) as
  select i.id, i.swarm_id, i.swarm_name, i.role, i.inviter_name, i.created_at, i.expires_at
  from private.open_invitations i
  where current_user = 'service_role' or i.user_id = (select auth.uid())
     or (i.user_id is null and i.invited_email = (select private.my_proven_email()));

create or replace trigger swarm_members_freeze before update on public.swarm_members for each row
  when (current_user in ('anon', 'authenticated', 'service_role')
        and (new.id, new.swarm_id, new.user_id, new.invited_email, new.invited_by, new.expires_at)
            is distinct from (old.id, old.swarm_id, old.user_id, old.invited_email, old.invited_by, old.expires_at))
  execute function private.reject_change('id', 'swarm_id', 'user_id', 'invited_email', 'invited_by', 'expires_at');
