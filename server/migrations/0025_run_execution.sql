-- Runs are carried out under leases. Whoever holds the lease writes through private.advance_run, which checks the fence first.
-- Locks are taken in one order: swarm, run, lease, agents, messages.

-- Waiting for a human frees the swarm: only a run that works keeps the others out.
drop index public.runs_one_live_per_swarm;
create unique index runs_one_live_per_swarm on public.runs (swarm_id) where status = 'running';
drop index public.runs_queued_idx;
create index runs_waiting_idx on public.runs (swarm_id, queued_at, id) where status in ('queued', 'requires_action');

-- Many rows for a short time: who spoke is told by the id alone, without a link that each row would have to be checked for.
alter table public.run_events drop constraint run_events_agent_id_fkey;
drop index public.run_events_agent_id_idx;
-- So an agent that takes over the id of a deleted one must not be taken for it.
drop policy run_events_select on public.run_events;
create policy run_events_select on public.run_events for select to authenticated
  using (swarm_id = any (array(select private.my_swarm_ids()))
         and (not restricted or swarm_id = any (array(select private.my_managed_swarm_ids()))
              or exists (select 1 from public.agents a
                         where a.id = run_events.agent_id and a.user_id = (select auth.uid())
                           and a.created_at <= run_events.created_at)));

alter table private.run_leases
  add column cancel_reason text constraint run_leases_cancel_reason_known
    check (cancel_reason in ('cancelled', 'interrupted', 'disconnected'));

-- What a paused run needs to go on, on whichever node. It holds prompts and tool outputs, so no member reads it.
create table private.run_progress (
  run_id uuid constraint run_progress_pkey primary key constraint run_progress_run_id_fkey references public.runs on delete cascade,
  progress jsonb not null
);
alter table private.run_progress enable row level security;
create policy run_progress_service on private.run_progress to sb_service using (true) with check (true);
grant select, insert, update, delete on private.run_progress to sb_service;

create function private.append_run_event(run_id uuid, type text, data jsonb, agent_id uuid, restricted boolean) returns integer
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
  insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data)
  select r.id, (select coalesce(max(e.seq), 0) + 1 from public.run_events e where e.run_id = r.id), r.swarm_id,
    append_run_event.agent_id, append_run_event.restricted, append_run_event.type,
    jsonb_build_object('run_id', r.id, 'swarm_id', r.swarm_id) || append_run_event.data
  from public.runs r where r.id = append_run_event.run_id
  returning seq
$$;

-- Approved means: the execution is `running` and has not started. A run whose every pending execution is decided may go on.
create function private.is_run_claimable(run public.runs) returns boolean language sql stable
as $$
  select run.status = 'queued'
    or (run.status = 'requires_action'
        and not exists (select 1 from public.tool_executions x
                        where x.swarm_id = run.swarm_id and x.run_id = run.id and x.status = 'pending_approval'))
$$;

-- Null: another run of the swarm works or is older, or somebody else is starting one right now; a later look will find it.
create function private.start_run(run_id uuid, owner text, lease_ms integer) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  waiting public.runs;
  new_fence bigint;
begin
  select * into waiting from public.runs r where r.id = start_run.run_id;
  if not found or waiting.status not in ('queued', 'requires_action') then
    return null;
  end if;
  -- Tried, never waited for: whoever holds it is about to answer the same question for the same swarm.
  if not pg_try_advisory_xact_lock(hashtextextended(waiting.swarm_id::text, 25)) then
    return null;
  end if;
  if exists (select 1 from public.runs r where r.swarm_id = waiting.swarm_id and r.status = 'running')
     or exists (select 1 from public.runs r
                where r.swarm_id = waiting.swarm_id and r.status in ('queued', 'requires_action')
                  and (r.queued_at, r.id) < (waiting.queued_at, waiting.id) and private.is_run_claimable(r)) then
    return null;
  end if;
  update public.runs r set status = 'running', started_at = coalesce(r.started_at, now())
  where r.id = waiting.id and r.status = waiting.status and private.is_run_claimable(r);
  if not found then
    return null;
  end if;
  insert into private.run_leases as lease (run_id, owner, fence, expires_at)
  values (waiting.id, start_run.owner, 1, now() + start_run.lease_ms * interval '1 millisecond')
  on conflict on constraint run_leases_pkey do update
  set owner = excluded.owner, fence = lease.fence + 1, expires_at = excluded.expires_at
  returning lease.fence into new_fence;
  perform private.append_run_event(waiting.id, 'run.started',
    jsonb_build_object('status', 'running', 'is_resumed', waiting.status = 'requires_action'), null, false);
  return new_fence;
end
$$;

create function private.usage_body(input_tokens bigint, cached_input_tokens bigint, output_tokens bigint, cost_usd numeric, estimated boolean)
returns json language sql immutable parallel safe
as $$
  select json_build_object('input_tokens', coalesce(input_tokens, 0), 'cached_input_tokens', coalesce(cached_input_tokens, 0),
    'output_tokens', coalesce(output_tokens, 0), 'total_tokens', coalesce(input_tokens, 0) + coalesce(output_tokens, 0),
    'cost_usd', cost_usd, 'estimated', coalesce(estimated, false))
