-- What each user has used by day (UTC), for lists in the order of use: requests are counted by the processes that answer
-- them, and the rest is the sum of public.usage_records. There is no foreign key, because the requests of a process are
-- added for many users at once, and must not wait for the deletion of one account.
create table ext_operator.user_days (
  day date not null,
  user_id uuid not null,
  requests bigint not null default 0,
  -- Those that the user pays for and that have called a model.
  runs bigint not null default 0,
  tokens bigint not null default 0,
  cost_usd numeric not null default 0,
  constraint user_days_pkey primary key (day, user_id)
);
alter table ext_operator.user_days enable row level security;
create policy user_days_service on ext_operator.user_days for select to sb_service using (true);
grant select on ext_operator.user_days to sb_service;
