-- More of what most runs do, for many at once; and ends that were not told whole.

-- What private.survey_swarm tells, of many calls that name no agents and have no key. Those in whose way anything stands are left
-- out: that function knows what to say.
create function private.survey_swarms(batch jsonb) returns json
language plpgsql stable set search_path = pg_catalog, pg_temp
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
begin
  return (
    select json_agg(json_build_object('place', e.place, 'survey', json_build_object('replayed_run_id', null,
      'is_manager', m.role in ('owner', 'admin'),
      'own_agent_ids', array(select sa.agent_id from public.swarm_agents sa where sa.swarm_id = s.id and sa.user_id = e.user_id),
      'strategy', s.strategy, 'coordinator_agent_id', s.coordinator_agent_id, 'settings', s.settings, 'agents', room.agents)))
    from jsonb_to_recordset(batch) as e (place integer, swarm_id uuid, user_id uuid)
    join public.swarms s on s.id = e.swarm_id and s.status = 'active'
    join public.swarm_members m on m.swarm_id = s.id and m.user_id = e.user_id and m.status = 'active' and m.role <> 'viewer'
    cross join lateral (
      select json_agg(json_build_object('id', a.id, 'name', a.name, 'framework', a.framework, 'model', a.model, 'position', sa.position)
                      order by sa.position, sa.created_at, a.id) as agents
      from public.swarm_agents sa join public.agents a on a.id = sa.agent_id
      where sa.swarm_id = s.id and sa.enabled) as room
    where room.agents is not null);
end
$$;
grant execute on function private.survey_swarms(jsonb) to sb_service;

-- Admits many calls that are as plain as most are: one agent begins, and nothing of its swarm or of the agent is under way. What
-- it leaves out of its answer, nothing was written for: private.admit_run says what is to become of it. Waits for nobody.
create function private.admit_runs(batch jsonb, owner text, lease_ms integer) returns json
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
-- Planned for as many rows as a batch may have, which must not read whole tables, or a whole room, for the sake of a few.
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
-- Whatever somebody manages to lock after all: everybody of the batch then comes alone, and only who has to wait waits.
set plan_cache_mode = force_generic_plan set lock_timeout = '100ms'
as $$
declare
  held uuid[];
  unwritten uuid[];
  taken uuid[];
  speaker_ids uuid[];
  contexts jsonb;
  answers json;
