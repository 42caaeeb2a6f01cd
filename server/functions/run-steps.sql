-- The steps of a run: its turns and their tool calls. The functions that begin and end turns and runs take any number
-- of rows.
-- Some parameters are rows of public.run_events; a migration that replaces this table drops the functions first.

create or replace function private.build_event(run_id uuid, swarm_id uuid, seq integer, type text, data jsonb,
  agent_id uuid)
returns public.run_events language sql stable
as $$
  select row(run_id, seq, swarm_id, agent_id, false, type,
    jsonb_build_object('run_id', run_id, 'swarm_id', swarm_id) || data, now())::public.run_events
$$;

-- Whether the tool of a call acts for the starter of a run; with `as_it_was`, also whether it did when it was called.
create or replace function private.acts_call_for_starter(call public.tool_executions, as_it_was boolean)
returns boolean language plpgsql stable
as $$
begin
  return coalesce((select private.acts_for_starter(l.kind, l.config) from public.tools l
      where l.id = call.tool_id), false)
    or as_it_was and exists (select 1 from private.turn_snapshots s
      where s.turn_id = call.turn_id and s.config -> 'tools' @> jsonb_build_array(
        jsonb_build_object('name', call.tool_name, 'acts_for_starter', true)));
end
$$;

-- The tool calls that an agent has made in earlier turns, for the same starter, with their results (`made`), and the
-- results that calls have sent with their conversation (`sent`); null without both. Of those that were made the newest
-- ones, up to a megabyte, oldest first; `is_cut` says that there are older ones. A starter with an API key, or without
-- a second factor, is another one than the person without the key, or with the factor: a tool may have acted with
-- rights that the key does not have. What a tool told the starter alone is left out in a swarm with others, and with an
-- agent of somebody else for which the app does not vouch any more, whose owner can have changed or deleted the tool.
-- `message_id` is the answer of the turn; a turn without one has `asked_id`, the message that it did not answer. What
-- was sent has the `seq` of the message after it. Text, because JSONB of long results would be copied for each level
-- above it.
create or replace function private.read_past_calls(swarm_id uuid, agent_id uuid, starter_id uuid, run_id uuid,
  turn_id uuid)
returns json language plpgsql stable
as $$
declare
  own_key_id uuid;
  own_aal text;
  -- Of somebody else, for which the app does not vouch.
  is_foreign boolean;
  -- Who else could learn what a tool told the starter alone: other members, or the owner of the agent.
  is_shared boolean;
  is_told boolean;
  sent json;
