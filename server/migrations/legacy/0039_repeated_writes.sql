-- After a lost connection a node does not know whether its last write was committed. It sends the same steps again with is_repeated.

-- Deltas may already be stored: their first write may have been committed without an answer.
create or replace function private.store_run_events(run public.runs, events jsonb) returns void language plpgsql volatile
as $$
begin
  insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data)
  select run.id, e.seq, run.swarm_id, e.agent_id, e.restricted, e.type,
    jsonb_build_object('run_id', run.id, 'swarm_id', run.swarm_id) || e.data
  from jsonb_to_recordset(events) as e (seq integer, type text, agent_id uuid, restricted boolean, data jsonb)
  on conflict on constraint run_events_pkey do nothing;
end
$$;

create function private.take_step(run public.runs, step jsonb) returns jsonb language plpgsql volatile
as $$
begin
  case step ->> 'op'
    -- What was shown before it is stored comes from the caller.
    when 'events' then return jsonb_build_object('events', step -> 'events');
    when 'start_turn' then return private.start_turn(run, step);
    when 'turn_status' then return private.change_turn_status(run, step);
    when 'finish_turn' then return private.finish_turn(run, step);
    when 'start_tool' then return private.start_tool(run, step);
    when 'finish_tool' then return private.finish_tool(run, step);
    when 'resume_turn' then return private.resume_turn(run, step);
    when 'add_usage' then return private.add_usage(run, step);
    when 'pause' then return private.pause_run(run, step);
  end case;
end
$$;

-- Returns the results of steps that were committed before, or null when they were not. Steps are committed together, so one stored
-- event of a step proves that all were. Steps that produce no event are idempotent. `seqs` is the number of seqs reserved for a step.
create function private.recall_steps(run public.runs, steps jsonb) returns jsonb[] language plpgsql stable
as $$
declare
  step jsonb;
  result jsonb;
  results jsonb[] := '{}';
  is_stored boolean := false;
begin
  for step in select value from jsonb_array_elements(steps) loop
    result := jsonb_build_object('events', coalesce((
      select jsonb_agg(jsonb_build_object('seq', e.seq, 'type', e.type, 'agent_id', e.agent_id, 'restricted', e.restricted,
        'data', e.data) order by e.seq)
      from public.run_events e
      where e.run_id = run.id and e.seq >= (step ->> 'seq')::integer
        and e.seq < (step ->> 'seq')::integer + (step ->> 'seqs')::integer), '[]'));
    is_stored := is_stored or result -> 'events' <> '[]';
    if step ->> 'op' in ('start_turn', 'resume_turn') then
      -- Without its row the turn did not start. `busy` makes the caller send start_turn again.
      result := case when exists (select 1 from public.run_turns t where t.id = (step ->> 'turn_id')::uuid)
        then private.resume_turn(run, step) else '{"outcome": "busy"}' end || result;
    end if;
    results := results || result;
  end loop;
  return case when is_stored then results end;
end
$$;

drop function private.advance_run(uuid, uuid, bigint, jsonb);
create function private.advance_run(run_id uuid, swarm_id uuid, fence bigint, steps jsonb, is_repeated boolean default false)
returns json language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  run public.runs;
  lease private.run_leases;
  step jsonb;
  result jsonb;
  results jsonb[] := '{}';
  recalled jsonb[];
  events jsonb := '[]';
  op text;
  last_event jsonb;
  body json;
  is_durable boolean := false;
  read_after bigint;
  read_limit integer;
begin
  perform 1 from public.swarms s where s.id = advance_run.swarm_id for key share;
  select * into run from public.runs r where r.id = advance_run.run_id for no key update;
  select * into lease from private.run_leases l where l.run_id = advance_run.run_id;
  if run.id is null or lease.fence is distinct from advance_run.fence or run.status <> 'running' then
    return json_build_object('is_lost', true, 'cancel_reason', null, 'results', '[]'::json);
  end if;
  if advance_run.is_repeated then
    recalled := private.recall_steps(run, steps);
  end if;
  -- In one order, because another run may be about to lock the same agents.
  if recalled is null then
    perform 1 from public.agents a
    where a.id in (select (s.value ->> 'agent_id')::uuid from jsonb_array_elements(steps) as s)
    order by a.id for no key update;
  end if;
  for step in select value from jsonb_array_elements(steps) loop
    op := step ->> 'op';
    if recalled is not null then
      result := recalled[cardinality(results) + 1];
    elsif op = 'finish_run' then
      select f.event, f.body into last_event, body from private.finish_run(run, step) as f;
      events := events || last_event;
      result := jsonb_build_object('events', jsonb_build_array(last_event - 'data'));
    else
      result := private.take_step(run, step);
      events := events || (result -> 'events');
      if op = 'events' then
        result := '{"events": []}';
      end if;
    end if;
    if op = 'start_turn' then
      read_after := (step ->> 'after_seq')::bigint;
      read_limit := (step ->> 'history_limit')::integer;
    end if;
    results := results || result;
    is_durable := is_durable or op not in ('events', 'start_turn', 'turn_status', 'resume_turn');
  end loop;
  if events <> '[]' then
    perform private.store_run_events(run, events);
  end if;
  -- What has to survive is written by a later step; one that follows a crash finds its turn missing and gives the run up.
  if not is_durable then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  return json_build_object('is_lost', false,
    'cancel_reason', case when lease.cancel_requested_at is not null then coalesce(lease.cancel_reason, 'cancelled') end,
    'results', to_json(results), 'body', body,
    'messages', case when read_limit > 0 then private.read_transcript(run.swarm_id, read_after, read_limit) end);
end
$$;
grant execute on function private.advance_run(uuid, uuid, bigint, jsonb, boolean) to sb_service;

-- The sender makes the id, so a repeated step inserts no second record.
create or replace function private.add_usage(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
declare
  usage jsonb := step -> 'usage';
begin
  insert into public.usage_records (id, payer_id, user_id, swarm_id, run_id, agent_id, framework, model, input_tokens,
    cached_input_tokens, output_tokens, reasoning_tokens, cost_usd, estimated)
  select (step ->> 'id')::uuid, u.id, run.user_id, run.swarm_id, run.id, (step ->> 'agent_id')::uuid, step ->> 'framework', step ->> 'model',
    (usage ->> 'input_tokens')::bigint, (usage ->> 'cached_input_tokens')::bigint, (usage ->> 'output_tokens')::bigint,
    (usage ->> 'reasoning_tokens')::bigint, (usage ->> 'cost_usd')::numeric, (usage ->> 'estimated')::boolean
  from auth.users u where u.id = (step ->> 'payer_id')::uuid
  on conflict (id) do nothing;
  return jsonb_build_object('events', '[]'::jsonb);
end
$$;
