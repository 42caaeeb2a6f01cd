-- Evals: datasets of cases, runs of a dataset against a version of an agent, and the result of each case. The owner
-- alone reads and writes them. Each table has the owner. Foreign keys include it, so that a row cannot refer to a row
-- of somebody else, and replica identities, so that realtime can check who may read a deleted row.

create table public.eval_datasets (
  id uuid default private.new_id() constraint eval_datasets_pkey primary key,
  user_id uuid not null default auth.uid()
    constraint eval_datasets_user_id_fkey references auth.users on delete cascade,
  name text not null constraint eval_datasets_name_length check (char_length(name) between 1 and 100),
  description text constraint eval_datasets_description_length check (char_length(description) <= 2000),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint eval_datasets_user_id_name_key unique (user_id, name),
  constraint eval_datasets_id_user_id_key unique (id, user_id)
);
alter table public.eval_datasets replica identity using index eval_datasets_id_user_id_key;
alter table public.eval_datasets enable row level security;
grant select, insert, update, delete on public.eval_datasets to authenticated, service_role, sb_service;

create function private.is_valid_expectation(expectation jsonb) returns boolean
language plpgsql immutable strict parallel safe
as $$
begin
  return case expectation ->> 'kind'
    when 'exact' then pg_catalog.jsonb_typeof(expectation -> 'text') = 'string'
    when 'contains' then case when pg_catalog.jsonb_typeof(expectation -> 'texts') = 'array' then
      pg_catalog.jsonb_array_length(expectation -> 'texts') between 1 and 50
      and not pg_catalog.jsonb_path_exists(expectation, '$.texts[*] ? (@.type() != "string" || @ == "")') end
    when 'schema' then pg_catalog.jsonb_typeof(expectation -> 'schema') = 'object'
    when 'judge' then pg_catalog.jsonb_typeof(expectation -> 'criteria') = 'string'
      and expectation ->> 'criteria' ~ '\S'
    when 'tool_called' then pg_catalog.jsonb_typeof(expectation -> 'tool') = 'string' and expectation ->> 'tool' <> ''
    else false
  end is true;
end
$$;
grant execute on function private.is_valid_expectation(jsonb) to authenticated, sb_service, service_role;