begin
  if exists (select 1 from private.sent_tool_results s where s.swarm_id = read_past_calls.swarm_id) then
    sent := (
      select json_agg(json_build_object('id', s.seq || '_' || e.position, 'run_id', null, 'message_id', null,
        'asked_id', null, 'seq', s.seq, 'is_alone', s.are_alone, 'name', e.value -> 'name',
        'input', e.value -> 'input', 'output', e.value -> 'output',
        'is_error', coalesce(e.value -> 'is_error' = 'true', false), 'is_private', false) order by s.seq, e.position)
      from private.sent_tool_results s
      cross join lateral jsonb_array_elements(s.results) with ordinality as e (value, position)
      where s.swarm_id = read_past_calls.swarm_id and s.agent_id = read_past_calls.agent_id and s.user_id = starter_id);
  end if;
  if not exists (select 1 from public.tool_executions x
      where x.agent_id = read_past_calls.agent_id and x.swarm_id = read_past_calls.swarm_id) then
    return case when sent is not null then json_build_object('is_cut', false, 'sent', sent, 'made', '[]'::json) end;
  end if;
  select l.api_key_id, coalesce(l.aal, 'aal1'), a.user_id <> starter_id and not a.acts_for_askers,
    private.is_shared(read_past_calls.swarm_id, starter_id), a.user_id <> starter_id
  into own_key_id, own_aal, is_foreign, is_shared, is_told
  from private.run_leases l
  left join public.agents a on a.id = read_past_calls.agent_id
  where l.run_id = read_past_calls.run_id;
  is_told := is_told or is_shared;
  return (
    select json_build_object('is_cut', coalesce(bool_or(not x.is_kept), false), 'sent', coalesce(sent, '[]'),
      'made', coalesce(json_agg(json_build_object('id', x.id, 'run_id', x.run_id, 'message_id', x.message_id,
        'asked_id', case when x.message_id is null then x.asked_id end, 'name', x.tool_name, 'input', x.input,
        'output', x.output, 'is_error', x.is_error, 'is_private', x.is_private)
        order by x.id) filter (where x.is_kept), '[]'))
    from (
      select x.*, row_number() over newest <= 200
        and sum(coalesce(octet_length(x.input), 0) + coalesce(octet_length(x.output), 0)) over newest <= 1000000
          as is_kept
      from (
        -- Single columns are looked up by subqueries: a further join costs the planner more than the whole execution.
        -- The run is looked up by its id alone: without statistics, the planner reads all runs of the starter instead.
        select x.id, x.run_id, r.message_id as asked_id, x.tool_name, x.status <> 'succeeded' as is_error,
          (select m.id from public.messages m where m.id = t.message_id) as message_id, p.input::text as input,
          is_told and (p.private_to is not null or private.acts_call_for_starter(x, is_foreign)) as is_private,
          case when x.error is not null then jsonb_build_object('error', x.error - 'retryable')::text
            when x.status = 'cancelled' then '{"error": {"code": "CANCELLED"}}'
            -- A string without its quotes, anything else as JSON.
            else coalesce(p.output #>> '{}', p.output::text) end as output
        from public.tool_executions x
        cross join lateral (
          select r.user_id, r.message_id from public.runs r where r.id = x.run_id offset 0) as r
        join public.run_turns t on t.id = x.turn_id and t.status in ('completed', 'failed', 'cancelled')
        left join public.tool_execution_payloads p on p.tool_execution_id = x.id
        where x.agent_id = read_past_calls.agent_id and x.swarm_id = read_past_calls.swarm_id
          and x.turn_id <> read_past_calls.turn_id and r.user_id = starter_id
          and x.status in ('succeeded', 'failed', 'denied', 'timed_out', 'cancelled')
          and coalesce((
            select l.api_key_id is not distinct from own_key_id and coalesce(l.aal, 'aal1') <= own_aal
            from private.run_leases l where l.run_id = x.run_id), own_key_id is null)
        order by x.run_id desc, x.id desc limit 201) as x
      where not (x.is_private and (is_shared or is_foreign))
      window newest as (order by x.run_id desc, x.id desc)) as x);
end
$$;

-- What turns of a run read when they begin or continue: the messages of the swarm after a number, and their past calls,
-- by the id of the turn.
create or replace function private.read_conversation(run_id uuid, swarm_id uuid, starter_id uuid, turns jsonb,
  after_seq bigint, up_to_seq bigint default null)
returns json language plpgsql stable
as $$
begin
  return json_build_object(
    'messages', (select m.messages from private.read_messages(swarm_id, after_seq,
      (turns -> -1 ->> 'history_limit')::integer, up_to_seq) as m),
    'past_calls', (
      select json_object_agg(t.turn_id, private.read_past_calls(read_conversation.swarm_id, t.agent_id, starter_id,
        read_conversation.run_id, t.turn_id))
      from jsonb_to_recordset(turns) as t (turn_id uuid, agent_id uuid)));
end
$$;

-- Begins turns. The caller has locked the agents, and `held` are those whose status it may write. Returns one answer
-- for each turn, by place: `gone` if the agent may not speak in the swarm any more. With `agent_version`, the agent is
-- what it was in that version, and `gone` if the version was removed. The members of `overrides` take the place of its
-- framework, model and system prompt.
create or replace function private.begin_turns(batch jsonb, held uuid[], out answers jsonb,
  out events public.run_events[])
language plpgsql volatile
as $$
declare
  contexts jsonb := '{}';
begin
  if batch = '[]' then
    return;
  end if;
  for i in 0 .. jsonb_array_length(batch) - 1 loop
    contexts := contexts || jsonb_build_object(batch -> i ->> 'agent_id', jsonb_build_object(
      'run_id', batch -> i -> 'run_id', 'swarm_id', batch -> i -> 'swarm_id', 'reason', 'run_started'));
  end loop;
  contexts := private.set_run_context(contexts);
  with asked as materialized (
    select e.place, e.run_id, e.swarm_id, e.turn_id, e.message_id, e.position, e.seq, a.id as agent_id, a.name,
      nullif(e.asked, 'null') as asked,
      coalesce(e.overrides ->> 'framework', pinned.framework, a.framework) as framework,
      coalesce(case when e.overrides ? 'model' then e.overrides ->> 'model' when pinned.number is null then a.model
          else pinned.model end,
        e.default_models ->> coalesce(e.overrides ->> 'framework', pinned.framework, a.framework), 'default') as model,
      a.status as before,
      case when a.id is null or pinned.number is distinct from coalesce(e.agent_version, sa.agent_version)
        or not private.is_run_speaker(e.run_id, a.id, sa.grant_id) then 'gone'
        else 'started' end as outcome,
      case when a.id = any (held) then coalesce(live.status, 'thinking') else a.status end as after,
      case when pinned.number is null
        then jsonb_build_object('name', a.name, 'role', coalesce(sa.role_override, a.role), 'framework', a.framework,
          'model', a.model, 'system_prompt', a.system_prompt, 'settings', a.settings)
        else jsonb_build_object('name', a.name, 'role', coalesce(sa.role_override, pinned.role),
          'framework', pinned.framework, 'model', pinned.model, 'system_prompt', pinned.system_prompt,
          'settings', pinned.settings) end || coalesce(e.overrides, '{}') as config,
      jsonb_build_object('id', a.id, 'user_id', a.user_id, 'tools', case when pinned.number is null
        then private.build_agent_tools(a.id, a.user_id, a.acts_for_askers, e.swarm_id, e.user_id)
        else private.build_tools(pinned.tools, a.id, a.user_id, a.acts_for_askers, e.swarm_id, e.user_id)
        end, 'summary', private.read_summary(e.swarm_id, a.id)) as own,
      coalesce(pinned.number, (select max(v.number) from public.agent_versions v where v.agent_id = a.id)) as version,
      sa.grant_id, sa.payer_id = sa.user_id as hides_usage
    from jsonb_to_recordset(batch) as e (place integer, run_id uuid, swarm_id uuid, turn_id uuid, message_id uuid,
      agent_id uuid, position integer, default_models jsonb, seq integer, agent_version integer, overrides jsonb,
      asked jsonb, user_id uuid)
    left join lateral private.list_speakers(e.swarm_id, e.user_id) as sa on sa.agent_id = e.agent_id
    left join public.agents a on a.id = sa.agent_id
    left join public.agent_versions pinned on pinned.agent_id = a.id
      and pinned.number = coalesce(e.agent_version, sa.agent_version)
    cross join lateral private.find_live_status(a.id, '{}') as live
  ), opened as (
    insert into public.run_turns (id, run_id, swarm_id, agent_id, agent_name, position, status, framework, model,
      message_id, started_at, agent_version, asked, grant_id, hides_usage)
    select e.turn_id, e.run_id, e.swarm_id, e.agent_id, e.name, e.position, 'thinking', e.framework, e.model,
      e.message_id, now(), e.version, e.asked, e.grant_id, coalesce(e.hides_usage, false)
    from asked e where e.outcome = 'started'
  ), noted as (
    insert into private.turn_snapshots (turn_id, config)
    select e.turn_id, e.config || jsonb_build_object('tools', private.remove_tool_secrets(e.own -> 'tools'))
    from asked e where e.outcome = 'started'
  ), changed as (
    update public.agents a set status = e.after
    from asked e where a.id = e.agent_id and e.outcome = 'started' and e.after <> e.before
  )
  select jsonb_agg(jsonb_build_object('place', e.place, 'outcome', e.outcome,
      'agent', case when e.outcome = 'started' then e.config || e.own end)),
    array_agg(private.build_event(e.run_id, e.swarm_id, e.seq, 'turn.started', jsonb_build_object('turn_id', e.turn_id,
      'message_id', e.message_id, 'agent_id', e.agent_id, 'agent_name', e.name,
      'model', case when e.grant_id is null then e.model end)
      || case when e.asked is null then '{}' else jsonb_build_object('asked', e.asked) end, e.agent_id))
      filter (where e.outcome = 'started')
    || array_agg(private.build_event(e.run_id, e.swarm_id, e.seq + 1, 'agent.status_changed',
      private.build_status_change(e.agent_id, e.before, e.after, 'run_started'), e.agent_id))
      filter (where e.outcome = 'started' and e.after <> e.before and e.grant_id is null)
  into answers, events from asked e;
  if not private.parse_uuids(jsonb_path_query_array(batch, '$[*].agent_id')) <@ held then
    perform private.mark_agents(batch, held, 'run_started');
  end if;
end
$$;

-- Returns the turns with what their end depends on: the status of the agent before, during and after the message, and
-- the author of the message if there is one. The status of an agent that is not `held` stays.
create or replace function private.plan_turn_ends(batch jsonb, held uuid[]) returns jsonb language plpgsql volatile
as $$
declare
  ending uuid[] := private.parse_uuids(jsonb_path_query_array(batch, '$[*].turn_id'));
  plan jsonb;
  count integer;
begin
  select count(t.id), jsonb_agg(e.step || jsonb_build_object('agent_id', t.agent_id, 'agent_name', t.agent_name,
      'message_id', t.message_id, 'speaker_id', speaker.id, 'grant_id', t.grant_id,
      'reason', cause.reason, 'before', a.status,
      'speaking', status.speaking, 'after', status.after)) filter (where t.status in ('waiting', 'thinking',
        'responding'))
  into count, plan
  from jsonb_array_elements(batch) as e (step)
  left join public.run_turns t on t.id = (e.step ->> 'turn_id')::uuid
  left join public.agents a on a.id = t.agent_id
  cross join lateral (select coalesce(e.step ->> 'reason', case e.step ->> 'status' when 'completed'
    then 'run_completed'
    when 'cancelled' then 'cancelled' else 'run_failed' end)) as cause (reason)
  -- The words of an agent that was deleted while it spoke are kept under its id.
  cross join lateral (select case when coalesce(e.step ->> 'content', '') <> '' then coalesce(t.agent_id,
    (e.step ->> 'agent_id')::uuid,
    (select (v.data ->> 'agent_id')::uuid from public.run_events v
     where v.run_id = t.run_id and v.type = 'turn.started' and v.data ->> 'turn_id' = t.id::text limit 1)) end)
    as speaker (id)
  -- Computed once.
  left join lateral (select l.status from private.find_live_status(a.id, ending) as l offset 0) as other
    on a.id = any (held)
  cross join lateral (select
    -- Whoever watches an agent that has nothing else to do sees it respond, however short the answer was.
    case when other.status is null and a.id = any (held) and speaker.id is not null and t.status <> 'responding'
        and e.step ->> 'status' = 'completed' then 'responding' else a.status end as speaking,
    case when a.id = any (held) then coalesce(other.status, private.get_rest_status(cause.reason)) else a.status end
      as after) as status;
  if count < jsonb_array_length(batch) then
    raise exception 'a turn that should end does not exist' using errcode = 'no_data_found';
  end if;
  return plan;
end
$$;

create or replace function private.build_agent_error(turn public.run_turns) returns json language sql stable
as $$
  select json_build_object('agent_id', turn.agent_id, 'swarm_id', turn.swarm_id, 'run_id', turn.run_id,
    'turn_id', turn.id, 'error', private.render_error(turn.error, turn.grant_id), 'attempts', turn.attempts,
    'framework', turn.framework, 'model', turn.model)
$$;

-- The rows of model calls. A single expression, which PostgreSQL puts into the statement that calls it.
create or replace function private.read_model_calls(run_id uuid, turn_id uuid, swarm_id uuid, agent_id uuid,
  calls jsonb, grant_id uuid)
returns setof public.model_calls language sql stable
as $$
  select c.id, run_id, turn_id, swarm_id, agent_id, c.attempt, c.framework, c.model, c.status, c.finish_reason,
    nullif(c.error, 'null'), c.first_token_ms, c.duration_ms, c.input_tokens, c.cached_input_tokens, c.output_tokens,
    c.reasoning_tokens, coalesce(c.estimated, false), c.cost_usd::numeric(18, 9), c.started_at,
    c.started_at + c.duration_ms * interval '1 millisecond', now(), grant_id
  from jsonb_to_recordset(coalesce(calls, '[]')) as c (id uuid, attempt integer, framework text, model text,
    status text, finish_reason text, error jsonb, first_token_ms integer, duration_ms integer, input_tokens bigint,
    cached_input_tokens bigint, output_tokens bigint, reasoning_tokens bigint, estimated boolean, cost_usd numeric,
    started_at timestamptz)
$$;

-- The rows of their prompts, which only the first attempt of a call has: in `prompts`, by the id of the call. Older
-- versions of the service send the prompt as a member of the call. A single expression, like the one above.
create or replace function private.read_model_call_prompts(swarm_id uuid, agent_id uuid, calls jsonb, prompts jsonb)
returns setof public.model_call_prompts language sql stable
as $$
  select c.id, swarm_id, agent_id, p.kept_messages, p.system, p.messages, nullif(p.tools, 'null'), p.tool_choice,
    p.settings, p.max_output_tokens, p.sha256
  from jsonb_to_recordset(coalesce(calls, '[]')) as c (id uuid, prompt jsonb)
  cross join lateral (select coalesce(prompts -> c.id::text, c.prompt)) as sent (prompt)
  cross join lateral jsonb_to_record(sent.prompt) as p (kept_messages integer, system text, messages jsonb, tools jsonb,
    tool_choice text, settings jsonb, max_output_tokens integer, sha256 text)
  where sent.prompt is not null
$$;

-- Stores model calls before the end of their turn, or of no turn. A repeated step inserts no second row.
create or replace function private.add_model_calls(run public.runs, step jsonb, prompts jsonb) returns jsonb
language plpgsql volatile
as $$
begin
  insert into public.model_calls
  select c.* from private.read_model_calls(run.id, (step ->> 'turn_id')::uuid, run.swarm_id,
    (step ->> 'model_agent_id')::uuid, step -> 'model_calls',
    -- The grant may have been withdrawn since the call was made.
    coalesce((select t.grant_id from public.run_turns t where t.id = (step ->> 'turn_id')::uuid),
      (step ->> 'grant_id')::uuid)) as c
  on conflict (id) do nothing;
  insert into public.model_call_prompts
  select p.* from private.read_model_call_prompts(run.swarm_id, (step ->> 'model_agent_id')::uuid,
    step -> 'model_calls', prompts) as p
  on conflict (model_call_id) do nothing;
  return jsonb_build_object('events', '[]'::jsonb);
end
$$;

-- Stores the results, the usage and the last model calls of turns, and returns the events.
create or replace function private.update_ended_turns(plan jsonb, prompts jsonb) returns public.run_events[]
language plpgsql volatile
as $$
declare
  events public.run_events[];
begin
  with ended as (
    update public.run_turns t
    set status = e.status, finish_reason = e.finish_reason, error = nullif(e.error, 'null'),
      warnings = coalesce(e.warnings, t.warnings), attempts = coalesce(e.attempts, t.attempts),
      framework = coalesce(e.framework, t.framework), model = coalesce(e.model, t.model),
      first_token_ms = coalesce(t.first_token_ms, e.first_token_ms),
      -- A machine may have been off for a month, or a backup be as old.
      duration_ms = coalesce(e.duration_ms,
        least(extract(epoch from clock_timestamp() - t.started_at) * 1000, 2147483647)::integer),
      input_tokens = used.input_tokens, cached_input_tokens = used.cached_input_tokens,
      output_tokens = used.output_tokens, reasoning_tokens = used.reasoning_tokens,
      estimated = coalesce(used.estimated, false), cost_usd = used.cost_usd, finished_at = now(),
      handoff = nullif(e.handoff, 'null')
    from jsonb_to_recordset(plan) as e (run_id uuid, swarm_id uuid, user_id uuid, turn_id uuid, agent_id uuid,
      speaker_id uuid, seq integer, status text, finish_reason text, error jsonb, warnings jsonb, attempts integer,
      framework text, model text, first_token_ms integer, duration_ms integer, usage jsonb, model_calls jsonb,
      payer_id uuid, before text, speaking text, after text, reason text, handoff jsonb)
    cross join lateral jsonb_to_record(coalesce(nullif(e.usage, 'null'), '{}')) as used (input_tokens bigint,
      cached_input_tokens bigint, output_tokens bigint, reasoning_tokens bigint, cost_usd numeric, estimated boolean)
    where t.id = e.turn_id
    returning t as turn, e.user_id, e.agent_id, e.speaker_id, e.seq, nullif(e.usage, 'null') as usage, used.estimated,
      e.model_calls, e.payer_id, e.before, e.speaking, e.after, e.reason,
      -- Whoever pays reads the record, and an asker who pays does not see the model.
      t.grant_id is not null and not t.hides_usage as is_model_hidden
  ), recorded as (
    insert into public.usage_records (payer_id, user_id, swarm_id, run_id, turn_id, agent_id, framework, model,
      input_tokens, cached_input_tokens, output_tokens, reasoning_tokens, cost_usd, estimated, grant_id)
    select u.id, e.user_id, private.get_billed_swarm((e.turn).swarm_id), (e.turn).run_id, (e.turn).id, e.agent_id,
      case when e.is_model_hidden then 'hidden' else (e.turn).framework end,
      case when e.is_model_hidden then 'hidden' else (e.turn).model end,
      (e.turn).input_tokens, (e.turn).cached_input_tokens, (e.turn).output_tokens,
      (e.turn).reasoning_tokens, (e.turn).cost_usd, (e.turn).estimated, (e.turn).grant_id
    from ended e
    -- One lookup for each row: as a join, without statistics, the planner reads all accounts.
    cross join lateral (select u.id from auth.users u where u.id = e.payer_id offset 0) as u
    where e.usage is not null
  ), called as (
    insert into public.model_calls
    select c.* from ended e
    cross join lateral private.read_model_calls((e.turn).run_id, (e.turn).id, (e.turn).swarm_id, e.agent_id,
      e.model_calls, (e.turn).grant_id) as c
  ), prompted as (
    insert into public.model_call_prompts
    select p.* from ended e
    cross join lateral private.read_model_call_prompts((e.turn).swarm_id, e.agent_id, e.model_calls,
      prompts) as p
    where e.agent_id is not null
  )
  select array_agg(private.build_event((e.turn).run_id, (e.turn).swarm_id, event.seq, event.type, event.data,
    e.agent_id))
  into events
  from ended e
  left join public.messages m on m.id = (e.turn).message_id and e.speaker_id is not null
  cross join lateral (values
    (e.seq, 'agent.status_changed', case when e.before <> e.speaking and (e.turn).grant_id is null
      then private.build_status_change(e.agent_id, e.before, e.speaking, 'first_token') end),
    (e.seq + 1, 'message.created', case when m.id is not null
      then jsonb_build_object('message_id', m.id, 'turn_id', (e.turn).id, 'message', to_jsonb(m)) end),
    (e.seq + 2, 'turn.completed', jsonb_build_object('turn_id', (e.turn).id, 'agent_id', e.agent_id,
      'agent_name', (e.turn).agent_name, 'status', (e.turn).status, 'finish_reason', (e.turn).finish_reason,
      'usage', case when not (e.turn).hides_usage then private.render_usage((e.turn).input_tokens,
        (e.turn).cached_input_tokens, (e.turn).output_tokens, (e.turn).cost_usd, e.estimated) end,
      'warnings', case when (e.turn).grant_id is null then (e.turn).warnings
        else private.list_asker_warnings((e.turn).swarm_id) end)
      || case when (e.turn).handoff is null then '{}'
        else jsonb_build_object('handoff', (e.turn).handoff) end),
    (e.seq + 3, 'agent.error', case when (e.turn).status = 'failed' then private.build_agent_error(e.turn)::jsonb
      || case when (e.turn).grant_id is null then '{}'::jsonb else '{"framework": null, "model": null}' end end),
    (e.seq + 4, 'agent.status_changed', case when e.speaking <> e.after and (e.turn).grant_id is null
      then private.build_status_change(e.agent_id, e.speaking, e.after, e.reason) end)) as event (seq, type, data)
  where event.data is not null;
  return events;
end
$$;

-- Ends turns. The caller has locked the agents, and `held` are those whose status it may write. `prompts` are those of
-- the model calls, by the id of the call. Returns the events; a turn that ended before has none.
create or replace function private.finish_turns(batch jsonb, prompts jsonb, held uuid[]) returns public.run_events[]
language plpgsql volatile
as $$
declare
  plan jsonb := private.plan_turn_ends(batch, held);
  events public.run_events[];
  context text;
  is_done boolean;
begin
  if plan is null then
    return null;
  end if;
  is_done := private.change_agent_statuses(plan, 'before', 'speaking', 'first_token');
  if plan @? '$[*].speaker_id ? (@ != null)' then
    context := set_config('swarmbase.context', '{"acts_as_sender": true}', true);
    insert into public.messages (id, swarm_id, sender_type, sender_id, sender_agent_id, sender_name, sender_deleted,
      content, run_id, turn_id, finish_reason, metadata, data, flagged)
    select e.message_id, e.swarm_id, 'agent', e.speaker_id, e.agent_id, e.agent_name, e.agent_id is null,
      left(e.content, 100000), e.run_id, e.turn_id, e.finish_reason, coalesce(nullif(e.metadata, 'null'), '{}'),
      e.data, coalesce(e.flagged, false)
    from jsonb_to_recordset(plan) as e (message_id uuid, swarm_id uuid, speaker_id uuid, agent_id uuid, agent_name text,
      content text, run_id uuid, turn_id uuid, finish_reason text, metadata jsonb, data jsonb, flagged boolean)
    where e.speaker_id is not null;
  end if;
  events := private.update_ended_turns(plan, prompts);
  if plan @? '$[*] ? (@.grant_id != null && @.usage.cost_usd > 0)' then
    perform private.add_grant_cost(e.grant_id, e.user_id, e.cost_usd)
    from (select e.grant_id, e.user_id, sum((e.usage ->> 'cost_usd')::numeric) as cost_usd
          from jsonb_to_recordset(plan) as e (grant_id uuid, user_id uuid, usage jsonb)
          where e.grant_id is not null group by e.grant_id, e.user_id order by e.grant_id, e.user_id) as e;
  end if;
  if plan @? '$[*] ? (@.status == "failed")' then
    perform private.emit_event('agent.error', private.build_agent_error(t),
      array(select a.user_id from public.agents a where a.id = t.agent_id))
    from jsonb_to_recordset(plan) as e (turn_id uuid, status text)
    join public.run_turns t on t.id = e.turn_id
    where e.status = 'failed';
  end if;
  is_done := private.change_agent_statuses(plan, 'speaking', 'after', null);
  if not private.parse_uuids(jsonb_path_query_array(plan, '$[*].agent_id')) <@ held then
    perform private.mark_agents(plan, held, null);
  end if;
  return events;
end
$$;

-- Ends the open turns and tool executions of runs that end, and removes what they hold. No turn should be open.
create or replace function private.clear_ended_runs(ids uuid[]) returns void language plpgsql volatile
as $$
declare
  leftover record;
  run public.runs;
begin
  for leftover in
    update public.run_turns t set status = 'cancelled', finish_reason = 'cancelled', finished_at = now()
    where t.run_id = any (ids) and t.swarm_id in (select r.swarm_id from public.runs r where r.id = any (ids))
      and t.status in ('waiting', 'thinking', 'responding')
    returning t.run_id, t.agent_id
  loop
    select r.* into run from public.runs r where r.id = leftover.run_id;
    perform private.project_agent_status(run, leftover.agent_id, 'cancelled');
  end loop;
  update public.tool_executions x set status = 'cancelled', finished_at = now()
  from public.runs r
  where r.id = any (ids) and x.swarm_id = r.swarm_id and x.run_id = r.id
    and x.status in ('pending_approval', 'pending_client', 'waiting', 'running');
  perform private.request_cancel(t.run_id, 'cancelled') from private.sub_tasks t
  where t.parent_run_id = any (ids) order by t.run_id;
  delete from private.run_signals n where n.run_id = any (ids);
  delete from private.budget_reservations b where b.run_id = any (ids);
end
$$;

-- Raises the event of runs that ended with an answer, for the members of their swarms that subscribe to it.
create or replace function private.emit_completed_runs(ids uuid[]) returns void language plpgsql volatile
as $$
begin
  insert into private.events (type, data, audience)
  select 'swarm.completed', json_build_object('swarm_id', r.swarm_id, 'run_id', r.id, 'status', r.status,
      'stop_reason', r.stop_reason, 'message_id', r.message_id, 'response_message_ids', (
        select coalesce(jsonb_agg(m.id order by m.seq), '[]') from public.run_turns t
        join public.messages m on m.id = t.message_id
        where t.swarm_id = r.swarm_id and t.run_id = r.id),
      'usage', r.usage, 'duration_ms', (extract(epoch from r.finished_at - r.created_at) * 1000)::bigint),
    members.audience
  from public.runs r
  cross join lateral (select private.list_swarm_audience(r.swarm_id)) as members (audience)
  where r.id = any (ids) and r.status in ('completed', 'partial')
    and private.is_subscribed('swarm.completed', members.audience);
end
$$;

-- Ends runs. Returns for each the event that says so, its body with the keys in documented order, and whether another
-- run of the swarm waits, in the order of `places`.
create or replace function private.finish_runs(batch jsonb, out places integer[], out events public.run_events[],
  out bodies json[], out has_next boolean[])
language plpgsql volatile
as $$
declare
  ids uuid[] := private.parse_uuids(jsonb_path_query_array(batch, '$[*].run_id'));
  is_open boolean;
  has_subscribers boolean;
begin
  with ended as (
    update public.runs r
    set status = e.status, stop_reason = e.stop_reason, error = nullif(e.error, 'null'), finished_at = now(),
      can_continue = false, pending_waits = null,
      (turn_count, usage) = (
        select used.turn_count, used.usage::jsonb
        from private.sum_run_usage(r.id, r.swarm_id, r.strategy, r.created_at, now()) as used)
    from jsonb_to_recordset(batch) as e (run_id uuid, status text, stop_reason text, error jsonb)
    where r.id = any (ids) and r.id = e.run_id
  ), forgotten as (
    delete from private.run_progress p where p.run_id = any (ids)
  )
  update private.run_leases l set owner = null, expires_at = null where l.run_id = any (ids);
  -- What is still open is looked for once the lease is locked, since reserving a budget holds it. Then it is closed and
  -- the bodies are rendered again. Subqueries that cannot be hashed: for a hash the planner would read whole tables.
  for attempt in 1 .. 2 loop
    select array_agg(e.place), array_agg(row(b.run_id, e.seq, b.swarm_id, null, false, 'run.' || b.status,
        b.body::jsonb, now())::public.run_events), array_agg(b.body),
      array_agg(coalesce((select true from public.runs w
                          where w.swarm_id = b.swarm_id and (w.status = 'queued' or w.can_continue) limit 1), false)),
      bool_or(coalesce(
        (select true from public.run_turns t where t.swarm_id = b.swarm_id and t.run_id = b.run_id
           and t.status in ('waiting', 'thinking', 'responding') limit 1),
        (select true from public.tool_executions x where x.swarm_id = b.swarm_id and x.run_id = b.run_id
           and x.status in ('pending_approval', 'pending_client', 'waiting', 'running') limit 1),
        (select true from private.run_signals n where n.run_id = b.run_id limit 1),
        (select true from private.budget_reservations r where r.run_id = b.run_id limit 1), false)),
      bool_or(coalesce((select true from public.swarm_members m
                        join private.subscriptions w on w.user_id = m.user_id
                        where m.swarm_id = b.swarm_id and m.status = 'active'
                          and 'swarm.completed' = any (w.events) limit 1), false))
    into places, events, bodies, has_next, is_open, has_subscribers
    from jsonb_to_recordset(batch) as e (place integer, run_id uuid, seq integer)
    -- Not flattened into the join, which would render each body twice.
    join (select * from private.render_runs(ids, true) offset 0) as b on b.run_id = e.run_id;
    exit when not is_open;
    perform private.clear_ended_runs(ids);
  end loop;
  if has_subscribers then
    perform private.emit_completed_runs(ids);
  end if;
end
$$;

-- Those who ask do not learn the status of the agent, which depends on the turns of others too.
create or replace function private.project_turn_status(run public.runs, step jsonb, seq integer, reason text)
returns jsonb language plpgsql volatile
as $$
declare
  agent_id uuid := step ->> 'agent_id';
  change jsonb := private.project_agent_status(run, agent_id, reason);
begin
  if change is null or (select t.grant_id from public.run_turns t where t.id = (step ->> 'turn_id')::uuid) is not null
  then
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
    private.project_turn_status(run, step, (step ->> 'seq')::integer, step ->> 'reason'));