$$;

-- What everybody is told of a run: the answer of the call, the last event of its stream, the body of a later question.
create function private.run_body(run_id uuid) returns json
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
    'usage', (
      select private.usage_body(sum(t.input_tokens)::bigint, sum(t.cached_input_tokens)::bigint, sum(t.output_tokens)::bigint,
        case when bool_or(t.cost_usd is null and t.input_tokens is not null) then null else coalesce(sum(t.cost_usd), 0) end,
        bool_or(t.estimated))
      from public.run_turns t where t.swarm_id = r.swarm_id and t.run_id = r.id),
    'pending_approvals', case when r.status = 'requires_action' then coalesce((
      select json_agg(json_build_object('tool_execution_id', x.id, 'tool_name', x.tool_name, 'agent_id', x.agent_id,
          'expires_at', x.expires_at) order by x.created_at, x.id)
      from public.tool_executions x
      where x.swarm_id = r.swarm_id and x.run_id = r.id and x.status = 'pending_approval'), '[]') end,
    'created_at', r.created_at, 'completed_at', r.finished_at)
  from public.runs r where r.id = run_body.run_id);
end
$$;

grant execute on function private.append_run_event(uuid, text, jsonb, uuid, boolean), private.start_run(uuid, text, integer),
  private.run_body(uuid), private.is_run_claimable(public.runs) to sb_service;

-- An agent speaks in a swarm while it is enabled there and its owner still belongs to it.
create function private.may_agent_speak(swarm_id uuid, agent_owner_id uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select 1 from public.swarm_members m
    join auth.users u on u.id = m.user_id
    where m.swarm_id = may_agent_speak.swarm_id and m.user_id = may_agent_speak.agent_owner_id and m.status = 'active'
      and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now()))
$$;

-- The tools of an agent that are switched on at both ends and that its owner may see.
create function private.agent_toolbox(agent_id uuid, agent_owner_id uuid) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'owner_id', t.owner_id, 'name', t.name, 'description', t.description,
      'kind', t.kind, 'input_schema', t.input_schema, 'config', t.config, 'configuration', x.configuration,
      'requires_approval', t.requires_approval, 'timeout_ms', t.timeout_ms, 'max_output_chars', t.max_output_chars,
      'secrets_wrapped', (select translate(encode(s.secrets_wrapped, 'base64'), E'\n', '') from private.tool_secrets s where s.tool_id = t.id))
    order by t.name, t.id), '[]')
  from public.agent_tools x
  join public.tools t on t.id = x.tool_id
  where x.agent_id = agent_toolbox.agent_id and x.enabled and t.enabled
    and (t.owner_id is null or t.visibility = 'public' or t.owner_id = agent_toolbox.agent_owner_id
         or (t.visibility = 'shared' and exists (
               select 1 from public.swarm_members mine
               join public.swarm_members other on other.swarm_id = mine.swarm_id and other.status = 'active'
               where mine.user_id = agent_toolbox.agent_owner_id and mine.status = 'active' and other.user_id = t.owner_id)))
$$;

-- The stage of a run: who is in the room, what was asked, what has been spent today. Null: the run is no longer the caller's.
create function private.load_run(run_id uuid, fence bigint) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return (select json_build_object(
    'run', json_build_object('id', r.id, 'swarm_id', r.swarm_id, 'user_id', r.user_id, 'message_id', r.message_id,
      'strategy', r.strategy, 'request', r.request),
    'last_seq', (select coalesce(max(e.seq), 0) from public.run_events e where e.run_id = r.id),
    'swarm', json_build_object('id', s.id, 'name', s.name, 'status', s.status, 'owner_id', s.owner_id,
      'coordinator_agent_id', s.coordinator_agent_id, 'settings', s.settings),
    'message', (select m.content from public.messages m where m.id = r.message_id),
    'agents', coalesce((
      select json_agg(json_build_object('id', a.id, 'name', a.name, 'role', coalesce(sa.role_override, a.role), 'position', sa.position,
                        'framework', a.framework, 'model', a.model, 'settings', a.settings)
                      order by sa.position, sa.created_at, a.id)
      from public.swarm_agents sa
      join public.agents a on a.id = sa.agent_id
      where sa.swarm_id = r.swarm_id and sa.enabled and private.may_agent_speak(r.swarm_id, sa.user_id)), '[]'),
    'people', coalesce((
      select json_agg(json_build_object('id', m.user_id,
          'name', coalesce(nullif(p.full_name, ''), 'User ' || left(m.user_id::text, 8))) order by m.joined_at, m.id)
      from (select * from public.swarm_members m where m.swarm_id = r.swarm_id and m.status = 'active'
            order by m.joined_at, m.id limit 50) as m
      left join public.profiles p on p.id = m.user_id), '[]'),
    'payer_id', payer.id,
    'payer_budget', (select json_build_object('max_tokens', u.daily_token_budget, 'max_cost_usd', u.daily_cost_budget_usd)
                     from public.user_settings u where u.user_id = payer.id
                       and (u.daily_token_budget is not null or u.daily_cost_budget_usd is not null)),
    'spent_by_payer', (select json_build_object('tokens', coalesce(sum(u.input_tokens + u.output_tokens), 0), 'cost_usd', coalesce(sum(u.cost_usd), 0))
                       from public.usage_records u
                       where u.payer_id = payer.id and u.created_at >= date_trunc('day', now(), 'UTC')
                         and exists (select 1 from public.user_settings b where b.user_id = payer.id
                                     and (b.daily_token_budget is not null or b.daily_cost_budget_usd is not null))),
    'spent_in_swarm', (select json_build_object('tokens', coalesce(sum(u.input_tokens + u.output_tokens), 0), 'cost_usd', coalesce(sum(u.cost_usd), 0))
                       from public.usage_records u
                       where u.swarm_id = s.id and s.settings ? 'budget' and u.created_at >= date_trunc('day', now(), 'UTC')),
    'progress', (select p.progress from private.run_progress p where p.run_id = r.id),
    'decisions', coalesce((
      select json_agg(json_build_object('id', x.id, 'status', x.status, 'error', x.error))
      from public.tool_executions x
      where x.swarm_id = r.swarm_id and x.run_id = r.id and x.expires_at is not null), '[]'))
  from public.runs r
  join private.run_leases l on l.run_id = r.id and l.fence = load_run.fence
  join public.swarms s on s.id = r.swarm_id
  cross join lateral (
    select coalesce((select u.id from auth.users u where u.id::text = r.request ->> 'payer_id'), s.owner_id)) as payer (id)
  where r.id = load_run.run_id and r.status = 'running');
