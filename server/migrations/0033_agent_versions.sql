-- Versions of agents: what an agent was after each transaction that changed it, and which version a turn used.

create table public.agent_versions (
  agent_id uuid constraint agent_versions_agent_id_fkey references public.agents on delete cascade,
  number integer constraint agent_versions_number_range check (number > 0),
  role text,
  framework text not null,
  model text,
  system_prompt text,
  settings jsonb not null,
  tools jsonb not null,
  -- The owner of the agent or null, so that it needs no foreign key: both are deleted together.
  changed_by uuid,
  created_at timestamptz not null default now(),
  constraint agent_versions_pkey primary key (agent_id, number)
);
alter table public.agent_versions enable row level security;
-- New tables of public are the service role's. The service alone writes versions, so that they say what was true.
revoke insert, update, delete on public.agent_versions from service_role;
grant select on public.agent_versions to authenticated, service_role;
grant select, insert, update, delete on public.agent_versions to sb_service;

insert into public.agent_versions (agent_id, number, role, framework, model, system_prompt, settings, tools, created_at)
select a.id, 1, a.role, a.framework, a.model, a.system_prompt, a.settings, coalesce((
    select jsonb_agg(jsonb_build_object('tool_id', t.id, 'name', t.name, 'enabled', at.enabled,
      'configuration', at.configuration) order by t.id)
    from public.agent_tools at join public.tools t on t.id = at.tool_id where at.agent_id = a.id), '[]'),
  a.updated_at
from public.agents a;

-- No foreign key: a turn keeps the number after its agent was deleted.
alter table public.run_turns add column agent_version integer;
-- Serves the foreign key as well, and the search for the turns of a version.
create index run_turns_agent_id_version_idx on public.run_turns (agent_id, agent_version) where agent_id is not null;

-- after functions

drop index if exists public.run_turns_agent_id_idx;

create policy agent_versions_select on public.agent_versions for select to authenticated
  using (agent_id = any (array(select private.my_agent_ids())));
create policy agent_versions_service on public.agent_versions to service_role, sb_service
  using (true) with check (true);

create trigger agents_store_first_version after insert on public.agents referencing new table as new_rows
  for each statement execute function private.store_first_agent_versions();
-- Deferred, so that all changes of a transaction are one version. The lists of columns keep a change of the status,
-- which runs make often, from comparing long prompts.
create constraint trigger agents_store_version
  after update of role, framework, model, system_prompt, settings on public.agents deferrable initially deferred
  for each row when ((new.role, new.framework, new.model, new.system_prompt, new.settings)
    is distinct from (old.role, old.framework, old.model, old.system_prompt, old.settings))
  execute function private.store_agent_version();
create constraint trigger agent_tools_store_version after insert or delete on public.agent_tools
  deferrable initially deferred for each row execute function private.store_agent_version();
create constraint trigger agent_tools_store_changed_version after update of enabled, configuration on public.agent_tools
  deferrable initially deferred for each row
  when ((new.enabled, new.configuration) is distinct from (old.enabled, old.configuration))
  execute function private.store_agent_version();
