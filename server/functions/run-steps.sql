-- What a run does, step by step: its turns and the tools that they use.

-- The status of an agent is what its live turns say; when none is left, how the last one ended. Answers with the
-- change, or null. The row is locked first: two turns that end together must not each see the other alive.
create or replace function private.project_agent_status(run public.runs, agent_id uuid, reason text) returns jsonb
language plpgsql volatile
as $$
declare
  before text;
  after text;
begin
  select a.status into before from public.agents a where a.id = project_agent_status.agent_id for no key update;
  if not found then
    return null;
  end if;
  select case when bool_or(t.status = 'responding') then 'responding'
              when bool_or(t.status = 'thinking') then 'thinking'
              when project_agent_status.reason in ('run_failed', 'worker_lost') then 'error'
              else 'idle' end
  into after
  from public.run_turns t
  where t.agent_id = project_agent_status.agent_id and t.status in ('queued', 'thinking', 'responding');
  if after = before then
    return null;
  end if;
  perform set_config('swarmbase.context', json_build_object('reason', project_agent_status.reason, 'run_id', run.id,
    'swarm_id', run.swarm_id, 'actor', json_build_object('type', 'agent', 'id', project_agent_status.agent_id))::text,
      true);
  update public.agents a set status = after where a.id = project_agent_status.agent_id;
  return jsonb_build_object('agent_id', project_agent_status.agent_id, 'status', after, 'previous_status', before,
    'reason', project_agent_status.reason, 'changed_at', now());
end
$$;

create or replace function private.project_turn_status(run public.runs, seq integer, agent_id uuid, reason text)
returns jsonb language plpgsql volatile
as $$
declare
  change jsonb := private.project_agent_status(run, agent_id, reason);
begin
  if change is null then
    return '[]';
  end if;
  return jsonb_build_array(private.build_run_event(run, seq, 'agent.status_changed', change, agent_id));
end
$$;

