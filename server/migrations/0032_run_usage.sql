-- What a run has used is what its turns have, and what the choice of its speakers has, which is nobody's turn. There is one live
-- run to a swarm, so what lies between its beginning and its end is little more than its own.
create function private.run_usage(run public.runs) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select private.usage_body(sum(u.input_tokens)::bigint, sum(u.cached_input_tokens)::bigint, sum(u.output_tokens)::bigint,
      case when bool_or(u.cost_usd is null and u.input_tokens is not null) then null else coalesce(sum(u.cost_usd), 0) end,
      bool_or(u.estimated))
    from (select t.input_tokens, t.cached_input_tokens, t.output_tokens, t.cost_usd, t.estimated
          from public.run_turns t where t.swarm_id = run.swarm_id and t.run_id = run.id
          union all
          select c.input_tokens, c.cached_input_tokens, c.output_tokens, c.cost_usd, c.estimated
          from public.usage_records c
          where run.strategy = 'selector' and c.swarm_id = run.swarm_id and c.run_id = run.id and c.turn_id is null
            and c.created_at >= run.created_at and c.created_at <= coalesce(run.finished_at, now())) as u);
end
$$;

create or replace function private.run_body(run_id uuid) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return (select json_build_object(
    'run_id', r.id, 'swarm_id', r.swarm_id, 'status', r.status, 'stop_reason', r.stop_reason,
    'message', (select row_to_json(m) from public.messages m where m.id = r.message_id),
    'responses', coalesce((
      select json_agg(json_build_object(
          'message', row_to_json(m), 'agent_id', m.sender_id, 'agent_name', t.agent_name, 'turn_id', t.id,
          'framework', t.framework, 'model', t.model, 'finish_reason', t.finish_reason,
          'usage', private.usage_body(t.input_tokens, t.cached_input_tokens, t.output_tokens, t.cost_usd, t.estimated),
          'first_token_ms', t.first_token_ms, 'duration_ms', t.duration_ms,
          'tool_executions', coalesce((
            select json_agg(json_build_object('id', x.id, 'tool_name', x.tool_name, 'status', x.status, 'duration_ms', x.duration_ms)
                            order by x.created_at, x.id)
            from public.tool_executions x where x.turn_id = t.id), '[]'),
          'warnings', t.warnings) order by m.seq)
      from public.run_turns t
      join public.messages m on m.id = t.message_id
      where t.swarm_id = r.swarm_id and t.run_id = r.id), '[]'),
    'errors', coalesce((
      select json_agg(json_build_object('agent_id', t.agent_id, 'turn_id', t.id, 'code', t.error ->> 'code',
          'message', t.error ->> 'message', 'retryable', coalesce((t.error ->> 'retryable')::boolean, false))
        order by t.position, t.id)
      from public.run_turns t
      where t.swarm_id = r.swarm_id and t.run_id = r.id and t.status = 'failed' and t.error is not null),
      case when r.error is null then '[]'::json
           else json_build_array(json_build_object('agent_id', null, 'turn_id', null, 'code', r.error ->> 'code',
             'message', r.error ->> 'message', 'retryable', coalesce((r.error ->> 'retryable')::boolean, false))) end),
    'usage', private.run_usage(r),
    'pending_approvals', case when r.status = 'requires_action' then coalesce((
      select json_agg(json_build_object('tool_execution_id', x.id, 'tool_name', x.tool_name, 'agent_id', x.agent_id,
          'expires_at', x.expires_at) order by x.created_at, x.id)
      from public.tool_executions x
      where x.swarm_id = r.swarm_id and x.run_id = r.id and x.status = 'pending_approval'), '[]') end,
    'created_at', r.created_at, 'completed_at', r.finished_at)
  from public.runs r where r.id = run_body.run_id);
end
$$;

create or replace function private.finish_run(run public.runs, step jsonb, out event jsonb, out body json)
language plpgsql volatile
as $$
declare
  ended public.runs;
  leftover record;
begin
  -- There should be none: an end is an end, whatever was forgotten on the way.
  for leftover in
    update public.run_turns t set status = 'cancelled', finish_reason = 'cancelled', finished_at = now()
    where t.swarm_id = run.swarm_id and t.run_id = run.id and t.status in ('queued', 'thinking', 'responding')
    returning t.agent_id
  loop
    perform private.project_agent_status(run, leftover.agent_id, 'cancelled');
  end loop;
  update public.tool_executions x set status = 'cancelled', finished_at = now()
  where x.swarm_id = run.swarm_id and x.run_id = run.id and x.status in ('pending_approval', 'running');
  update public.runs r
  set status = step ->> 'status', stop_reason = step ->> 'stop_reason', error = nullif(step -> 'error', 'null'), finished_at = now(),
    turn_count = (select count(*) from public.run_turns t where t.swarm_id = run.swarm_id and t.run_id = run.id),
    usage = private.run_usage(r)::jsonb
  where r.id = run.id
  returning * into ended;
  update private.run_leases l set owner = null, expires_at = null where l.run_id = run.id;
  delete from private.run_progress p where p.run_id = run.id;
  body := private.run_body(run.id);
  if ended.status in ('completed', 'partial') then
    perform private.emit_event('swarm.completed', json_build_object('swarm_id', run.swarm_id, 'run_id', run.id, 'status', ended.status,
        'stop_reason', ended.stop_reason, 'message_id', ended.message_id,
        'response_message_ids', jsonb_path_query_array(body::jsonb, '$.responses[*].message.id'),
        'usage', ended.usage, 'duration_ms', (extract(epoch from ended.finished_at - ended.created_at) * 1000)::bigint),
      private.swarm_audience(run.swarm_id));
  end if;
  event := private.build_run_event(run, (step ->> 'seq')::integer, 'run.' || ended.status, body::jsonb, null);
end
$$;
