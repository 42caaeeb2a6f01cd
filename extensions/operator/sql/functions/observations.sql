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

create or replace function ext_operator.trim_observations(max_age interval, max_lines bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from ext_operator.metric_samples s where s.created_at < now() - max_age;
  delete from ext_operator.log_lines l where l.created_at < now() - max_age;
  delete from ext_operator.log_lines l
  where l.id <= (select max(n.id) from ext_operator.log_lines n) - max_lines
$$;

revoke all on function ext_operator.store_log_lines(text, jsonb), ext_operator.store_sample(text, jsonb, jsonb),
  ext_operator.trim_observations(interval, bigint) from public;
grant execute on function ext_operator.store_log_lines(text, jsonb), ext_operator.store_sample(text, jsonb, jsonb),
  ext_operator.trim_observations(interval, bigint) to sb_service;