begin
  held := array(
    select s.id
    from jsonb_to_recordset(batch) as e (swarm_id uuid, user_id uuid, agent_id uuid)
    join public.swarms s on s.id = e.swarm_id and s.status = 'active' and not s.settings ?| array['budget', 'moderation']
    join public.agents a on a.id = e.agent_id
    where exists (select 1 from public.swarm_members m
                  where m.swarm_id = s.id and m.user_id = e.user_id and m.status = 'active' and m.role <> 'viewer')
      and not exists (select 1 from public.user_settings u
                      where u.user_id = s.owner_id and (u.daily_token_budget is not null or u.daily_cost_budget_usd is not null))
    for no key update of s, a skip locked);
  -- Who starts a run of a swarm holds this lock: what is seen below it is so until the end of the transaction.
  held := array(select h.id from unnest(held) as h (id) where pg_try_advisory_xact_lock(hashtextextended(h.id::text, 25)));
  -- Who writes to a swarm holds its counter, and may take long over it.
  unwritten := array(select c.swarm_id from private.message_counters c where c.swarm_id = any (held) for no key update skip locked);
  held := array(select h.id from unnest(held) as h (id)
                where h.id = any (unwritten) or not exists (select 1 from private.message_counters c where c.swarm_id = h.id));
  if held = '{}' then
    return null;
  end if;
  select array_agg(e.swarm_id), array_agg(e.agent_id),
    jsonb_object_agg(e.agent_id, jsonb_build_object('run_id', e.run_id, 'swarm_id', e.swarm_id))
  into taken, speaker_ids, contexts
  from jsonb_to_recordset(batch) as e (run_id uuid, swarm_id uuid, agent_id uuid, speaker_ids uuid[])
  where e.swarm_id = any (held)
    and not exists (select 1 from public.runs r where r.swarm_id = e.swarm_id and r.status = 'running')
    and not exists (select 1 from public.runs r where r.swarm_id = e.swarm_id and r.status in ('queued', 'requires_action'))
    and not exists (select 1 from public.run_turns t where t.agent_id = e.agent_id and t.status in ('queued', 'thinking', 'responding'))
    -- Who would begin was found out before this transaction: it must still be so.
    and e.speaker_ids = array(
      select sa.agent_id from public.swarm_agents sa
      where sa.swarm_id = e.swarm_id and sa.enabled and private.may_agent_speak(sa.swarm_id, sa.user_id)
      order by sa.position, sa.created_at, sa.agent_id);
  if taken is null then
    return null;
  end if;

  perform set_config('swarmbase.context', private.context_by_agent(contexts, 'run_started'), true);
  insert into public.messages (id, swarm_id, sender_type, sender_user_id, content, mentions, metadata)
  select e.sent_id, e.swarm_id, 'user', e.user_id, e.message, e.mentions, e.metadata
  from jsonb_to_recordset(batch) as e (sent_id uuid, swarm_id uuid, user_id uuid, message text, mentions uuid[], metadata jsonb)
  where e.swarm_id = any (taken)
  order by e.swarm_id;
  with asked as materialized (
    select e.run_id, e.sent_id, e.user_id, e.request, e.turn_id, e.reply_id, s.id as swarm_id, s.strategy, a.id as agent_id,
      a.name as agent_name, a.framework, coalesce(a.model, e.default_models ->> a.framework, 'default') as model, a.status,
      jsonb_build_object('name', a.name, 'role', coalesce(sa.role_override, a.role), 'framework', a.framework, 'model', a.model,
        'system_prompt', a.system_prompt, 'settings', a.settings) as config,
      jsonb_build_object('id', a.id, 'user_id', a.user_id, 'tools', private.agent_toolbox(a.id, a.user_id)) as own,
      to_jsonb(m) as message
    from jsonb_to_recordset(batch) as e (run_id uuid, sent_id uuid, swarm_id uuid, user_id uuid, request jsonb, turn_id uuid,
      reply_id uuid, agent_id uuid, default_models jsonb)
    join public.swarms s on s.id = e.swarm_id
    join public.swarm_agents sa on sa.swarm_id = e.swarm_id and sa.agent_id = e.agent_id
    join public.agents a on a.id = e.agent_id
    join public.messages m on m.id = e.sent_id
    where e.swarm_id = any (taken)
  ), begun as (
    insert into public.runs (id, swarm_id, user_id, message_id, strategy, request, status, started_at)
    select e.run_id, e.swarm_id, e.user_id, e.sent_id, e.strategy, e.request, 'running', now() from asked e
  ), leased as (
    insert into private.run_leases (run_id, owner, fence, expires_at)
    select e.run_id, admit_runs.owner, 1, now() + admit_runs.lease_ms * interval '1 millisecond' from asked e
  ), opened as (
    insert into public.run_turns (id, run_id, swarm_id, agent_id, agent_name, position, status, framework, model, message_id, started_at)
    select e.turn_id, e.run_id, e.swarm_id, e.agent_id, e.agent_name, 0, 'thinking', e.framework, e.model, e.reply_id, now() from asked e
  ), noted as (
    insert into private.turn_snapshots (turn_id, config)
    select e.turn_id, e.config || jsonb_build_object('tools', private.tools_without_secrets(e.own -> 'tools')) from asked e
  ), changed as (
    update public.agents a set status = 'thinking' where a.id = any (speaker_ids) and a.status <> 'thinking'
  ), shown as materialized (
    select e.run_id, e.swarm_id, happened.seq, happened.agent_id, happened.type,
      jsonb_build_object('run_id', e.run_id, 'swarm_id', e.swarm_id) || happened.data as data
    from asked e
    cross join lateral (values
      (1, 'message.created', null::uuid, jsonb_build_object('message_id', e.sent_id, 'message', e.message)),
      (2, 'run.started', null, '{"status": "running", "is_resumed": false}'),
      (3, 'turn.started', e.agent_id, jsonb_build_object('turn_id', e.turn_id, 'message_id', e.reply_id, 'agent_id', e.agent_id,
        'agent_name', e.agent_name, 'model', e.model)),
      (4, 'agent.status_changed', e.agent_id, case when e.status <> 'thinking' then jsonb_build_object('agent_id', e.agent_id,
        'status', 'thinking', 'previous_status', e.status, 'reason', 'run_started', 'changed_at', now()) end))
      as happened (seq, type, agent_id, data)
    where happened.data is not null
  ), kept as (
    insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data)
    select s.run_id, s.seq, s.swarm_id, s.agent_id, false, s.type, s.data from shown s
  )
  select json_agg(json_build_object('run_id', e.run_id, 'agent', e.config || e.own, 'events', (
      select json_agg(json_build_object('seq', s.seq, 'type', s.type, 'agent_id', s.agent_id, 'restricted', false, 'data', s.data)
                      order by s.seq)
      from shown s where s.run_id = e.run_id)))
  into answers from asked e;
  -- What private.load_run and private.read_transcript tell, of runs that have just begun and have no budget to keep to. The
  -- messages come column by column, the latest first, so that types are looked up once for each column and not for each row.
  return json_build_object('runs', answers, 'has_events', exists (select 1 from private.events), 'scenes', (
    select json_agg(json_build_object('scene', json_build_object(
        'run', json_build_object('id', e.run_id, 'swarm_id', s.id, 'user_id', e.user_id, 'message_id', e.sent_id,
          'strategy', s.strategy, 'request', e.request),
        'last_seq', 4,
        'swarm', json_build_object('id', s.id, 'name', s.name, 'status', s.status, 'owner_id', s.owner_id,
          'coordinator_agent_id', s.coordinator_agent_id, 'settings', s.settings),
        'message', e.message, 'agents', room.agents, 'people', room.people, 'payer_id', s.owner_id, 'payer_budget', null,
        'spent_by_payer', nothing.spent, 'spent_in_swarm', nothing.spent, 'progress', null, 'decisions', '[]'::json),
      'messages', room.messages))
    from jsonb_to_recordset(batch) as e (run_id uuid, swarm_id uuid, user_id uuid, sent_id uuid, request jsonb, message text,
      speaker_ids uuid[], history_limit integer)
    join public.swarms s on s.id = e.swarm_id
    cross join lateral (select
      (select json_agg(json_build_object('id', a.id, 'name', a.name, 'role', coalesce(sa.role_override, a.role), 'position', sa.position,
                         'framework', a.framework, 'model', a.model, 'settings', a.settings)
                       order by array_position(e.speaker_ids, a.id))
       from public.swarm_agents sa join public.agents a on a.id = sa.agent_id
       where sa.swarm_id = s.id and sa.agent_id = any (e.speaker_ids)) as agents,
      (select json_agg(json_build_object('id', m.user_id,
           'name', coalesce(nullif(p.full_name, ''), 'User ' || left(m.user_id::text, 8))) order by m.joined_at, m.id)
       from (select * from public.swarm_members m where m.swarm_id = s.id and m.status = 'active'
             order by m.joined_at, m.id limit 50) as m
       left join public.profiles p on p.id = m.user_id) as people,
      (select json_build_object('id', array_agg(n.id), 'seq', array_agg(n.seq), 'sender_type', array_agg(n.sender_type),
           'sender_id', array_agg(n.sender_id), 'sender_name', array_agg(n.sender_name), 'content', array_agg(n.content),
           'reply_to_id', array_agg(n.reply_to_id), 'run_id', array_agg(n.run_id))
       from (select m.id, m.seq, m.sender_type, m.sender_id, m.sender_name, m.content, m.reply_to_id, m.run_id,
               sum(coalesce(octet_length(m.content), 0)) over (order by m.seq desc) - coalesce(octet_length(m.content), 0) as newer_bytes
             from (select * from public.messages m where m.swarm_id = s.id order by m.seq desc limit e.history_limit) as m) as n
       where n.newer_bytes < 4000000) as messages) as room
    cross join (select json_build_object('tokens', 0, 'cost_usd', 0)) as nothing (spent)
    where e.swarm_id = any (taken)));
