-- The number of agents of each user, so that the limit does not count them again with every insert.

create table private.agent_counters (
  user_id uuid constraint agent_counters_pkey primary key
    constraint agent_counters_user_id_fkey references auth.users on delete cascade,
  agents integer not null
);
alter table private.agent_counters enable row level security;
grant select, insert, update, delete on private.agent_counters to sb_service;

insert into private.agent_counters (user_id, agents)
select a.user_id, count(*) from public.agents a group by a.user_id;

-- after functions

create policy agent_counters_service on private.agent_counters to sb_service using (true) with check (true);

create trigger agents_count_deleted after delete on public.agents referencing old table as old_rows
  for each statement execute function private.count_deleted_agents();
create trigger agents_count_truncated after truncate on public.agents
  for each statement execute function private.count_truncated_agents();
