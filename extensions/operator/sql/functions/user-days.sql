-- What each user has used by day.

-- Adds the requests of a process by user, in the order of their ids, so that two processes cannot wait for each other.
create or replace function ext_operator.add_requests(by_user jsonb) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into ext_operator.user_days as d (day, user_id, requests)
  select (now() at time zone 'UTC')::date, c.key::uuid, c.value::bigint
  from jsonb_each_text(by_user) c order by c.key::uuid
  on conflict (day, user_id) do update set requests = d.requests + excluded.requests
$$;

-- Sums the usage of the days of this month that can have grown since the last call: today, the day of the last sums, and
-- yesterday shortly after midnight, when calls of models that began before it are recorded. One transaction at a time does.
create or replace function ext_operator.sum_usage() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  month date := date_trunc('month', now() at time zone 'UTC');
  since date;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('ext_operator.sum_usage', 0)) then
    return;
  end if;
  select max(d.day) into since from ext_operator.user_days d where d.tokens > 0;
  since := greatest(month, least(coalesce(since, month), ((now() - interval '10 minutes') at time zone 'UTC')::date));
  insert into ext_operator.user_days as d (day, user_id, runs, tokens, cost_usd)
  select (u.created_at at time zone 'UTC')::date, u.payer_id, count(distinct u.run_id),
    sum(u.input_tokens + u.output_tokens), coalesce(sum(u.cost_usd), 0)
  from public.usage_records u
  where u.created_at >= since::timestamp at time zone 'UTC'
  group by 1, 2 order by 1, 2
  on conflict (day, user_id) do update
    set runs = excluded.runs, tokens = excluded.tokens, cost_usd = excluded.cost_usd
    where (d.runs, d.tokens, d.cost_usd) is distinct from (excluded.runs, excluded.tokens, excluded.cost_usd);
end
$$;

-- Lists show this month.
create or replace function ext_operator.trim_user_days() returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from ext_operator.user_days d where d.day < date_trunc('month', now() at time zone 'UTC')::date
$$;

revoke all on function ext_operator.add_requests(jsonb), ext_operator.sum_usage(), ext_operator.trim_user_days() from public;
grant execute on function ext_operator.add_requests(jsonb), ext_operator.sum_usage(), ext_operator.trim_user_days()
  to sb_service;