end
$$;

-- As it is shown and stored; storing is one statement for all events of a transaction.
create function private.build_run_event(run public.runs, seq integer, type text, data jsonb, agent_id uuid, restricted boolean default false)
returns jsonb language sql immutable
as $$
  select jsonb_build_object('seq', seq, 'type', type, 'agent_id', agent_id, 'restricted', restricted,
    'data', jsonb_build_object('run_id', run.id, 'swarm_id', run.swarm_id) || data)
$$;

create function private.store_run_events(run public.runs, events jsonb) returns void language plpgsql volatile
as $$
begin
  insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data)
  select run.id, e.seq, run.swarm_id, e.agent_id, e.restricted, e.type,
    jsonb_build_object('run_id', run.id, 'swarm_id', run.swarm_id) || e.data
  from jsonb_to_recordset(events) as e (seq integer, type text, agent_id uuid, restricted boolean, data jsonb);
end
$$;

-- The status of an agent is what its live turns say; when none is left, how the last one ended. Answers with the change, or null.
-- The row is locked first: two turns that end together must not each see the other alive.
create function private.project_agent_status(run public.runs, agent_id uuid, reason text) returns jsonb
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
    'swarm_id', run.swarm_id, 'actor', json_build_object('type', 'agent', 'id', project_agent_status.agent_id))::text, true);
  update public.agents a set status = after where a.id = project_agent_status.agent_id;
  return jsonb_build_object('agent_id', project_agent_status.agent_id, 'status', after, 'previous_status', before,
    'reason', project_agent_status.reason, 'changed_at', now());
end
$$;

create function private.project_turn_status(run public.runs, seq integer, agent_id uuid, reason text)
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

-- Seqs: step.seq is the first of two.
create function private.start_turn(run public.runs, step jsonb) returns jsonb
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
      where t.agent_id = speaker.id and t.status in ('thinking', 'responding')) >= (step ->> 'max_concurrent')::integer then
    return jsonb_build_object('outcome', 'busy', 'events', '[]'::jsonb);
  end if;
  toolbox := private.agent_toolbox(speaker.id, speaker.user_id);
  insert into public.run_turns (id, run_id, swarm_id, agent_id, agent_name, position, status, framework, model, message_id, started_at)
  values ((step ->> 'turn_id')::uuid, run.id, run.swarm_id, speaker.id, speaker.name, (step ->> 'position')::integer, 'thinking',
    speaker.framework, speaker.model, (step ->> 'message_id')::uuid, now());
  insert into private.turn_snapshots (turn_id, config)
  values ((step ->> 'turn_id')::uuid, jsonb_build_object('name', speaker.name, 'role', speaker.role, 'framework', speaker.framework,
    'model', speaker.chosen_model, 'system_prompt', speaker.system_prompt, 'settings', speaker.settings,
    'tools', (select coalesce(jsonb_agg(t.value - 'secrets_wrapped'), '[]') from jsonb_array_elements(toolbox) as t)));
  events := jsonb_build_array(private.build_run_event(run, (step ->> 'seq')::integer, 'turn.started', jsonb_build_object(
      'turn_id', step -> 'turn_id', 'message_id', step -> 'message_id', 'agent_id', speaker.id, 'agent_name', speaker.name,
      'model', speaker.model), speaker.id))
    || private.project_turn_status(run, (step ->> 'seq')::integer + 1, speaker.id, 'run_started');
  return jsonb_build_object('outcome', 'started', 'events', events,
    'agent', jsonb_build_object('id', speaker.id, 'name', speaker.name, 'user_id', speaker.user_id, 'role', speaker.role,
      'framework', speaker.framework, 'model', speaker.chosen_model, 'system_prompt', speaker.system_prompt,
      'settings', speaker.settings, 'tools', toolbox));
