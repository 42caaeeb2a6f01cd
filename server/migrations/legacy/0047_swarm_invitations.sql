-- What an invited person may know before they answer: which swarm, as what, and who asks. An inviter without a name is named by their
-- e-mail address, because an invitation from nobody cannot be judged.
create view private.open_invitations with (security_barrier) as
  select m.id, m.swarm_id, s.name as swarm_name, m.role, coalesce(nullif(btrim(p.full_name), ''), u.email) as inviter_name, m.created_at,
         m.user_id, m.invited_email
  from public.swarm_members m
  join public.swarms s on s.id = m.swarm_id
  left join auth.users u on u.id = m.invited_by and u.deleted_at is null
  left join public.profiles p on p.id = u.id
  where m.status = 'invited';
grant select on private.open_invitations to sb_service;

create view public.swarm_invitations with (security_barrier) as
  select i.id, i.swarm_id, i.swarm_name, i.role, i.inviter_name, i.created_at
  from private.open_invitations i
  where current_user = 'service_role' or i.user_id = (select auth.uid())
     or (i.user_id is null and i.invited_email = (select private.my_confirmed_email()));
revoke insert, update, delete on public.swarm_invitations from service_role;
grant select on public.swarm_invitations to authenticated, service_role;

-- One mail a day for a swarm and a person, and sixty an hour for an inviter: more wait their turn. A mail by address is written whether the
-- address has an account or not.
create function private.enqueue_invitation_mails() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  mails_per_hour constant integer := 60;
  inviter uuid;
begin
  if not exists (select 1 from new_rows n where n.status = 'invited') then
    return null;
  end if;
  for inviter in select distinct n.invited_by from new_rows n where n.status = 'invited' and n.invited_by is not null order by 1
  loop
    perform pg_advisory_xact_lock(hashtext('private.mail_outbox'), hashtext(inviter::text));
  end loop;
  insert into private.mail_outbox (kind, user_id, email, sender_id, data, not_before, due_at)
  select 'swarm_invitation', n.user_id, case when n.user_id is null then n.invited_email end, n.invited_by,
         jsonb_build_object('swarm_id', n.swarm_id), turn.at, turn.at
  from (select *, row_number() over (partition by invited_by order by id) - 1 as place from new_rows where status = 'invited') n
  cross join lateral (
    select case when n.invited_by is null then now() else now() + interval '1 hour' * ((n.place + (
      select count(*) from private.mail_outbox o
      where o.sender_id = n.invited_by and o.not_before > now() - interval '1 hour')) / mails_per_hour) end) as turn (at)
  where not exists (
    select 1 from private.mail_outbox o
    where o.kind = 'swarm_invitation' and o.created_at > now() - interval '1 day'
      and o.data ->> 'swarm_id' = n.swarm_id::text
      and (o.user_id = n.user_id or (n.user_id is null and o.email = n.invited_email)));
  return null;
end
$$;
create trigger swarm_members_enqueue_mails after insert on public.swarm_members referencing new table as new_rows
  for each statement execute function private.enqueue_invitation_mails();
