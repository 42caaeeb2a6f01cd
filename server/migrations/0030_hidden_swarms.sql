-- Hidden swarms: the swarms of calls that bring their own conversation and do not store it. Their user does not see
-- them in any table, no webhook receives their events, and they are deleted after their run.

-- Without a foreign key to the swarm: the row is inserted before its swarm, and stays a while after it, so that
-- realtime does not show the deletion of a swarm that was never shown.
create table private.hidden_swarms (
  swarm_id uuid constraint hidden_swarms_pkey primary key,
  user_id uuid not null constraint hidden_swarms_user_id_fkey references auth.users on delete cascade,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index hidden_swarms_user_id_idx on private.hidden_swarms (user_id);
alter table private.hidden_swarms enable row level security;
grant select, insert, update, delete on private.hidden_swarms to sb_service;

-- after functions

create policy hidden_swarms_service on private.hidden_swarms to sb_service using (true) with check (true);

-- The conditions on the owner of a row are for rows that my_swarm_ids does not have: new swarms, invitations, agents in
-- swarms of others.
alter policy swarms_select on public.swarms
  using (id = any (array(select private.my_swarm_ids()))
         or (owner_id = (select auth.uid()) and id <> all (array(select private.my_hidden_swarm_ids()))));
alter policy swarm_members_select on public.swarm_members
  using (swarm_id = any (array(select private.my_swarm_ids()))
         or (user_id = (select auth.uid()) and swarm_id <> all (array(select private.my_hidden_swarm_ids())))
         or (user_id is null and invited_email = (select private.my_proven_email())));
alter policy swarm_agents_select on public.swarm_agents
  using (swarm_id = any (array(select private.my_swarm_ids()))
         or (user_id = (select auth.uid()) and swarm_id <> all (array(select private.my_hidden_swarm_ids()))));
