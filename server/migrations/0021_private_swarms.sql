-- Private swarms: agent-respond with an agent instead of a swarm uses the private swarm of the caller and the agent.

-- The private swarm of each user and agent. The row goes with the swarm, and when the agent leaves the swarm.
create table private.private_swarms (
  user_id uuid not null constraint private_swarms_user_id_fkey references auth.users on delete cascade,
  agent_id uuid not null,
  swarm_id uuid not null,
  constraint private_swarms_pkey primary key (user_id, agent_id),
  constraint private_swarms_swarm_id_agent_id_key unique (swarm_id, agent_id),
  constraint private_swarms_swarm_id_agent_id_fkey foreign key (swarm_id, agent_id)
    references public.swarm_agents (swarm_id, agent_id) on delete cascade
);
alter table private.private_swarms enable row level security;
grant select, insert, update, delete on private.private_swarms to sb_service;

-- after functions

create policy private_swarms_service on private.private_swarms to sb_service using (true) with check (true);
