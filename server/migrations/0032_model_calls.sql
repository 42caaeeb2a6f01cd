-- One row for each request to a model provider: the first attempt, retries and fallbacks. Written with the step of the
-- run that follows the call, so that it needs no transaction of its own.
create table public.model_calls (
  id uuid default private.new_id() constraint model_calls_pkey primary key,
  run_id uuid not null,
  -- Null for the selection of the next speaker, which belongs to no turn.
  turn_id uuid constraint model_calls_turn_id_fkey references public.run_turns on delete cascade,
  swarm_id uuid not null,
  -- No foreign key, because its check would slow down the end of every turn.
  agent_id uuid,
  attempt integer not null,
  framework text not null,
  model text not null,
  status text not null constraint model_calls_status_known check (status in ('succeeded', 'failed', 'cancelled')),
  finish_reason text,
  error jsonb,
  first_token_ms integer,
  duration_ms integer not null,
  input_tokens bigint,
  cached_input_tokens bigint,
  output_tokens bigint,
  reasoning_tokens bigint,
  estimated boolean not null default false,
  cost_usd numeric(18, 9),
  started_at timestamptz not null,
  finished_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint model_calls_run_id_fkey foreign key (swarm_id, run_id)
    references public.runs (swarm_id, id) on delete cascade
);
create index model_calls_run_id_idx on public.model_calls (swarm_id, run_id);
create index model_calls_turn_id_idx on public.model_calls (turn_id) where turn_id is not null;
create index model_calls_created_at_idx on public.model_calls using brin (created_at);
alter table public.model_calls enable row level security;
grant select on public.model_calls to authenticated;
grant select, insert, update, delete on public.model_calls to service_role, sb_service;

-- after functions

create policy model_calls_select on public.model_calls for select to authenticated
  using (swarm_id = any (array(select private.my_swarm_ids())));
create policy model_calls_service on public.model_calls to service_role, sb_service using (true) with check (true);