create or replace function private.change_turn_status(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
begin
  update public.run_turns t
  set status = step ->> 'status', first_token_ms = coalesce(t.first_token_ms, (step ->> 'first_token_ms')::integer)
  where t.id = (step ->> 'turn_id')::uuid and t.status in ('thinking', 'responding');
  return jsonb_build_object('events',
    private.project_turn_status(run, (step ->> 'seq')::integer, (step ->> 'agent_id')::uuid, step ->> 'reason'));
end
$$;

-- Seqs: step.seq is the first of two.
create or replace function private.start_turn(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
declare
  speaker record;
  toolbox jsonb;
  events jsonb;
begin
  select a.id, a.name, a.user_id, coalesce(sa.role_override, a.role) as role, a.framework,
    coalesce(a.model, step -> 'default_models' ->> a.framework, 'default') as model, a.model as chosen_model,
    a.system_prompt, a.settings
  into speaker
  from public.swarm_agents sa
  join public.agents a on a.id = sa.agent_id
  where sa.swarm_id = run.swarm_id and sa.agent_id = (step ->> 'agent_id')::uuid and sa.enabled
    and private.may_agent_speak(run.swarm_id, sa.user_id);
  if not found then
    return jsonb_build_object('outcome', 'gone', 'events', '[]'::jsonb);
  end if;
  if (select count(*) from public.run_turns t
      join public.runs r on r.id = t.run_id and r.status = 'running'
      where t.agent_id = speaker.id and t.status in ('thinking', 'responding'))
        >= (step ->> 'max_concurrent')::integer then
    return jsonb_build_object('outcome', 'busy', 'events', '[]'::jsonb);
  end if;
  toolbox := private.agent_toolbox(speaker.id, speaker.user_id);
  insert into public.run_turns (id, run_id, swarm_id, agent_id, agent_name, position, status, framework, model,
    message_id, started_at)
  values ((step ->> 'turn_id')::uuid, run.id, run.swarm_id, speaker.id, speaker.name, (step ->> 'position')::integer,
    'thinking', speaker.framework, speaker.model, (step ->> 'message_id')::uuid, now());
  insert into private.turn_snapshots (turn_id, config)
  values ((step ->> 'turn_id')::uuid, jsonb_build_object('name', speaker.name, 'role', speaker.role,
    'framework', speaker.framework,
    'model', speaker.chosen_model, 'system_prompt', speaker.system_prompt, 'settings', speaker.settings,
    'tools', (select coalesce(jsonb_agg(t.value - 'secrets_wrapped'), '[]') from jsonb_array_elements(toolbox) as t)));
  events := jsonb_build_array(private.build_run_event(run, (step ->> 'seq')::integer, 'turn.started',
    jsonb_build_object(
      'turn_id', step -> 'turn_id', 'message_id', step -> 'message_id', 'agent_id', speaker.id,
      'agent_name', speaker.name, 'model', speaker.model), speaker.id))
    || private.project_turn_status(run, (step ->> 'seq')::integer + 1, speaker.id, 'run_started');
  return jsonb_build_object('outcome', 'started', 'events', events,
    'agent', jsonb_build_object('id', speaker.id, 'name', speaker.name, 'user_id', speaker.user_id,
      'role', speaker.role,
      'framework', speaker.framework, 'model', speaker.chosen_model, 'system_prompt', speaker.system_prompt,
      'settings', speaker.settings, 'tools', toolbox));
end
$$;

-- A turn that waited for a human: its words are kept, its tools are those of now.
create or replace function private.resume_turn(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
declare
  speaker record;
begin
  select a.id, a.name, a.user_id, coalesce(sa.role_override, a.role) as role, s.config into speaker
  from public.swarm_agents sa
  join public.agents a on a.id = sa.agent_id
  join public.run_turns t on t.id = (step ->> 'turn_id')::uuid and t.agent_id = a.id
    and t.status in ('thinking', 'responding')
  join private.turn_snapshots s on s.turn_id = t.id
  where sa.swarm_id = run.swarm_id and sa.agent_id = (step ->> 'agent_id')::uuid and sa.enabled
    and private.may_agent_speak(run.swarm_id, sa.user_id);
  if not found then
    return jsonb_build_object('outcome', 'gone', 'events', '[]'::jsonb);
  end if;
  return jsonb_build_object('outcome', 'started', 'events', '[]'::jsonb,
    'agent', speaker.config || jsonb_build_object('id', speaker.id, 'user_id', speaker.user_id,
      'tools', private.agent_toolbox(speaker.id, speaker.user_id)));
end
$$;

-- Ends a turn: what was said becomes a message under the id that the stream has used for it. Seqs: step.seq is the
-- first of five.
create or replace function private.finish_turn(run public.runs, step jsonb)
returns jsonb language plpgsql
as $$
declare
  turn public.run_turns;
  said text := left(step ->> 'content', 100000);
  outcome text := step ->> 'status';
  first_seq integer := (step ->> 'seq')::integer;
  usage jsonb := nullif(step -> 'usage', 'null');
  reason text := coalesce(step ->> 'reason',
    case outcome when 'completed' then 'run_completed' when 'cancelled' then 'cancelled' else 'run_failed' end);
  events jsonb := '[]';
  message public.messages;
  speaker_id uuid;
begin
  select * into turn from public.run_turns t where t.id = (step ->> 'turn_id')::uuid for no key update;
  if not found then
    raise exception 'turn % is not there', step ->> 'turn_id' using errcode = 'no_data_found';
  elsif turn.status not in ('queued', 'thinking', 'responding') then
    return jsonb_build_object('events', '[]'::jsonb);
  end if;
  if nullif(said, '') is not null then
    -- One who was deleted while speaking has spoken all the same.
    speaker_id := coalesce(turn.agent_id, (step ->> 'agent_id')::uuid, (
      select (e.data ->> 'agent_id')::uuid from public.run_events e
      where e.run_id = run.id and e.type = 'turn.started' and e.data ->> 'turn_id' = turn.id::text limit 1));
  end if;
  if speaker_id is not null then
    if turn.agent_id is not null and turn.status <> 'responding' and outcome = 'completed' then
      -- Short as it was, everybody who watches the agent is to see it.
      update public.run_turns t set status = 'responding' where t.id = turn.id;
      events := private.project_turn_status(run, first_seq, turn.agent_id, 'first_token');
    end if;
    perform set_config('swarmbase.context', json_build_object('run_id', run.id, 'swarm_id', run.swarm_id,
      'actor', json_build_object('type', 'agent', 'id', speaker_id))::text, true);
    insert into public.messages (id, swarm_id, sender_type, sender_id, sender_agent_id, sender_name, sender_deleted,
      content, run_id, turn_id, finish_reason, metadata)
    values (turn.message_id, run.swarm_id, 'agent', speaker_id, turn.agent_id, turn.agent_name, turn.agent_id is null,
      said, run.id, turn.id, step ->> 'finish_reason', coalesce(nullif(step -> 'metadata', 'null'), '{}'))
    returning * into message;
    events := events || private.build_run_event(run, first_seq + 1, 'message.created',
      jsonb_build_object('message_id', message.id, 'turn_id', turn.id, 'message', to_jsonb(message)), turn.agent_id);
  end if;
  update public.run_turns t
  set status = outcome, finish_reason = step ->> 'finish_reason', error = nullif(step -> 'error', 'null'),
    warnings = coalesce(step -> 'warnings', t.warnings),
      attempts = coalesce((step ->> 'attempts')::integer, t.attempts),
    framework = coalesce(step ->> 'framework', t.framework), model = coalesce(step ->> 'model', t.model),
    first_token_ms = coalesce(t.first_token_ms, (step ->> 'first_token_ms')::integer),
    -- A machine may have been off for a month, or a backup be as old.
    duration_ms = coalesce((step ->> 'duration_ms')::integer,
      least(extract(epoch from clock_timestamp() - t.started_at) * 1000, 2147483647)::integer),
    input_tokens = (usage ->> 'input_tokens')::bigint, cached_input_tokens = (usage ->> 'cached_input_tokens')::bigint,
    output_tokens = (usage ->> 'output_tokens')::bigint, reasoning_tokens = (usage ->> 'reasoning_tokens')::bigint,
    estimated = coalesce((usage ->> 'estimated')::boolean, false), cost_usd = (usage ->> 'cost_usd')::numeric,
      finished_at = now()
  where t.id = turn.id
  returning * into turn;
  if usage is not null then
    insert into public.usage_records (payer_id, user_id, swarm_id, run_id, turn_id, agent_id, framework, model,
      input_tokens, cached_input_tokens, output_tokens, reasoning_tokens, cost_usd, estimated)
    select u.id, run.user_id, run.swarm_id, run.id, turn.id, turn.agent_id, turn.framework, turn.model,
      turn.input_tokens,
      turn.cached_input_tokens, turn.output_tokens, turn.reasoning_tokens, turn.cost_usd, turn.estimated
    from auth.users u where u.id = (step ->> 'payer_id')::uuid;
  end if;
  events := events || private.build_run_event(run, first_seq + 2, 'turn.completed',
    jsonb_build_object('turn_id', turn.id,
    'agent_id', turn.agent_id, 'agent_name', turn.agent_name, 'status', turn.status,
      'finish_reason', turn.finish_reason,
    'usage', private.usage_body(turn.input_tokens, turn.cached_input_tokens, turn.output_tokens, turn.cost_usd,
      turn.estimated),
    'warnings', turn.warnings), turn.agent_id);
  if outcome = 'failed' then
    events := events || private.build_run_event(run, first_seq + 3, 'agent.error', private.tell_of_failure(run, turn),
      turn.agent_id);
  end if;
  events := events || private.project_turn_status(run, first_seq + 4, turn.agent_id, reason);
  return jsonb_build_object('events', events);
end
$$;

create or replace function private.tell_of_failure(run public.runs, turn public.run_turns) returns jsonb
language plpgsql volatile
as $$
declare
  told json := json_build_object('agent_id', turn.agent_id, 'swarm_id', run.swarm_id, 'run_id', run.id,
    'turn_id', turn.id,
    'error', turn.error, 'attempts', turn.attempts, 'framework', turn.framework, 'model', turn.model);
begin
  perform private.emit_event('agent.error', told,
    array(select a.user_id from public.agents a where a.id = turn.agent_id));
  return told::jsonb;
end
$$;

create or replace function private.start_tool(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
declare
  speaker_id uuid := (select a.id from public.agents a where a.id = (step ->> 'agent_id')::uuid);
begin
  insert into public.tool_executions as x (id, run_id, turn_id, swarm_id, agent_id, tool_id, tool_name, tool_call_id,
    status, started_at)
  values ((step ->> 'id')::uuid, run.id, (step ->> 'turn_id')::uuid, run.swarm_id, speaker_id,
    (select t.id from public.tools t where t.id = (step ->> 'tool_id')::uuid),
    step ->> 'tool_name', step ->> 'tool_call_id', 'running', now())
  on conflict (id) do update set status = 'running', started_at = now();
  insert into public.tool_execution_payloads (tool_execution_id, swarm_id, agent_id, input)
  values ((step ->> 'id')::uuid, run.swarm_id, speaker_id, step -> 'input')
  on conflict (tool_execution_id) do nothing;
  return jsonb_build_object('events', jsonb_build_array(
    private.build_run_event(run, (step ->> 'seq')::integer, 'tool.started',
    jsonb_build_object('tool_execution_id', step -> 'id', 'turn_id', step -> 'turn_id', 'agent_id', step -> 'agent_id',
      'tool_name', step -> 'tool_name', 'input', step -> 'input'), speaker_id, true)));
end
$$;

create or replace function private.finish_tool(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
declare
  told jsonb;
begin
  update public.tool_executions x
  set status = step ->> 'status', error = nullif(step -> 'error', 'null'),
    attempts = coalesce((step ->> 'attempts')::integer, 0),
    duration_ms = (step ->> 'duration_ms')::integer, output_chars = (step ->> 'output_chars')::integer,
    truncated = coalesce((step ->> 'truncated')::boolean, false), finished_at = now()
  where x.id = (step ->> 'id')::uuid and x.status = 'running';
  if not found then
    return jsonb_build_object('events', '[]'::jsonb);
  end if;
  update public.tool_execution_payloads p set output = nullif(step -> 'output', 'null')
  where p.tool_execution_id = (step ->> 'id')::uuid;
  told := private.tell_of_tool(run, (step ->> 'id')::uuid);
  return jsonb_build_object('events', jsonb_build_array(private.build_run_event(run, (step ->> 'seq')::integer,
    case when step ->> 'status' = 'succeeded' then 'tool.executed' else 'tool.error' end, told,
      (step ->> 'agent_id')::uuid, true)));
end
$$;

-- What a tool did is told to the agent's owner and to those who run the swarm. Answers with what the event says.
create or replace function private.tell_of_tool(run public.runs, execution_id uuid) returns jsonb
language plpgsql volatile
as $$
declare
  told json;
  done record;
begin
  select x.*, p.input, p.output into done
  from public.tool_executions x left join public.tool_execution_payloads p on p.tool_execution_id = x.id
  where x.id = execution_id;
  done.output := to_jsonb(left(case jsonb_typeof(done.output) when 'string' then done.output #>> '{}'
    else done.output::text end, 2000));
  told := case when done.error is null
    then json_build_object('tool_execution_id', done.id, 'tool_id', done.tool_id, 'tool_name', done.tool_name,
      'agent_id', done.agent_id, 'swarm_id', done.swarm_id, 'run_id', done.run_id, 'duration_ms', done.duration_ms,
      'input', done.input, 'output_preview', done.output, 'truncated', done.truncated)
    else json_build_object('tool_execution_id', done.id, 'tool_id', done.tool_id, 'tool_name', done.tool_name,
      'agent_id', done.agent_id, 'swarm_id', done.swarm_id, 'run_id', done.run_id, 'duration_ms', done.duration_ms,
      'input', done.input, 'output_preview', done.output, 'truncated', done.truncated, 'error', done.error) end;
  if done.status <> 'cancelled' then
    perform private.emit_event(case when done.status = 'succeeded' then 'tool.executed' else 'tool.error' end, told,
      array(select m.user_id from public.swarm_members m
            where m.swarm_id = run.swarm_id and m.status = 'active' and m.role in ('owner', 'admin')
            union
            select a.user_id from public.agents a where a.id = done.agent_id));
  end if;
  return told::jsonb || jsonb_build_object('turn_id', done.turn_id, 'status', done.status);
end
$$;

-- The caller holds the run's row. False: it is no longer waiting for a decision.
create or replace function private.deny_tool(
  run public.runs, execution_id uuid, decided_by uuid, code text, message text
) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update public.tool_executions x
  set status = 'denied', decided_by = deny_tool.decided_by, finished_at = now(),
    error = jsonb_build_object('code', deny_tool.code, 'message', deny_tool.message, 'retryable', false)
  where x.id = deny_tool.execution_id and x.run_id = run.id and x.status = 'pending_approval';
  if not found then
    return false;
  end if;
  perform private.append_run_event(run.id, 'tool.error', private.tell_of_tool(run, execution_id),
    (select x.agent_id from public.tool_executions x where x.id = deny_tool.execution_id), true);
  return true;
end
$$;
grant execute on function private.deny_tool(public.runs, uuid, uuid, text, text) to sb_service;

-- The sender makes the id, so a repeated step inserts no second record.
create or replace function private.add_usage(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
declare
  usage jsonb := step -> 'usage';
begin
  insert into public.usage_records (id, payer_id, user_id, swarm_id, run_id, agent_id, framework, model, input_tokens,
    cached_input_tokens, output_tokens, reasoning_tokens, cost_usd, estimated)
  select (step ->> 'id')::uuid, u.id, run.user_id, run.swarm_id, run.id, (step ->> 'agent_id')::uuid,
    step ->> 'framework', step ->> 'model',
    (usage ->> 'input_tokens')::bigint, (usage ->> 'cached_input_tokens')::bigint, (usage ->> 'output_tokens')::bigint,
    (usage ->> 'reasoning_tokens')::bigint, (usage ->> 'cost_usd')::numeric, (usage ->> 'estimated')::boolean
  from auth.users u where u.id = (step ->> 'payer_id')::uuid
  on conflict (id) do nothing;
  return jsonb_build_object('events', '[]'::jsonb);
end
$$;