end
$$;

-- A turn that waited for a human: its words are kept, its tools are those of now.
create function private.resume_turn(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
declare
  speaker record;
begin
  select a.id, a.name, a.user_id, coalesce(sa.role_override, a.role) as role, s.config into speaker
  from public.swarm_agents sa
  join public.agents a on a.id = sa.agent_id
  join public.run_turns t on t.id = (step ->> 'turn_id')::uuid and t.agent_id = a.id and t.status in ('thinking', 'responding')
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

create function private.change_turn_status(run public.runs, step jsonb) returns jsonb
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

create function private.start_tool(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
declare
  speaker_id uuid := (select a.id from public.agents a where a.id = (step ->> 'agent_id')::uuid);
begin
  insert into public.tool_executions as x (id, run_id, turn_id, swarm_id, agent_id, tool_id, tool_name, tool_call_id, status, started_at)
  values ((step ->> 'id')::uuid, run.id, (step ->> 'turn_id')::uuid, run.swarm_id, speaker_id,
    (select t.id from public.tools t where t.id = (step ->> 'tool_id')::uuid), step ->> 'tool_name', step ->> 'tool_call_id',
    'running', now())
  on conflict (id) do update set status = 'running', started_at = now();
  insert into public.tool_execution_payloads (tool_execution_id, swarm_id, agent_id, input)
  values ((step ->> 'id')::uuid, run.swarm_id, speaker_id, step -> 'input')
  on conflict (tool_execution_id) do nothing;
  return jsonb_build_object('events', jsonb_build_array(private.build_run_event(run, (step ->> 'seq')::integer, 'tool.started',
    jsonb_build_object('tool_execution_id', step -> 'id', 'turn_id', step -> 'turn_id', 'agent_id', step -> 'agent_id',
      'tool_name', step -> 'tool_name', 'input', step -> 'input'), speaker_id, true)));
end
$$;

-- What a tool did is told to the agent's owner and to those who run the swarm. Answers with what the event says.
create function private.tell_of_tool(run public.runs, execution_id uuid) returns jsonb
language plpgsql volatile
as $$
declare
  told json;
  done record;
begin
  select x.*, p.input, p.output into done
  from public.tool_executions x left join public.tool_execution_payloads p on p.tool_execution_id = x.id
  where x.id = execution_id;
  done.output := to_jsonb(left(case jsonb_typeof(done.output) when 'string' then done.output #>> '{}' else done.output::text end, 2000));
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

create function private.finish_tool(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
declare
  told jsonb;
begin
  update public.tool_executions x
  set status = step ->> 'status', error = nullif(step -> 'error', 'null'), attempts = coalesce((step ->> 'attempts')::integer, 0),
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
    case when step ->> 'status' = 'succeeded' then 'tool.executed' else 'tool.error' end, told, (step ->> 'agent_id')::uuid, true)));
end
$$;

-- What a model cost outside of anybody's turn.
create function private.add_usage(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
declare
  usage jsonb := step -> 'usage';
begin
  insert into public.usage_records (payer_id, user_id, swarm_id, run_id, agent_id, framework, model, input_tokens,
    cached_input_tokens, output_tokens, reasoning_tokens, cost_usd, estimated)
  select u.id, run.user_id, run.swarm_id, run.id, (step ->> 'agent_id')::uuid, step ->> 'framework', step ->> 'model',
    (usage ->> 'input_tokens')::bigint, (usage ->> 'cached_input_tokens')::bigint, (usage ->> 'output_tokens')::bigint,
    (usage ->> 'reasoning_tokens')::bigint, (usage ->> 'cost_usd')::numeric, (usage ->> 'estimated')::boolean
  from auth.users u where u.id = (step ->> 'payer_id')::uuid;
  return jsonb_build_object('events', '[]'::jsonb);
end
$$;

-- Ends a turn: what was said becomes a message under the id that the stream has used for it. Seqs: step.seq is the first of five.
create function private.finish_turn(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
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
begin
  select * into turn from public.run_turns t where t.id = (step ->> 'turn_id')::uuid for no key update;
  if not found then
    raise exception 'turn % is not there', step ->> 'turn_id' using errcode = 'no_data_found';
  elsif turn.status not in ('queued', 'thinking', 'responding') then
    return jsonb_build_object('events', '[]'::jsonb);
  end if;
  if nullif(said, '') is not null and turn.agent_id is not null then
    if turn.status <> 'responding' and outcome = 'completed' then
      -- Short as it was, everybody who watches the agent is to see it.
      update public.run_turns t set status = 'responding' where t.id = turn.id;
      events := private.project_turn_status(run, first_seq, turn.agent_id, 'first_token');
    end if;
    perform set_config('swarmbase.context', json_build_object('run_id', run.id, 'swarm_id', run.swarm_id,
      'actor', json_build_object('type', 'agent', 'id', turn.agent_id))::text, true);
    insert into public.messages (id, swarm_id, sender_type, sender_agent_id, sender_name, content, run_id, turn_id, finish_reason, metadata)
    values (turn.message_id, run.swarm_id, 'agent', turn.agent_id, turn.agent_name, said, run.id, turn.id, step ->> 'finish_reason',
      coalesce(nullif(step -> 'metadata', 'null'), '{}'))
    returning * into message;
    events := events || private.build_run_event(run, first_seq + 1, 'message.created',
      jsonb_build_object('message_id', message.id, 'turn_id', turn.id, 'message', to_jsonb(message)), turn.agent_id);
  end if;
  update public.run_turns t
  set status = outcome, finish_reason = step ->> 'finish_reason', error = nullif(step -> 'error', 'null'),
    warnings = coalesce(step -> 'warnings', t.warnings), attempts = coalesce((step ->> 'attempts')::integer, t.attempts),
    framework = coalesce(step ->> 'framework', t.framework), model = coalesce(step ->> 'model', t.model),
    first_token_ms = coalesce(t.first_token_ms, (step ->> 'first_token_ms')::integer),
    -- A machine may have been off for a month, or a backup be as old.
    duration_ms = coalesce((step ->> 'duration_ms')::integer,
      least(extract(epoch from clock_timestamp() - t.started_at) * 1000, 2147483647)::integer),
    input_tokens = (usage ->> 'input_tokens')::bigint, cached_input_tokens = (usage ->> 'cached_input_tokens')::bigint,
    output_tokens = (usage ->> 'output_tokens')::bigint, reasoning_tokens = (usage ->> 'reasoning_tokens')::bigint,
    estimated = coalesce((usage ->> 'estimated')::boolean, false), cost_usd = (usage ->> 'cost_usd')::numeric, finished_at = now()
  where t.id = turn.id
  returning * into turn;
  if usage is not null then
    insert into public.usage_records (payer_id, user_id, swarm_id, run_id, turn_id, agent_id, framework, model, input_tokens,
      cached_input_tokens, output_tokens, reasoning_tokens, cost_usd, estimated)
    select u.id, run.user_id, run.swarm_id, run.id, turn.id, turn.agent_id, turn.framework, turn.model, turn.input_tokens,
      turn.cached_input_tokens, turn.output_tokens, turn.reasoning_tokens, turn.cost_usd, turn.estimated
    from auth.users u where u.id = (step ->> 'payer_id')::uuid;
  end if;
  events := events || private.build_run_event(run, first_seq + 2, 'turn.completed', jsonb_build_object('turn_id', turn.id,
    'agent_id', turn.agent_id, 'agent_name', turn.agent_name, 'status', turn.status, 'finish_reason', turn.finish_reason,
    'usage', private.usage_body(turn.input_tokens, turn.cached_input_tokens, turn.output_tokens, turn.cost_usd, turn.estimated),
    'warnings', turn.warnings), turn.agent_id);
  if outcome = 'failed' then
    events := events || private.build_run_event(run, first_seq + 3, 'agent.error', private.tell_of_failure(run, turn), turn.agent_id);
  end if;
  events := events || private.project_turn_status(run, first_seq + 4, turn.agent_id, reason);
  return jsonb_build_object('events', events);
end
$$;

create function private.tell_of_failure(run public.runs, turn public.run_turns) returns jsonb
language plpgsql volatile
as $$
declare
  told json := json_build_object('agent_id', turn.agent_id, 'swarm_id', run.swarm_id, 'run_id', run.id, 'turn_id', turn.id,
    'error', turn.error, 'attempts', turn.attempts, 'framework', turn.framework, 'model', turn.model);
begin
  perform private.emit_event('agent.error', told, array(select a.user_id from public.agents a where a.id = turn.agent_id));
  return told::jsonb;
end
$$;

-- The run waits for a human: its swarm is free, its lease is given back, what it needs to go on is kept.
create function private.pause_run(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
declare
  execution jsonb;
  events jsonb := '[]';
  next_seq integer := (step ->> 'seq')::integer;
  speaker_id uuid;
  until timestamptz := now() + (step ->> 'ttl_ms')::bigint * interval '1 millisecond';
begin
  -- Whoever cancels a run that works leaves it to the worker: one that then waited would wait for nothing.
  if exists (select 1 from private.run_leases l where l.run_id = run.id and l.cancel_requested_at is not null) then
    return jsonb_build_object('outcome', 'cancelled', 'events', '[]'::jsonb);
  end if;
  for execution in select value from jsonb_array_elements(step -> 'executions') loop
    speaker_id := (select a.id from public.agents a where a.id = (execution ->> 'agent_id')::uuid);
    insert into public.tool_executions (id, run_id, turn_id, swarm_id, agent_id, tool_id, tool_name, tool_call_id, status, expires_at)
    values ((execution ->> 'id')::uuid, run.id, (execution ->> 'turn_id')::uuid, run.swarm_id, speaker_id,
      (select t.id from public.tools t where t.id = (execution ->> 'tool_id')::uuid), execution ->> 'tool_name',
      execution ->> 'tool_call_id', 'pending_approval', until);
    insert into public.tool_execution_payloads (tool_execution_id, swarm_id, agent_id, input)
    values ((execution ->> 'id')::uuid, run.swarm_id, speaker_id, execution -> 'input');
    events := events || private.build_run_event(run, next_seq, 'tool.approval_required', jsonb_build_object(
      'tool_execution_id', execution -> 'id', 'turn_id', execution -> 'turn_id', 'agent_id', execution -> 'agent_id',
      'tool_name', execution -> 'tool_name', 'input', execution -> 'input', 'expires_at', until), speaker_id, true);
    next_seq := next_seq + 1;
  end loop;
  insert into private.run_progress as kept (run_id, progress) values (run.id, step -> 'progress')
  on conflict on constraint run_progress_pkey do update set progress = excluded.progress;
  update public.runs r set status = 'requires_action' where r.id = run.id;
  update private.run_leases l set owner = null, expires_at = null where l.run_id = run.id;
  return jsonb_build_object('events', events);
end
$$;

-- The body apart from its event, because jsonb keeps no order of keys.
create function private.finish_run(run public.runs, step jsonb, out event jsonb, out body json)
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
    usage = (select to_jsonb(private.usage_body(sum(t.input_tokens)::bigint, sum(t.cached_input_tokens)::bigint,
        sum(t.output_tokens)::bigint,
        case when bool_or(t.cost_usd is null and t.input_tokens is not null) then null else coalesce(sum(t.cost_usd), 0) end,
        bool_or(t.estimated)))
      from public.run_turns t where t.swarm_id = run.swarm_id and t.run_id = run.id)
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

-- The newest messages after one that is known, oldest first. What this transaction has said is among them.
create function private.read_transcript(swarm_id uuid, after_seq bigint, max_messages integer) returns json
language plpgsql stable
-- A room that has grown since anybody counted must not be read as a whole for the sake of its last words.
set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off
as $$
begin
  return (
    select coalesce(json_agg(read order by read.seq), '[]')
    from (select n.id, n.seq, n.sender_type, n.sender_id, n.sender_name, n.content, n.reply_to_id, n.run_id
          from (select m.*, sum(coalesce(octet_length(m.content), 0)) over (order by m.seq desc) - coalesce(octet_length(m.content), 0) as newer_bytes
                from (select * from public.messages m
                      where m.swarm_id = read_transcript.swarm_id and m.seq > read_transcript.after_seq
                      order by m.seq desc limit read_transcript.max_messages) as m) as n
          -- More than the longest of contexts holds is not sent for: rooms full of long messages would fill the memory of a node.
          where n.newer_bytes < 4000000) as read);
end
$$;

-- The one door for whoever carries a run out: many steps, one transaction, nothing at all once the run is somebody else's.
create function private.advance_run(run_id uuid, swarm_id uuid, fence bigint, steps jsonb) returns json
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  run public.runs;
  lease private.run_leases;
  step jsonb;
  result jsonb;
  results jsonb[] := '{}';
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
  -- In one order, because another run may be about to lock the same agents.
  perform 1 from public.agents a
  where a.id in (select (s.value ->> 'agent_id')::uuid from jsonb_array_elements(steps) as s)
  order by a.id for no key update;
  for step in select value from jsonb_array_elements(steps) loop
    op := step ->> 'op';
    case op
      -- What was shown before it is stored comes from the caller.
      when 'events' then
        events := events || (step -> 'events');
        result := '{"events": []}';
      when 'start_turn' then
        result := private.start_turn(run, step);
        read_after := (step ->> 'after_seq')::bigint;
        read_limit := (step ->> 'history_limit')::integer;
      when 'turn_status' then result := private.change_turn_status(run, step);
      when 'finish_turn' then result := private.finish_turn(run, step);
      when 'finish_run' then
        select f.event, f.body into last_event, body from private.finish_run(run, step) as f;
        events := events || last_event;
        result := jsonb_build_object('events', jsonb_build_array(last_event - 'data'));
      when 'start_tool' then result := private.start_tool(run, step);
      when 'finish_tool' then result := private.finish_tool(run, step);
      when 'resume_turn' then result := private.resume_turn(run, step);
      when 'add_usage' then result := private.add_usage(run, step);
      when 'pause' then result := private.pause_run(run, step);
    end case;
    results := results || result;
    if op <> 'finish_run' then
      events := events || (result -> 'events');
    end if;
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

-- What the runs of a node are saying, each under its own fence. Waits for nobody: whoever holds a run or its swarm just now is
-- about to change it, and what was not stored comes again. Sent twice it is stored once.
create function private.store_deltas(batch jsonb) returns json
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  verdicts json;
begin
  perform set_config('synchronous_commit', 'off', true);
  with asked as materialized (
    select a.run_id, a.fence, a.events from jsonb_to_recordset(batch) as a (run_id uuid, fence bigint, events jsonb)
  ), held as materialized (
    select r.id, r.swarm_id, a.events
    from asked a
    join private.run_leases l on l.run_id = a.run_id and l.fence = a.fence
    join public.runs r on r.id = a.run_id and r.status = 'running'
    join public.swarms s on s.id = r.swarm_id
    for key share of s skip locked for no key update of r skip locked
  ), stored as (
    insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data)
    select h.id, e.seq, h.swarm_id, e.agent_id, e.restricted, e.type, e.data
    from held h
    cross join lateral jsonb_to_recordset(h.events)
      as e (seq integer, type text, agent_id uuid, restricted boolean, data jsonb)
    on conflict on constraint run_events_pkey do nothing
  )
  select json_agg(json_build_object('run_id', a.run_id, 'is_stored', h.id is not null,
    'is_lost', l.fence is distinct from a.fence or r.status is distinct from 'running',
    'cancel_reason', case when l.cancel_requested_at is not null then coalesce(l.cancel_reason, 'cancelled') end))
  into verdicts
  from asked a
  left join held h on h.id = a.run_id
  left join public.runs r on r.id = a.run_id
  left join private.run_leases l on l.run_id = a.run_id;
  return coalesce(verdicts, '[]');
end
$$;

-- Ends a run that nobody carries out: queued, waiting for a human, or left behind by a node that died. What its turns had said
-- by then is in the stored deltas and becomes a message with a mark. The caller holds the run's row. Far from the seqs that a
-- dead node may have shown and not stored.
create function private.close_run(run public.runs, status text, stop_reason text, error jsonb, finish_reason text, turn_reason text)
returns void language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  turn record;
  next_seq integer := (select coalesce(max(e.seq), 0) from public.run_events e where e.run_id = run.id)
    + case when turn_reason = 'worker_lost' then 100000 else 1 end;
  outcome text := case when turn_reason = 'worker_lost' then 'failed' else 'cancelled' end;
  final text;
  events jsonb := '[]';
begin
  update private.run_leases l set fence = l.fence + 1, owner = null, expires_at = null where l.run_id = run.id;
  perform 1 from public.agents a
  where a.id in (select t.agent_id from public.run_turns t
                 where t.swarm_id = run.swarm_id and t.run_id = run.id and t.status in ('queued', 'thinking', 'responding'))
  order by a.id for no key update;
  for turn in
    select t.id, t.agent_id,
      (select string_agg(piece.value, '' order by e.seq, piece.ordinality)
       from public.run_events e
       cross join lateral jsonb_array_elements_text(e.data -> 'deltas') with ordinality as piece
       where e.run_id = run.id and e.type = 'message.delta' and e.data ->> 'turn_id' = t.id::text) as said
    from public.run_turns t
    where t.swarm_id = run.swarm_id and t.run_id = run.id and t.status in ('queued', 'thinking', 'responding')
    order by t.position, t.id
  loop
    events := events || (private.finish_turn(run, jsonb_build_object('turn_id', turn.id, 'agent_id', turn.agent_id,
      'seq', next_seq, 'status', outcome, 'content', private.trimmed(turn.said), 'finish_reason', close_run.finish_reason,
      'metadata', jsonb_build_object('partial', true), 'error', close_run.error, 'reason', close_run.turn_reason)) -> 'events');
    next_seq := next_seq + 5;
  end loop;
  final := case when close_run.status = 'failed' and exists (
                  select 1 from public.run_turns t join public.messages m on m.id = t.message_id
                  where t.swarm_id = run.swarm_id and t.run_id = run.id) then 'partial'
                else close_run.status end;
  events := events || (private.finish_run(run, jsonb_build_object('seq', next_seq, 'status', final,
    'stop_reason', close_run.stop_reason, 'error', close_run.error))).event;
  perform private.store_run_events(run, events);
end
$$;

-- Oldest first, one per swarm.
create function private.claim_runs(owner text, lease_ms integer, max_runs integer) returns table (run_id uuid, fence bigint)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  candidate uuid;
  claimed integer := 0;
begin
  for candidate in
    select r.id from public.runs r
    where r.status in ('queued', 'requires_action') and private.is_run_claimable(r)
      and not exists (select 1 from public.runs busy where busy.swarm_id = r.swarm_id and busy.status = 'running')
      and not exists (select 1 from public.runs older
                      where older.swarm_id = r.swarm_id and older.status in ('queued', 'requires_action')
                        and (older.queued_at, older.id) < (r.queued_at, r.id) and private.is_run_claimable(older))
    order by r.queued_at, r.id
    limit claim_runs.max_runs * 2
  loop
    exit when claimed >= claim_runs.max_runs;
    claim_runs.fence := private.start_run(candidate, claim_runs.owner, claim_runs.lease_ms);
    if claim_runs.fence is not null then
      claim_runs.run_id := candidate;
      claimed := claimed + 1;
      return next;
    end if;
  end loop;
end
$$;

-- One question a second for all runs of a node: which of them are still its own, are to be cancelled, or lost their swarm or an
-- agent on the way. Their leases are renewed by the way; a row that somebody holds is renewed the next time.
create function private.keep_runs(run_ids uuid[], fences bigint[], lease_ms integer)
returns table (run_id uuid, is_lost boolean, cancel_reason text, swarm_status text, gone_turn_ids uuid[])
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update private.run_leases l set expires_at = now() + keep_runs.lease_ms * interval '1 millisecond'
  where l.run_id in (
    select held.run_id from private.run_leases held
    join unnest(keep_runs.run_ids, keep_runs.fences) as mine (id, fence) on mine.id = held.run_id and mine.fence = held.fence
    where held.expires_at < now() + keep_runs.lease_ms * interval '0.67 millisecond'
    for update of held skip locked);
  return query
  select mine.id, l.fence is distinct from mine.fence or r.status is distinct from 'running',
    case when l.cancel_requested_at is not null then coalesce(l.cancel_reason, 'cancelled') end, s.status,
    array(select t.id from public.run_turns t
          where t.swarm_id = r.swarm_id and t.run_id = r.id and t.status in ('queued', 'thinking', 'responding')
            and not exists (select 1 from public.swarm_agents sa
                            where sa.swarm_id = t.swarm_id and sa.agent_id = t.agent_id and sa.enabled
                              and private.may_agent_speak(sa.swarm_id, sa.user_id)))
  from unnest(keep_runs.run_ids, keep_runs.fences) as mine (id, fence)
  left join public.runs r on r.id = mine.id
  left join private.run_leases l on l.run_id = mine.id
  left join public.swarms s on s.id = r.swarm_id;
end
$$;

-- Ends what dead nodes left behind and denies what nobody decided in time. Answers with how much it did.
create function private.sweep_runs(max_rows integer) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  found_lease record;
  found_execution record;
  run public.runs;
  swept integer := 0;
begin
  for found_lease in
    select l.run_id, r.swarm_id from private.run_leases l join public.runs r on r.id = l.run_id and r.status = 'running'
    where l.expires_at < now() order by l.expires_at limit sweep_runs.max_rows
  loop
    perform 1 from public.swarms s where s.id = found_lease.swarm_id for key share skip locked;
    continue when not found;
    select r.* into run from public.runs r
    where r.id = found_lease.run_id and r.status = 'running' for no key update skip locked;
    continue when not found or not exists (
      select 1 from private.run_leases l where l.run_id = run.id and l.expires_at < now());
    begin
      perform private.close_run(run, 'failed', 'worker_lost',
        jsonb_build_object('code', 'WORKER_LOST', 'message', 'The node that carried out this run went away', 'retryable', true,
          'provider_status', null), 'error', 'worker_lost');
      swept := swept + 1;
    exception when data_exception or integrity_constraint_violation or raise_exception then
      -- One that cannot be ended must not keep the others from it; it comes last the next time.
      raise warning 'run % cannot be ended: %', run.id, sqlerrm;
      update private.run_leases l set expires_at = now() where l.run_id = run.id;
    end;
  end loop;
  for found_execution in
    select x.id, x.run_id, x.swarm_id from public.tool_executions x
    where x.status = 'pending_approval' and x.expires_at < now() order by x.expires_at limit sweep_runs.max_rows
  loop
    select r.* into run from public.runs r where r.id = found_execution.run_id for no key update skip locked;
    continue when not found;
    perform private.deny_tool(run, found_execution.id, null, 'APPROVAL_EXPIRED', 'Nobody approved this call in time');
    swept := swept + 1;
  end loop;
  return swept;
end
$$;

-- The caller holds the run's row. False: it is no longer waiting for a decision.
create function private.deny_tool(run public.runs, execution_id uuid, decided_by uuid, code text, message text) returns boolean
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

create function private.prune_run_rows(retention interval, max_rows integer) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  pruned integer;
  gone integer;
begin
  delete from public.run_events e
  where e.ctid = any (array(
    select old.ctid from public.run_events old
    join public.runs r on r.id = old.run_id and r.status in ('completed', 'partial', 'failed', 'cancelled')
    where old.created_at < now() - prune_run_rows.retention and r.finished_at < now() - prune_run_rows.retention
    limit prune_run_rows.max_rows));
  get diagnostics pruned = row_count;
  delete from private.idempotency_keys k
  where k.ctid = any (array(select old.ctid from private.idempotency_keys old
                            where old.created_at < now() - interval '24 hours' limit prune_run_rows.max_rows));
  get diagnostics gone = row_count;
  return greatest(pruned, gone);
end
$$;

grant execute on function private.load_run(uuid, bigint), private.advance_run(uuid, uuid, bigint, jsonb),
  private.store_deltas(jsonb), private.close_run(public.runs, text, text, jsonb, text, text), private.claim_runs(text, integer, integer),
  private.keep_runs(uuid[], bigint[], integer), private.sweep_runs(integer),
  private.deny_tool(public.runs, uuid, uuid, text, text), private.prune_run_rows(interval, integer) to sb_service;
