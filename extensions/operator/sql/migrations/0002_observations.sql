-- What the processes of the service have observed, for operators: a ring that is bounded by time and by rows. Everything
-- here can be lost without harm, and belongs to nobody.
create table ext_operator.log_lines (
  id bigint generated always as identity constraint log_lines_pkey primary key,
  created_at timestamptz not null,
  node text not null,
  level text not null,
  event text not null,
  message text not null,
  request_id text,
  user_id text,
  fields jsonb not null
);
create index log_lines_created_at_idx on ext_operator.log_lines (created_at);
create index log_lines_request_id_idx on ext_operator.log_lines (request_id) where request_id is not null;
create index log_lines_user_id_idx on ext_operator.log_lines (user_id, id) where user_id is not null;
alter table ext_operator.log_lines enable row level security;
create policy log_lines_service on ext_operator.log_lines for select to sb_service using (true);
grant select on ext_operator.log_lines to sb_service;

-- One row for each process and interval.
create table ext_operator.metric_samples (
  id bigint generated always as identity constraint metric_samples_pkey primary key,
  created_at timestamptz not null default now(),
  node text not null,
  measured jsonb not null,
  -- What the process is that has stored the sample: its version, start, tasks, and what it knows about backups.
  process jsonb not null default '{}',
  -- The samples of twelve minutes in one row, which begins them.
  is_merged boolean not null default false
);
create index metric_samples_created_at_idx on ext_operator.metric_samples (created_at);
alter table ext_operator.metric_samples enable row level security;
create policy metric_samples_service on ext_operator.metric_samples for select to sb_service using (true);
grant select on ext_operator.metric_samples to sb_service;
