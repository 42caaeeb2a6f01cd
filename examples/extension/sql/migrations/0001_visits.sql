create table ext_visits.visits (
  user_id uuid not null constraint visits_user_id_fkey references auth.users on delete cascade,
  visited_at timestamptz not null default now()
);
create index visits_user_id_idx on ext_visits.visits (user_id);
alter table ext_visits.visits enable row level security;
create policy visits_own on ext_visits.visits to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
grant usage on schema ext_visits to authenticated;
grant select, insert on ext_visits.visits to authenticated;
