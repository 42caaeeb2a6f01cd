-- What was sent to a model, one row for each call. Messages of the swarm are named by their number, so that their
-- text is stored once. Fewer people may read it than the call, because it has the system prompt of the agent's owner.
create table public.model_call_prompts (
  model_call_id uuid constraint model_call_prompts_pkey primary key
    constraint model_call_prompts_model_call_id_fkey references public.model_calls on delete cascade,
  swarm_id uuid not null,
  -- No foreign key, because its check would slow down the end of every turn.
  agent_id uuid not null,
  kept_messages integer not null,
  system text,
  messages jsonb not null,
  tools jsonb,
  tool_choice text not null,
  settings jsonb not null,
  max_output_tokens integer,
  sha256 text not null
);
create index model_call_prompts_agent_id_idx on public.model_call_prompts (agent_id);
alter table public.model_call_prompts enable row level security;
grant select on public.model_call_prompts to authenticated;
grant select, insert, update, delete on public.model_call_prompts to service_role, sb_service;

-- after functions

create policy model_call_prompts_select on public.model_call_prompts for select to authenticated
  using (agent_id = any (array(select private.my_agent_ids()))
    and swarm_id = any (array(select private.my_swarm_ids())));
create policy model_call_prompts_service on public.model_call_prompts to service_role, sb_service
  using (true) with check (true);
