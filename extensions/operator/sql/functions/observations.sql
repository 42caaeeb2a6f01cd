-- The ring of log lines and metrics.

create or replace function ext_operator.store_log_lines(of_node text, lines jsonb) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into ext_operator.log_lines (created_at, node, level, event, message, request_id, user_id, fields)
  select l.created_at, of_node, l.level, l.event, l.message, l.request_id, l.user_id, l.fields
  from jsonb_to_recordset(lines) as l (
    created_at timestamptz, level text, event text, message text, request_id text, user_id text, fields jsonb)
$$;

create or replace function ext_operator.store_sample(of_node text, with_measured jsonb, with_process jsonb) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into ext_operator.metric_samples (node, measured, process) values (of_node, with_measured, with_process)
$$;

-- Puts samples that are older than six hours, and charts of which need fewer points, together by node and by twelve
-- minutes: of the metrics in "added" the sum stays, of those in "highest" the highest value, of those in "by_request"
-- the mean of all requests, and of the others the mean of the samples.
create or replace function ext_operator.merge_samples(added text[], highest text[], by_request text[]) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  with old as (
    delete from ext_operator.metric_samples s
    where not s.is_merged and s.created_at < date_bin('12 minutes', now() - interval '6 hours', 'epoch')
    returning date_bin('12 minutes', s.created_at, 'epoch') as at, s.node, s.measured
  ), merged as (
    select o.at, o.node, m.key,
      case when m.key = any (added) then sum(m.value::float8)
        when m.key = any (highest) then max(m.value::float8)
        when m.key = any (by_request) then
          coalesce(sum(m.value::float8 * (o.measured ->> 'requests')::float8)
            / nullif(sum((o.measured ->> 'requests')::float8), 0), 0)
        else avg(m.value::float8) end as value
    from old o cross join lateral jsonb_each_text(o.measured) m
    group by o.at, o.node, m.key
  )
  insert into ext_operator.metric_samples (created_at, node, measured, is_merged)
  select m.at, m.node, jsonb_object_agg(m.key, m.value), true from merged m group by m.at, m.node
$$;

create or replace function ext_operator.trim_observations(max_age interval, max_lines bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from ext_operator.metric_samples s where s.created_at < now() - interval '7 days';
  delete from ext_operator.log_lines l where l.created_at < now() - max_age;
  delete from ext_operator.log_lines l
  where l.id <= (select max(n.id) from ext_operator.log_lines n) - max_lines
$$;

revoke all on function ext_operator.store_log_lines(text, jsonb), ext_operator.store_sample(text, jsonb, jsonb),
  ext_operator.merge_samples(text[], text[], text[]),
  ext_operator.trim_observations(interval, bigint) from public;
grant execute on function ext_operator.store_log_lines(text, jsonb), ext_operator.store_sample(text, jsonb, jsonb),
  ext_operator.merge_samples(text[], text[], text[]),
  ext_operator.trim_observations(interval, bigint) to sb_service;
