-- A swarm that exists and is closed to the caller is refused with FORBIDDEN, as writes of its rows are; SWARM_NOT_FOUND is for
-- one that does not exist. The detail says what the caller is in the swarm, so that the refusal can name the rule.

create or replace function private.check_run_member(swarm_id uuid, user_id uuid, is_service boolean) returns void
language plpgsql stable
as $$
declare
  membership text;
begin
  if is_service then
    if not exists (select 1 from public.swarms s where s.id = check_run_member.swarm_id) then
      perform private.refuse_call('SWARM_NOT_FOUND');
    elsif not exists (select 1 from public.profiles p where p.id = check_run_member.user_id) then
      perform private.refuse_call('VALIDATION_ERROR', '{"user_id": "names nobody"}');
    end if;
    return;
  end if;
  select case m.status when 'active' then m.role else 'invited' end into membership from public.swarm_members m
  where m.swarm_id = check_run_member.swarm_id
    and (m.user_id = check_run_member.user_id
         or (m.user_id is null and m.invited_email = (
               select u.email from auth.users u
               where u.id = check_run_member.user_id and u.email_confirmed_at is not null and u.deleted_at is null)))
  order by m.status limit 1;
  if membership in ('owner', 'admin', 'member') then
    return;
  end if;
  if not exists (select 1 from public.swarms s where s.id = check_run_member.swarm_id) then
    perform private.refuse_call('SWARM_NOT_FOUND');
  end if;
  perform private.refuse_call('FORBIDDEN', jsonb_build_object('membership', coalesce(membership, 'stranger')));
end
$$;

-- Told by the description of the tables, `GET /rest/v1/`.
comment on table public.webhooks is 'A user has at most 1000.';
comment on column public.webhooks.api_version is
  'The version of the bodies that are sent, fixed when the webhook is created. There is 2026-11-15.';
