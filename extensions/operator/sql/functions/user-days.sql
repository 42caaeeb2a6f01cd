-- What each user has used by day.

-- Adds the requests of a process by user, in the order of their ids, so that two processes cannot wait for each other.
create or replace function ext_operator.add_requests(by_user jsonb) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into ext_operator.user_days as d (day, user_id, requests)
  select (now() at time zone 'UTC')::date, c.key::uuid, c.value::bigint
  from jsonb_each_text(by_user) c order by c.key::uuid
  on conflict (day, user_id) do update set requests = d.requests + excluded.requests
$$;

-- Sums the usage of one day of this month, and returns the day to continue with; null after today. The first, without a
-- day, is the day of the last sums, which has grown since, or yesterday shortly after midnight, when calls of models
-- that began before it are recorded. Each day has its own transaction, so that a month of which nobody has seen a list
-- is summed at all. One transaction at a time sums.
create or replace function ext_operator.sum_usage(of_day date) returns date
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  today date := now() at time zone 'UTC';
  month date := date_trunc('month', now() at time zone 'UTC');
begin
  if not pg_try_advisory_xact_lock(hashtextextended('ext_operator.sum_usage', 0)) then
    return null;
  end if;
  if of_day is null then
    select max(d.day) into of_day from ext_operator.user_days d where d.tokens > 0;
    of_day := least(coalesce(of_day, month), ((now() - interval '10 minutes') at time zone 'UTC')::date);
  end if;
  of_day := greatest(of_day, month);
  insert into ext_operator.user_days as d (day, user_id, runs, tokens, cost_usd)
  select of_day, u.payer_id, count(distinct u.run_id),
    sum(u.input_tokens + u.output_tokens), coalesce(sum(u.cost_usd), 0)
  from public.usage_records u
  where u.created_at >= of_day::timestamp at time zone 'UTC'
    and u.created_at < (of_day + 1)::timestamp at time zone 'UTC'
  group by u.payer_id order by u.payer_id
  on conflict (day, user_id) do update
    set runs = excluded.runs, tokens = excluded.tokens, cost_usd = excluded.cost_usd
    where (d.runs, d.tokens, d.cost_usd) is distinct from (excluded.runs, excluded.tokens, excluded.cost_usd);
  return case when of_day < today then of_day + 1 end;
end
$$;

-- Lists show this month.
create or replace function ext_operator.trim_user_days() returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from ext_operator.user_days d where d.day < date_trunc('month', now() at time zone 'UTC')::date
$$;

revoke all on function ext_operator.add_requests(jsonb), ext_operator.sum_usage(date), ext_operator.trim_user_days()
  from public;
grant execute on function ext_operator.add_requests(jsonb), ext_operator.sum_usage(date), ext_operator.trim_user_days()
  to sb_service;