end
$$;

-- Ends many runs that came to an ordinary end: one turn, which spoke, without tools. Waits for nobody and takes only what is as
-- plain as it should be; whatever it leaves out of its answer, nothing was written for. Of those it takes, it does what
-- private.finish_turn and private.finish_run do, in the same order, for all at once.
create function private.end_runs(batch jsonb) returns json
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
-- Planned for as many rows as a batch may have, which must not read whole tables for the sake of a few.
set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off set plan_cache_mode = force_generic_plan
set lock_timeout = '100ms'
as $$
declare
  held uuid[];
  taken uuid[];
  speaker_ids uuid[];
  silent_ids uuid[];
  before jsonb;
  contexts jsonb;
  answers json;
begin
  held := array(
    select r.id
    from jsonb_to_recordset(batch) as e (run_id uuid, fence bigint, agent_id uuid)
    join private.run_leases l on l.run_id = e.run_id and l.fence = e.fence and l.cancel_requested_at is null
    -- Where speakers are chosen by a model, that is used too.
    join public.runs r on r.id = e.run_id and r.status = 'running' and r.strategy <> 'selector'
    join public.swarms s on s.id = r.swarm_id and not s.settings ? 'moderation'
    join public.agents a on a.id = e.agent_id
    for key share of s skip locked for no key update of r, a skip locked);
  -- Who writes to a swarm holds its counter, and may take long over it.
  held := array(
    select r.id from public.runs r join private.message_counters c on c.swarm_id = r.swarm_id
    where r.id = any (held)
    for no key update of c skip locked);
  if held = '{}' then
    return null;
  end if;
  -- Looked at once the locks are held: an agent that speaks elsewhere too keeps the status which that gives it.
  select array_agg(t.run_id), array_agg(a.id), array_agg(a.id) filter (where a.status <> 'responding'),
    jsonb_object_agg(a.id, a.status), jsonb_object_agg(a.id, jsonb_build_object('run_id', t.run_id, 'swarm_id', t.swarm_id))
  into taken, speaker_ids, silent_ids, before, contexts
  from jsonb_to_recordset(batch) as e (run_id uuid, turn_id uuid)
  join public.run_turns t on t.id = e.turn_id and t.run_id = e.run_id and t.status in ('thinking', 'responding')
  join public.agents a on a.id = t.agent_id
  where t.run_id = any (held)
    and not exists (select 1 from public.run_turns o
                    where o.agent_id = t.agent_id and o.status in ('queued', 'thinking', 'responding') and o.id <> t.id)
    and not exists (select 1 from public.run_turns o where o.swarm_id = t.swarm_id and o.run_id = t.run_id and o.id <> t.id)
    and not exists (select 1 from public.tool_executions x where x.turn_id = t.id);
  if taken is null then
    return null;
  end if;

  if silent_ids is not null then
    -- Short as it was, everybody who watches the agent is to see it.
    perform set_config('swarmbase.context', private.context_by_agent(contexts, 'first_token'), true);
    update public.agents a set status = 'responding' where a.id = any (silent_ids);
  end if;
  perform set_config('swarmbase.context', private.context_by_agent(contexts, 'run_completed'), true);
  insert into public.messages (id, swarm_id, sender_type, sender_agent_id, sender_name, content, run_id, turn_id, finish_reason)
  select t.message_id, t.swarm_id, 'agent', t.agent_id, t.agent_name, left(e.content, 100000), t.run_id, t.id, e.finish_reason
  from jsonb_to_recordset(batch) as e (run_id uuid, turn_id uuid, content text, finish_reason text)
  join public.run_turns t on t.id = e.turn_id
  where e.run_id = any (taken)
  order by t.swarm_id;
  update public.agents a set status = 'idle' where a.id = any (speaker_ids);

  with asked as materialized (
    select e.*
    from jsonb_to_recordset(batch) as e (run_id uuid, turn_id uuid, seq integer, end_seq integer, deltas jsonb, finish_reason text,
      stop_reason text, warnings jsonb, attempts integer, framework text, model text, first_token_ms integer, duration_ms integer,
      input_tokens bigint, cached_input_tokens bigint, output_tokens bigint, reasoning_tokens bigint, cost_usd numeric,
      estimated boolean, payer_id uuid)
    where e.run_id = any (taken)
  ), turned as (
    update public.run_turns t
    set status = 'completed', finish_reason = e.finish_reason, warnings = e.warnings, attempts = e.attempts, framework = e.framework,
      model = e.model, first_token_ms = coalesce(t.first_token_ms, e.first_token_ms), duration_ms = e.duration_ms,
      input_tokens = e.input_tokens, cached_input_tokens = e.cached_input_tokens, output_tokens = e.output_tokens,
      reasoning_tokens = e.reasoning_tokens, estimated = e.estimated, cost_usd = e.cost_usd, finished_at = now()
    from asked e where t.id = e.turn_id
    returning t.*, private.usage_body(t.input_tokens, t.cached_input_tokens, t.output_tokens, t.cost_usd, t.estimated) as usage
  ), ended as (
    update public.runs r
    set status = 'completed', stop_reason = e.stop_reason, finished_at = now(), turn_count = 1, usage = to_jsonb(t.usage)
    from asked e join turned t on t.id = e.turn_id where r.id = e.run_id
    returning r.id, r.swarm_id, r.user_id, r.message_id, r.stop_reason, r.created_at, r.finished_at
  ), freed as (
    update private.run_leases l set owner = null, expires_at = null where l.run_id = any (taken)
  ), used as (
    insert into public.usage_records (payer_id, user_id, swarm_id, run_id, turn_id, agent_id, framework, model, input_tokens,
      cached_input_tokens, output_tokens, reasoning_tokens, cost_usd, estimated)
    select u.id, r.user_id, t.swarm_id, t.run_id, t.id, t.agent_id, t.framework, t.model, t.input_tokens,
      t.cached_input_tokens, t.output_tokens, t.reasoning_tokens, t.cost_usd, t.estimated
    from turned t
    join asked e on e.turn_id = t.id
    join ended r on r.id = t.run_id
    join auth.users u on u.id = e.payer_id
  ), told as materialized (
    select e.seq, e.end_seq, e.deltas, t.run_id, t.swarm_id, t.agent_id, t.id as turn_id, t.agent_name, t.finish_reason, t.usage,
      t.warnings, m.id as message_id, to_jsonb(m) as message, before ->> t.agent_id::text as status_before,
      json_build_object(
        'run_id', r.id, 'swarm_id', r.swarm_id, 'status', 'completed', 'stop_reason', r.stop_reason,
        'message', (select row_to_json(q) from public.messages q where q.id = r.message_id),
        'responses', json_build_array(json_build_object(
          'message', row_to_json(m), 'agent_id', m.sender_id, 'agent_name', t.agent_name, 'turn_id', t.id,
          'framework', t.framework, 'model', t.model, 'finish_reason', t.finish_reason, 'usage', t.usage,
          'first_token_ms', t.first_token_ms, 'duration_ms', t.duration_ms, 'tool_executions', '[]'::json, 'warnings', t.warnings)),
        'errors', '[]'::json, 'usage', t.usage, 'pending_approvals', null, 'created_at', r.created_at, 'completed_at', r.finished_at) as body
    from turned t
    join asked e on e.turn_id = t.id
    join ended r on r.id = t.run_id
    join public.messages m on m.id = t.message_id
  ), shown as materialized (
    select s.run_id, s.swarm_id, happened.seq, s.agent_id, happened.type,
      jsonb_build_object('run_id', s.run_id, 'swarm_id', s.swarm_id) || happened.data as data
    from told s
    cross join lateral (values
      (s.seq, 'agent.status_changed', case when s.status_before <> 'responding' then jsonb_build_object('agent_id', s.agent_id,
        'status', 'responding', 'previous_status', s.status_before, 'reason', 'first_token', 'changed_at', now()) end),
      (s.seq + 1, 'message.created', jsonb_build_object('message_id', s.message_id, 'turn_id', s.turn_id, 'message', s.message)),
      (s.seq + 2, 'turn.completed', jsonb_build_object('turn_id', s.turn_id, 'agent_id', s.agent_id, 'agent_name', s.agent_name,
        'status', 'completed', 'finish_reason', s.finish_reason, 'usage', s.usage, 'warnings', s.warnings)),
      (s.seq + 4, 'agent.status_changed', jsonb_build_object('agent_id', s.agent_id, 'status', 'idle', 'previous_status', 'responding',
        'reason', 'run_completed', 'changed_at', now()))) as happened (seq, type, data)
    where happened.data is not null
  ), kept as (
    insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data)
    select s.run_id, s.seq, s.swarm_id, s.agent_id, false, s.type, s.data from shown s
    union all
    select t.run_id, t.end_seq, t.swarm_id, null, false, 'run.completed', t.body::jsonb from told t
    union all
    select t.run_id, d.seq, t.swarm_id, d.agent_id, d.restricted, d.type, d.data
    from told t cross join lateral jsonb_to_recordset(t.deltas)
      as d (seq integer, type text, agent_id uuid, restricted boolean, data jsonb)
  )
  select json_agg(json_build_object('run_id', t.run_id, 'body', t.body,
    'has_next', exists (select 1 from public.runs w where w.swarm_id = t.swarm_id and w.status in ('queued', 'requires_action')),
    'events', (
      select json_agg(json_build_object('seq', s.seq, 'type', s.type, 'agent_id', s.agent_id, 'restricted', false, 'data', s.data)
                      order by s.seq)
      from shown s where s.run_id = t.run_id)))
  into answers from told t;

  insert into private.events (type, data, audience)
  select 'swarm.completed', json_build_object('swarm_id', r.swarm_id, 'run_id', r.id, 'status', r.status, 'stop_reason', r.stop_reason,
      'message_id', r.message_id, 'response_message_ids', (select jsonb_agg(t.message_id) from public.run_turns t
        where t.swarm_id = r.swarm_id and t.run_id = r.id),
      'usage', r.usage, 'duration_ms', (extract(epoch from r.finished_at - r.created_at) * 1000)::bigint),
    room.audience
  from public.runs r
  cross join lateral (select private.swarm_audience(r.swarm_id)) as room (audience)
  where r.id = any (taken) and private.is_subscribed('swarm.completed', room.audience);
  return json_build_object('ended', answers, 'has_events', exists (select 1 from private.events));