end
$$;

-- Discards the text of a turn so far: the deltas after this event begin a new text.
create or replace function private.reset_text(run public.runs, step jsonb) returns jsonb language plpgsql stable
as $$
begin
  return jsonb_build_object('events', jsonb_build_array(private.build_run_event(run, (step ->> 'seq')::integer,
    'message.reset', jsonb_build_object('turn_id', step -> 'turn_id', 'message_id', step -> 'message_id',
      'agent_id', step -> 'agent_id', 'reason', step -> 'reason', 'error', step -> 'error'),
    (step ->> 'agent_id')::uuid)));
end
$$;

-- Tells readers of a run that an agent reads a part of the conversation neither as messages nor in a summary. Whoever
-- asks by a grant does not learn why.
create or replace function private.note_left_out(run public.runs, step jsonb) returns jsonb
language plpgsql stable
as $$
begin
  return jsonb_build_object('events', jsonb_build_array(private.build_run_event(run, (step ->> 'seq')::integer,
    'context.shortened', jsonb_build_object('turn_id', step -> 'turn_id', 'agent_id', step -> 'agent_id',
      'message_count', step -> 'message_count', 'reason', (select case when t.grant_id is null then step -> 'reason' end
        from public.run_turns t where t.id = (step ->> 'turn_id')::uuid)), (step ->> 'agent_id')::uuid)));
