-- Usage of model calls, and the reservations of running calls.

-- Append only, and without foreign keys to rows that may be deleted: billing records stay.
create table public.usage_records (
  id uuid default private.new_id() constraint usage_records_pkey primary key,
  payer_id uuid not null constraint usage_records_payer_id_fkey references auth.users on delete cascade,
  user_id uuid constraint usage_records_user_id_fkey references auth.users on delete set null,
  swarm_id uuid,
  run_id uuid,
  turn_id uuid,
  agent_id uuid,
  framework text not null,
  model text not null,
  input_tokens bigint not null default 0,
  cached_input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  reasoning_tokens bigint not null default 0,
  cost_usd numeric(18, 9),
  estimated boolean not null default false,
  created_at timestamptz not null default now(),
  -- The grant by which the user asked an agent of somebody else.
  grant_id uuid
);
create index usage_records_payer_id_idx on public.usage_records (payer_id, created_at desc);
create index usage_records_user_id_idx on public.usage_records (user_id, created_at desc) where user_id is not null;
create index usage_records_created_at_idx on public.usage_records (created_at);
create index usage_records_swarm_id_idx on public.usage_records (swarm_id, created_at desc);
create index usage_records_agent_id_idx on public.usage_records (agent_id, created_at) where grant_id is not null;
alter table public.usage_records enable row level security;
grant select on public.usage_records to authenticated;
grant select, insert, update, delete on public.usage_records to service_role, sb_service;

-- One row per model call of a run with a budget, or of an agent whose grant limits the cost, from before the call until
-- its usage is in usage_records. While the call is in flight, tokens and cost_usd are its estimate and usage is null;
-- afterwards they are its real usage. The end of the run deletes the rows. payer_id has no foreign key, because
-- deleting an account would then wait for reservations and could deadlock with them.
create table private.budget_reservations (
  id uuid default private.new_id() constraint budget_reservations_pkey primary key,
  run_id uuid not null constraint budget_reservations_run_id_fkey references public.runs on delete cascade,
  swarm_id uuid not null,
  payer_id uuid not null,
  turn_id uuid,
  tokens bigint not null,
  cost_usd numeric not null,
  usage jsonb,
  created_at timestamptz not null default now(),
  -- What is recorded when the swarm is deleted while the call is in progress.
  framework text,
  model text,
  input_tokens bigint,
  -- The grant by which a user asks the agent, and that user.
  grant_id uuid,
  user_id uuid
);
create index budget_reservations_grant_id_idx on private.budget_reservations (grant_id, user_id)
  where grant_id is not null;
create index budget_reservations_run_id_idx on private.budget_reservations (run_id);
create index budget_reservations_swarm_id_idx on private.budget_reservations (swarm_id);
create index budget_reservations_payer_id_idx on private.budget_reservations (payer_id);
alter table private.budget_reservations enable row level security;
grant select, insert, update, delete on private.budget_reservations to sb_service;

-- after functions

create policy usage_records_select on public.usage_records for select to authenticated
  using (payer_id = (select auth.uid()) or (user_id = (select auth.uid()) and grant_id is null));
create policy usage_records_service on public.usage_records to service_role, sb_service using (true) with check (true);

create view public.usage_daily with (security_invoker) as
  select (u.created_at at time zone 'UTC')::date as day, u.payer_id, u.swarm_id, u.agent_id, u.framework, u.model,
    count(*) as turns, sum(u.input_tokens) as input_tokens, sum(u.cached_input_tokens) as cached_input_tokens,
    sum(u.output_tokens) as output_tokens, sum(u.reasoning_tokens) as reasoning_tokens, sum(u.cost_usd) as cost_usd
  from public.usage_records u
  group by 1, 2, 3, 4, 5, 6;
revoke insert, update, delete on public.usage_daily from service_role;
grant select on public.usage_daily to authenticated, service_role;

create policy budget_reservations_service on private.budget_reservations to sb_service using (true) with check (true);