create table public.eval_cases (
  id uuid default private.new_id() constraint eval_cases_pkey primary key,
  user_id uuid not null default auth.uid() constraint eval_cases_user_id_fkey references auth.users on delete cascade,
  dataset_id uuid not null,
  name text not null constraint eval_cases_name_length check (char_length(name) between 1 and 200),
  input text not null constraint eval_cases_input_length check (char_length(input) between 1 and 100000)
    constraint eval_cases_input_not_empty check (input ~ '\S'),
  expectation jsonb not null
    constraint eval_cases_expectation_format check (private.is_valid_expectation(expectation))
    constraint eval_cases_expectation_size check (octet_length(expectation::text) <= 32768),
  position integer not null default 0 constraint eval_cases_position_range check (position >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- With the owner: otherwise an insert of somebody else would find out which names a dataset has.
  constraint eval_cases_dataset_id_name_key unique (dataset_id, user_id, name),
  constraint eval_cases_id_user_id_key unique (id, user_id),
  constraint eval_cases_dataset_id_fkey foreign key (dataset_id, user_id)
    references public.eval_datasets (id, user_id) on delete cascade
);
create index eval_cases_user_id_idx on public.eval_cases (user_id);
alter table public.eval_cases replica identity using index eval_cases_id_user_id_key;
alter table public.eval_cases enable row level security;
grant select, insert, update, delete on public.eval_cases to authenticated, service_role, sb_service;

create table public.eval_runs (
  id uuid default private.new_id() constraint eval_runs_pkey primary key,
  user_id uuid not null default auth.uid() constraint eval_runs_user_id_fkey references auth.users on delete cascade,
  dataset_id uuid not null,
  agent_id uuid,
  agent_version integer not null constraint eval_runs_agent_version_range check (agent_version > 0),
  baseline_run_id uuid,
  status text not null default 'running'
    constraint eval_runs_status_known check (status in ('running', 'completed', 'failed', 'cancelled')),
  case_count integer not null default 0 constraint eval_runs_case_count_range check (case_count >= 0),
  passed_count integer not null default 0 constraint eval_runs_passed_count_range check (passed_count >= 0),
  regression_count integer not null default 0
    constraint eval_runs_regression_count_range check (regression_count >= 0),
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  constraint eval_runs_id_user_id_key unique (id, user_id),
  constraint eval_runs_dataset_id_fkey foreign key (dataset_id, user_id)
    references public.eval_datasets (id, user_id) on delete cascade,
  -- The runs of a deleted agent stay.
  constraint eval_runs_agent_id_fkey foreign key (agent_id, user_id)
    references public.agents (id, user_id) on delete set null (agent_id),
  constraint eval_runs_baseline_run_id_fkey foreign key (baseline_run_id, user_id)
    references public.eval_runs (id, user_id) on delete set null (baseline_run_id)
);
-- Serves the search for the baseline as well.
create index eval_runs_dataset_id_idx on public.eval_runs (dataset_id, user_id, created_at desc);
create index eval_runs_user_id_idx on public.eval_runs (user_id);
-- Serves the removal of old versions as well.
create index eval_runs_agent_id_idx on public.eval_runs (agent_id, user_id, agent_version) where agent_id is not null;
create index eval_runs_baseline_run_id_idx on public.eval_runs (baseline_run_id, user_id)
  where baseline_run_id is not null;
alter table public.eval_runs replica identity using index eval_runs_id_user_id_key;
alter table public.eval_runs enable row level security;
grant select, insert, update, delete on public.eval_runs to authenticated, service_role, sb_service;

-- A result has what the case was, so that it stays true when the case is changed or deleted.
create table public.eval_results (
  id uuid default private.new_id() constraint eval_results_pkey primary key,
  user_id uuid not null default auth.uid() constraint eval_results_user_id_fkey references auth.users on delete cascade,
  eval_run_id uuid not null,
  case_id uuid,
  case_name text not null constraint eval_results_case_name_length check (char_length(case_name) between 1 and 200),
  input text not null constraint eval_results_input_length check (char_length(input) between 1 and 100000),
  expectation jsonb not null
    constraint eval_results_expectation_object check (jsonb_typeof(expectation) = 'object')
    constraint eval_results_expectation_size check (octet_length(expectation::text) <= 32768),
  passed boolean not null,
  is_regression boolean not null default false,
  score numeric constraint eval_results_score_range check (score between 0 and 1),
  reason text constraint eval_results_reason_length check (char_length(reason) <= 2000),
  output text constraint eval_results_output_length check (char_length(output) <= 100000),
  -- No foreign key: the run is deleted before its result, at once if its conversation is not stored.
  run_id uuid,
  latency_ms integer constraint eval_results_latency_ms_range check (latency_ms >= 0),
  input_tokens bigint constraint eval_results_input_tokens_range check (input_tokens >= 0),
  output_tokens bigint constraint eval_results_output_tokens_range check (output_tokens >= 0),
  cost_usd numeric(18, 9) constraint eval_results_cost_usd_range check (cost_usd >= 0),
  created_at timestamptz not null default now(),
  constraint eval_results_id_user_id_key unique (id, user_id),
  constraint eval_results_eval_run_id_case_id_key unique (eval_run_id, user_id, case_id),
  constraint eval_results_eval_run_id_fkey foreign key (eval_run_id, user_id)
    references public.eval_runs (id, user_id) on delete cascade,
  constraint eval_results_case_id_fkey foreign key (case_id, user_id)
    references public.eval_cases (id, user_id) on delete set null (case_id)
);
create index eval_results_case_id_idx on public.eval_results (case_id, user_id) where case_id is not null;
create index eval_results_user_id_idx on public.eval_results (user_id);
alter table public.eval_results replica identity using index eval_results_id_user_id_key;
alter table public.eval_results enable row level security;
grant select, insert, update, delete on public.eval_results to authenticated, service_role, sb_service;

-- after functions

create policy eval_datasets_own on public.eval_datasets to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy eval_datasets_service on public.eval_datasets to service_role, sb_service using (true) with check (true);
create policy eval_cases_own on public.eval_cases to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy eval_cases_service on public.eval_cases to service_role, sb_service using (true) with check (true);
create policy eval_runs_own on public.eval_runs to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy eval_runs_service on public.eval_runs to service_role, sb_service using (true) with check (true);
create policy eval_results_own on public.eval_results to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy eval_results_service on public.eval_results to service_role, sb_service using (true) with check (true);

create trigger eval_datasets_stamp before insert or update on public.eval_datasets for each row
  execute function private.stamp_created_and_updated();
create trigger eval_datasets_freeze before update on public.eval_datasets for each row
  when (new.id is distinct from old.id) execute function private.reject_change('id');
create trigger eval_datasets_keep_owner before update on public.eval_datasets for each row
  when (new.user_id is distinct from old.user_id) execute function private.reject_transfer('user_id');

create trigger eval_cases_stamp before insert or update on public.eval_cases for each row
  execute function private.stamp_created_and_updated();
create trigger eval_cases_freeze before update on public.eval_cases for each row
  when ((new.id, new.dataset_id) is distinct from (old.id, old.dataset_id))
  execute function private.reject_change('id', 'dataset_id');
create trigger eval_cases_keep_owner before update on public.eval_cases for each row
  when (new.user_id is distinct from old.user_id) execute function private.reject_transfer('user_id');

create trigger eval_runs_stamp before insert or update on public.eval_runs for each row
  execute function private.stamp_created();
-- A deleted agent sets agent_id to null.
create trigger eval_runs_freeze before update on public.eval_runs for each row
  when ((new.id, new.dataset_id, new.agent_version) is distinct from (old.id, old.dataset_id, old.agent_version)
    or (new.agent_id is not null and new.agent_id is distinct from old.agent_id))
  execute function private.reject_change('id', 'dataset_id', 'agent_version', 'agent_id');
create trigger eval_runs_keep_owner before update on public.eval_runs for each row
  when (new.user_id is distinct from old.user_id) execute function private.reject_transfer('user_id');

create trigger eval_results_stamp before insert or update on public.eval_results for each row
  execute function private.stamp_created();
create trigger eval_results_freeze before update on public.eval_results for each row
  when ((new.id, new.eval_run_id) is distinct from (old.id, old.eval_run_id))
  execute function private.reject_change('id', 'eval_run_id');
create trigger eval_results_keep_owner before update on public.eval_results for each row
  when (new.user_id is distinct from old.user_id) execute function private.reject_transfer('user_id');