end
$$;

-- Resumes a turn that waited, or whose node was lost, with its stored prompt and the tools of the version with which it
-- began, apart from those that its owner has taken away since: unless the call or the grant has named that version.
-- With `restart`, readers replace the text of the turn by the one given. Returns the messages of the swarm up to
-- `last_seq`, or up to the last one when the turn began: it does not read what was written since.
create or replace function private.resume_turn(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
declare
  speaker record;
  events jsonb := '[]';
  last_seq bigint;
begin
  select a.id, a.user_id, a.acts_for_askers, s.config, t.started_at, t.message_id, t.status, (
      select coalesce(jsonb_agg(kept.tool), '[]') from jsonb_array_elements(v.tools) as kept (tool)
      where run.request ? 'agent_version' or sa.agent_version is not null or exists (
        select 1 from public.agent_tools assigned
        where assigned.agent_id = a.id and assigned.tool_id = (kept.tool ->> 'tool_id')::uuid and assigned.enabled))
    as tools into speaker
  from private.list_speakers(run.swarm_id, run.user_id) as sa
  join public.agents a on a.id = sa.agent_id
  join public.run_turns t on t.id = (step ->> 'turn_id')::uuid and t.agent_id = a.id
    and t.status in ('waiting', 'thinking', 'responding')
  join private.turn_snapshots s on s.turn_id = t.id
  join public.agent_versions v on v.agent_id = a.id and v.number = t.agent_version
  where sa.agent_id = (step ->> 'agent_id')::uuid;
  if not found then
    return jsonb_build_object('outcome', 'gone', 'events', '[]'::jsonb);
  end if;
  if step ? 'restart' then
    update public.run_turns t set status = 'thinking' where t.id = (step ->> 'turn_id')::uuid;
    events := jsonb_build_array(private.build_run_event(run, (step ->> 'seq')::integer, 'turn.restarted',
        jsonb_build_object('turn_id', step -> 'turn_id', 'message_id', speaker.message_id, 'agent_id', speaker.id,
          'reason', 'worker_lost', 'text', step -> 'restart' -> 'text'), speaker.id))
      || private.project_turn_status(run, step, (step ->> 'seq')::integer + 1, 'worker_lost');
  elsif speaker.status = 'waiting' then
    update public.run_turns t set status = 'thinking' where t.id = (step ->> 'turn_id')::uuid;
    events := private.project_turn_status(run, step, (step ->> 'seq')::integer, 'resumed');
  end if;
  last_seq := coalesce((step ->> 'last_seq')::bigint, (select m.seq from public.messages m
    where m.swarm_id = run.swarm_id and m.created_at <= speaker.started_at order by m.seq desc limit 1), 0);
  return jsonb_build_object('outcome', 'started', 'events', events,
    'conversation', private.read_conversation(run.id, run.swarm_id, run.user_id, jsonb_build_array(step), 0, last_seq),
    'agent', speaker.config || jsonb_build_object('id', speaker.id, 'user_id', speaker.user_id,
      'tools', private.build_tools(speaker.tools, speaker.id, speaker.user_id, speaker.acts_for_askers, run.swarm_id,
        run.user_id),
      'summary', private.read_summary(run.swarm_id, speaker.id, last_seq)));
end
$$;

-- Whether the turn of a step may go on: a grant can be withdrawn, expire or be moved while its turn works.
create or replace function private.may_turn_continue(run public.runs, step jsonb) returns boolean
language plpgsql stable
as $$
begin
  return not exists (
    select 1 from public.run_turns t
    where t.id = (step ->> 'turn_id')::uuid and t.grant_id is not null
      and not exists (select 1 from private.list_speakers(run.swarm_id, run.user_id) as sa
                      where sa.agent_id = t.agent_id));
end
$$;

-- Who alone reads the input and output of a call, or null: the starter, when the tool acts for the starter where others
-- can join, or is a swarm, whose agents can have such tools; or when it asks the starter to connect an account: whoever
-- knew the address of that sign-in could have the starter connect the account of somebody else.
create or replace function private.find_sole_reader(run public.runs, execution jsonb) returns uuid
language plpgsql stable
as $$
begin
  return case when (execution -> 'acts_for_starter' = 'true' or execution -> 'is_swarm' = 'true')
      and (execution #>> '{question,kind}' is not distinct from 'connect'
        or not exists (select 1 from private.private_swarms p where p.swarm_id = run.swarm_id)
          and not exists (select 1 from private.sub_tasks t where t.swarm_id = run.swarm_id))
    then run.user_id end;
end
$$;

create or replace function private.start_tool(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
declare
  speaker_id uuid := (select a.id from public.agents a where a.id = (step ->> 'agent_id')::uuid);
  reader_id uuid := private.find_sole_reader(run, step);
begin
  insert into public.tool_executions as x (id, run_id, turn_id, swarm_id, agent_id, tool_id, tool_name, tool_call_id,
    status, started_at)
  values ((step ->> 'id')::uuid, run.id, (step ->> 'turn_id')::uuid, run.swarm_id, speaker_id,
    (select t.id from public.tools t where t.id = (step ->> 'tool_id')::uuid),
    step ->> 'tool_name', step ->> 'tool_call_id', 'running', now())
  on conflict (id) do update set status = 'running', started_at = now();
  insert into public.tool_execution_payloads as p (tool_execution_id, swarm_id, agent_id, input, private_to)
  values ((step ->> 'id')::uuid, run.swarm_id, speaker_id, step -> 'input', reader_id)
  on conflict (tool_execution_id) do update set answer = null, private_to = coalesce(p.private_to, reader_id);
  return jsonb_build_object('events', jsonb_build_array(
    private.build_run_event(run, (step ->> 'seq')::integer, 'tool.started',
    jsonb_build_object('tool_execution_id', step -> 'id', 'turn_id', step -> 'turn_id', 'agent_id', step -> 'agent_id',
      'tool_name', step -> 'tool_name', 'input', case when reader_id is null
        or not private.is_shared(run.swarm_id, run.user_id) then step -> 'input' end), speaker_id, true)));
end
$$;

create or replace function private.finish_tool(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
declare
  payload jsonb;
  is_private constant boolean := exists (select 1 from public.tool_execution_payloads p
    where p.tool_execution_id = (step ->> 'id')::uuid and p.private_to is not null)
    and private.is_shared(run.swarm_id, run.user_id);
begin
  update public.tool_executions x
  set status = step ->> 'status',
    error = case when is_private then private.hide_message(nullif(step -> 'error', 'null'))
      else nullif(step -> 'error', 'null') end,
    attempts = coalesce((step ->> 'attempts')::integer, 0),
    duration_ms = (step ->> 'duration_ms')::integer, output_chars = (step ->> 'output_chars')::integer,
    truncated = coalesce((step ->> 'truncated')::boolean, false), finished_at = now()
  where x.id = (step ->> 'id')::uuid and x.status = 'running';
  if not found then
    return jsonb_build_object('events', '[]'::jsonb);
  end if;
  update public.tool_execution_payloads p set output = nullif(step -> 'output', 'null')
  where p.tool_execution_id = (step ->> 'id')::uuid;
  payload := private.emit_tool_event(run, (step ->> 'id')::uuid);
  return jsonb_build_object('events', jsonb_build_array(private.build_run_event(run, (step ->> 'seq')::integer,
    case when step ->> 'status' = 'succeeded' then 'tool.executed' else 'tool.error' end, payload,
      (step ->> 'agent_id')::uuid, true)));
end
$$;

-- Emits the event of a tool execution to the agent's owner and the swarm's owner and admins; with a grant, the agent's
-- owner gets it without content. Returns the data of the event.
create or replace function private.emit_tool_event(run public.runs, execution_id uuid) returns jsonb
language plpgsql volatile
as $$
declare
  payload json;
  done record;
  is_by_grant boolean;
begin
  -- What only the starter reads is in no event that others read.
  select x.*, p.input, p.output into done
  from public.tool_executions x left join public.tool_execution_payloads p on p.tool_execution_id = x.id
    and (p.private_to is null or not private.is_shared(run.swarm_id, run.user_id))
  where x.id = execution_id;
  is_by_grant := coalesce((select t.grant_id is not null from public.run_turns t where t.id = done.turn_id), false);
  done.output := to_jsonb(left(case jsonb_typeof(done.output) when 'string' then done.output #>> '{}'
    else done.output::text end, 2000));
  payload := case when done.error is null
    then json_build_object('tool_execution_id', done.id, 'tool_id', done.tool_id, 'tool_name', done.tool_name,
      'agent_id', done.agent_id, 'swarm_id', done.swarm_id, 'run_id', done.run_id, 'duration_ms', done.duration_ms,
      'input', done.input, 'output_preview', done.output, 'truncated', done.truncated)
    else json_build_object('tool_execution_id', done.id, 'tool_id', done.tool_id, 'tool_name', done.tool_name,
      'agent_id', done.agent_id, 'swarm_id', done.swarm_id, 'run_id', done.run_id, 'duration_ms', done.duration_ms,
      'input', done.input, 'output_preview', done.output, 'truncated', done.truncated, 'error', done.error) end;
  if done.status <> 'cancelled' and not private.is_hidden_swarm(run.swarm_id) then
    perform private.emit_event(case when done.status = 'succeeded' then 'tool.executed' else 'tool.error' end, payload,
      array(select m.user_id from public.swarm_members m
            where m.swarm_id = run.swarm_id and m.status = 'active' and m.role in ('owner', 'admin')
            union
            select a.user_id from public.agents a where a.id = done.agent_id and not is_by_grant));
    if is_by_grant then
      -- The owner of the agent learns that the tool was called, and nothing of the conversation.
      perform private.emit_event(case when done.status = 'succeeded' then 'tool.executed' else 'tool.error' end,
        (payload::jsonb || '{"input": null, "output_preview": null}'
          || case when done.error is null then '{}'
            else jsonb_build_object('error', private.render_error(done.error, done.id)) end)::json,
        array(select a.user_id from public.agents a where a.id = done.agent_id));
    end if;
  end if;
  return payload::jsonb || jsonb_build_object('turn_id', done.turn_id, 'status', done.status);
end
$$;

-- Ends an execution that waits, as denied or, without an answer of the client, as timed out. The caller has locked the
-- run. Returns false when the execution no longer waits.
create or replace function private.deny_tool(
  run public.runs, execution_id uuid, decided_by uuid, code text, message text
) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update public.tool_executions x
  set status = case deny_tool.code when 'CLIENT_TOOL_EXPIRED' then 'timed_out' else 'denied' end,
    decided_by = deny_tool.decided_by, finished_at = now(),
    error = jsonb_build_object('code', deny_tool.code, 'message', deny_tool.message, 'retryable', false)
  where x.id = deny_tool.execution_id and x.run_id = run.id and x.status in ('pending_approval', 'pending_client');
  if not found then
    return false;
  end if;
  perform private.append_run_event(run.id, 'tool.error', private.emit_tool_event(run, execution_id),
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
  grant_id uuid := step ->> 'grant_id';
  -- As at the end of a turn.
  is_model_hidden boolean := grant_id is not null and not exists (
    select 1 from public.agents a where a.id = (step ->> 'agent_id')::uuid and a.user_id = (step ->> 'payer_id')::uuid);
begin
  insert into public.usage_records (id, payer_id, user_id, swarm_id, run_id, agent_id, framework, model, input_tokens,
    cached_input_tokens, output_tokens, reasoning_tokens, cost_usd, estimated, grant_id)
  select (step ->> 'id')::uuid, u.id, run.user_id, private.get_billed_swarm(run.swarm_id), run.id,
    (step ->> 'agent_id')::uuid,
    case when is_model_hidden then 'hidden' else step ->> 'framework' end,
    case when is_model_hidden then 'hidden' else step ->> 'model' end,
    (usage ->> 'input_tokens')::bigint, (usage ->> 'cached_input_tokens')::bigint, (usage ->> 'output_tokens')::bigint,
    (usage ->> 'reasoning_tokens')::bigint, (usage ->> 'cost_usd')::numeric, (usage ->> 'estimated')::boolean,
    grant_id
  from auth.users u
  where u.id = (step ->> 'payer_id')::uuid
  on conflict (id) do nothing;
  if found and grant_id is not null and (usage ->> 'cost_usd')::numeric > 0 then
    perform private.add_grant_cost(grant_id, run.user_id, (usage ->> 'cost_usd')::numeric);
  end if;
  return jsonb_build_object('events', '[]'::jsonb);
end
$$;

-- Stores what a node needs to continue the run.
create or replace function private.save_progress(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
begin
  insert into private.run_progress as kept (run_id, progress) values (run.id, step -> 'progress')
  on conflict on constraint run_progress_pkey do update set progress = excluded.progress, saved_at = now();
  return jsonb_build_object('events', '[]'::jsonb);
end
$$;

-- Who decides on a tool call of an agent in a run: the starter where the tool acts for the starter; else whom the
-- assignment names, then the grant; else the owner of the agent.
create or replace function private.find_approver(run public.runs, agent_id uuid, execution jsonb) returns uuid
language plpgsql stable
as $$
begin
  if execution -> 'acts_for_starter' = 'true' or execution ->> 'approver' = 'asker' then
    return run.user_id;
  end if;
  return (select case when execution ->> 'approver' is null and sa.approver = 'asker' then run.user_id
            when a.user_id = run.user_id or exists (select 1 from public.swarm_members m
              where m.swarm_id = run.swarm_id and m.user_id = a.user_id and m.status = 'active') then a.user_id end
          from public.agents a
          left join private.list_speakers(run.swarm_id, run.user_id) as sa on sa.agent_id = a.id
          where a.id = find_approver.agent_id);
end
$$;

-- Denies a call that cannot wait: with its fault, or because too many runs of the starter wait. Returns the event.
create or replace function private.deny_wait(run public.runs, execution jsonb, seq integer, fault text) returns jsonb
language plpgsql volatile
as $$
begin
  update public.tool_executions x set status = 'denied', finished_at = now(),
    error = case when fault is null then jsonb_build_object('code', 'WAIT_LIMIT_REACHED', 'retryable', true,
        'message', 'Too many runs of this user wait already: go on without waiting.')
      else jsonb_build_object('code', 'SUB_TASK_REJECTED', 'retryable', false, 'message', fault) end
  where x.id = (execution ->> 'id')::uuid;
  return private.build_run_event(run, seq, 'tool.error', private.emit_tool_event(run, (execution ->> 'id')::uuid),
    (execution ->> 'agent_id')::uuid, true);
end
$$;

-- Has a tool call wait for a time, a signal, or a sub-task that begins now. A signal that came before ends the wait at
-- once. The call is denied if it `is_full`: too many runs of the starter wait. Returns the event, and what the run
-- waits for. A sub-task that begins has no event: its call goes on, as far as readers are concerned.
create or replace function private.begin_wait(run public.runs, execution jsonb, seq integer, is_full boolean,
  out event jsonb, out entry jsonb)
language plpgsql volatile
as $$
declare
  call_id uuid := execution ->> 'id';
  agent_id uuid := execution ->> 'agent_id';
  wait jsonb := execution -> 'wait';
  is_sub_task constant boolean := wait ->> 'kind' = 'sub_task';
  until timestamptz := case when not is_sub_task then least(now() + interval '366 days',
    coalesce((wait ->> 'until')::timestamptz, now() + (wait ->> 'seconds')::integer * interval '1 second')) end;
  fault text;
  kept private.run_signals;
begin
  if is_sub_task and not is_full then
    fault := private.begin_sub_task(run, execution);
  end if;
  if is_full or fault is not null then
    event := private.deny_wait(run, execution, seq, fault);
    return;
  end if;
  update public.tool_executions x set status = 'waiting', expires_at = until, decided_by = null where x.id = call_id;
  entry := jsonb_build_object('tool_execution_id', call_id, 'agent_id', agent_id,
    'tool_name', execution -> 'tool_name', 'until', until)
    || (wait - array['until', 'seconds', 'swarm_id', 'message', 'budget', 'traceparent']);
  if is_sub_task then
    return;
  end if;
  event := private.build_run_event(run, seq, 'tool.waiting',
    entry || jsonb_build_object('turn_id', execution -> 'turn_id'), agent_id);
  delete from private.run_signals n where n.id = (
    select first.id from private.run_signals first
    where first.name = wait ->> 'name' and (first.run_id = run.id
      or first.run_id in (select t.parent_run_id from private.list_outer_tasks(run.swarm_id) as t))
    order by first.id limit 1)
  returning n.* into kept;
  if kept.id is not null then
    perform private.end_wait(call_id, private.describe_signal(kept.name, kept.data, kept.sent_by, null,
      kept.created_at), null);
    entry := null;
  end if;
end
$$;

-- Pauses the run until tool calls are approved, have the result of the client, or have waited long enough: frees the
-- swarm, releases the lease and stores the progress. A run that has nothing to wait for continues at once. Calls that
-- wait without end are denied like waits when too many runs of the starter wait; the others make room by themselves.
create or replace function private.pause_run(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
declare
  execution jsonb;
  events jsonb := '[]';
  next_seq integer := (step ->> 'seq')::integer;
  speaker_id uuid;
  is_client boolean;
  until timestamptz;
  reader_id uuid;
  is_told boolean;
  begun record;
  waits jsonb := '[]';
  is_asking boolean := false;
  -- The runs that are counted are locked against others that begin to wait at the same time.
  is_full boolean := false;
begin
  -- Whoever cancels a run that works leaves it to the worker: one that then waited would wait for nothing.
  if exists (select 1 from private.run_leases l where l.run_id = run.id and l.cancel_requested_at is not null) then
    return jsonb_build_object('outcome', 'cancelled', 'events', '[]'::jsonb);
  end if;
  if step @? '$.executions[*] ? (exists (@.wait) || @.ttl_ms == 0)' and run.user_id is not null then
    perform pg_advisory_xact_lock(hashtextextended(run.user_id::text, 44));
    is_full := (select count(*) >= (step ->> 'max_waiting')::integer from public.runs r
      where r.user_id = run.user_id and r.status in ('requires_action', 'waiting'));
  end if;
  for execution in select value from jsonb_array_elements(step -> 'executions') loop
    if execution ? 'wait' then
      begun := private.begin_wait(run, execution, next_seq, is_full);
      waits := waits || coalesce(begun.entry, '[]');
      events := events || coalesce(begun.event, '[]');
      next_seq := next_seq + 1;
      continue;
    end if;
    speaker_id := (select a.id from public.agents a where a.id = (execution ->> 'agent_id')::uuid);
    is_client := coalesce(execution ->> 'status' = 'pending_client', false);
    reader_id := private.find_sole_reader(run, execution);
    is_told := reader_id is null or not private.is_shared(run.swarm_id, run.user_id);
    -- 0: without end.
    until := now() + nullif((execution ->> 'ttl_ms')::bigint, 0) * interval '1 millisecond';
    -- A call whose tool asks a person has its row since it began.
    insert into public.tool_executions (id, run_id, turn_id, swarm_id, agent_id, tool_id, tool_name, tool_call_id,
      status, started_at, expires_at, approver_id)
    values ((execution ->> 'id')::uuid, run.id, (execution ->> 'turn_id')::uuid, run.swarm_id, speaker_id,
      (select t.id from public.tools t where t.id = (execution ->> 'tool_id')::uuid), execution ->> 'tool_name',
      execution ->> 'tool_call_id', case when is_client then 'pending_client' else 'pending_approval' end,
      case when is_client then now() end, until,
      case when not is_client then private.find_approver(run, speaker_id, execution) end)
    on conflict (id) do update
      set status = excluded.status, expires_at = excluded.expires_at, approver_id = excluded.approver_id,
        decided_by = null;
    insert into public.tool_execution_payloads as p (tool_execution_id, swarm_id, agent_id, input, question, private_to)
    values ((execution ->> 'id')::uuid, run.swarm_id, speaker_id, execution -> 'input', execution -> 'question',
      reader_id)
    on conflict (tool_execution_id) do update set question = excluded.question, answer = null,
      private_to = coalesce(p.private_to, reader_id);
    if is_full and until is null then
      events := events || private.deny_wait(run, execution, next_seq, null);
      next_seq := next_seq + 1;
      continue;
    end if;
    is_asking := true;
    events := events || private.build_run_event(run, next_seq,
      case when is_client then 'tool.client_call' else 'tool.approval_required' end,
      jsonb_build_object('tool_execution_id', execution -> 'id', 'turn_id', execution -> 'turn_id',
        'agent_id', execution -> 'agent_id', 'tool_name', execution -> 'tool_name',
        'input', case when is_told then execution -> 'input' end,
        'expires_at', until) || case when is_client then jsonb_build_object('user_id', run.user_id) else '{}' end
        || case when is_told and execution #>> '{question,kind}' is distinct from 'connect' and execution ? 'question'
          then jsonb_build_object('question', execution -> 'question') else '{}' end,
      speaker_id, true);
    next_seq := next_seq + 1;
  end loop;
  perform private.save_progress(run, step);
  update public.runs r set status = case when is_asking then 'requires_action' else 'waiting' end,
    pending_waits = nullif(waits, '[]'), can_continue = not is_asking and waits = '[]'
  where r.id = run.id;
  if is_asking or waits @? '$[*] ? (@.kind != "sub_task")' then
    update private.sub_tasks t set is_announced = false where t.run_id = run.id;
  end if;
  -- The node that holds a call open continues it best, so its name stays on the lease.
  update private.run_leases l set expires_at = null,
    owner = case when step @> '{"executions": [{"is_held": true}]}' then l.owner end
  where l.run_id = run.id;
  return jsonb_build_object('events', events);
end
$$;