end
$$;

grant execute on function private.admit_runs(jsonb, text, integer), private.end_runs(jsonb) to sb_service;

create or replace function private.sign_message()
returns trigger language plpgsql
as $$
begin
  if current_user in ('anon', 'authenticated') then
    new.sender_type := 'user';
    new.sender_user_id := auth.uid();
    new.sender_agent_id := null;
    new.run_id := null;
    new.turn_id := null;
    new.finish_reason := null;
    new.sender_name := null;
    new.edited_at := null;
    new.deleted_at := null;
    new.deleted_by := null;
    new.flagged := false;
  end if;
  if current_user in ('anon', 'authenticated', 'service_role') then
    new.created_at := now();
  elsif new.sender_deleted and new.sender_id is not null then
    -- The last words of an agent that was deleted while it spoke.
    return new;
  end if;
  new.sender_deleted := false;
  new.sender_id := case new.sender_type when 'user' then new.sender_user_id when 'agent' then new.sender_agent_id end;
  if new.sender_type in ('user', 'agent') and new.sender_id is null then
    raise exception 'a message needs its sender'
      using errcode = 'check_violation', schema = 'public', table = 'messages', column = 'sender_' || new.sender_type || '_id',
            constraint = 'messages_sender_' || new.sender_type || '_id_present';
  end if;
  return new;
end
$$;

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
    insert into public.messages (id, swarm_id, sender_type, sender_id, sender_agent_id, sender_name, sender_deleted, content, run_id, turn_id,
      finish_reason, metadata)
    values (turn.message_id, run.swarm_id, 'agent', speaker_id, turn.agent_id, turn.agent_name, turn.agent_id is null, said, run.id, turn.id,
      step ->> 'finish_reason', coalesce(nullif(step -> 'metadata', 'null'), '{}'))
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

-- Tells how the runs are now that it has ended, because ends are counted.
drop function private.sweep_runs(integer);
create function private.sweep_runs(max_rows integer, out ended text[], out denied integer)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  found_lease record;
  found_execution record;
  run public.runs;
begin
  ended := '{}';
  denied := 0;
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
      ended := ended || (select r.status from public.runs r where r.id = run.id);
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
    denied := denied + 1;
  end loop;
end
$$;
grant execute on function private.sweep_runs(integer) to sb_service;
