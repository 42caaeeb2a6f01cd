-- All writes of a run that is carried out, under the fence of its lease: advance_runs, which takes any number of runs.
-- Some parameters are rows of public.run_events; a migration that replaces this table drops the functions first.

-- Stores events. Callers assign the result, because PL/pgSQL evaluates an assignment at lower cost than a statement.
create or replace function private.insert_events(events public.run_events[]) returns boolean language plpgsql volatile
as $$
begin
  insert into public.run_events select e.* from unnest(events) as e;
  return true;
end
$$;

-- Stores the events of steps, and the events that came with them. Those that are stored already are left out: their
-- statement got no answer, or a crash could have undone it.
create or replace function private.insert_step_events(events public.run_events[], run_ids uuid[], swarm_ids uuid[],
  deltas jsonb[])
returns boolean language plpgsql volatile
as $$
begin
  insert into public.run_events
  select e.* from unnest(events) as e
  union all
  select r.id, d.seq, r.swarm_id, d.agent_id, d.restricted, d.type, d.data, now()
  from unnest(run_ids, swarm_ids, deltas) as r (id, swarm_id, deltas)
  cross join lateral jsonb_to_recordset(r.deltas)
    as d (seq integer, type text, agent_id uuid, restricted boolean, data jsonb)
  -- A subquery for each row: as a join, without statistics, it would read all events.
  where (select o.seq from public.run_events o where o.run_id = r.id and o.seq = d.seq) is null;
  return true;
end
$$;

-- The events of a step that was taken alone, as rows.
create or replace function private.read_events(run public.runs, events jsonb) returns public.run_events[]
language plpgsql stable
as $$
begin
  return array(
    select row(run.id, e.seq, run.swarm_id, e.agent_id, e.restricted, e.type, e.data, now())::public.run_events
    from jsonb_to_recordset(events) as e (seq integer, type text, agent_id uuid, restricted boolean, data jsonb));
end
$$;

create or replace function private.take_step(run public.runs, step jsonb, prompts jsonb) returns jsonb
language plpgsql volatile
as $$
begin
  case step ->> 'op'
    when 'turn_status' then return private.change_turn_status(run, step);
    when 'reset_text' then return private.reset_text(run, step);
    when 'start_tool' then return case when private.may_turn_continue(run, step) then private.start_tool(run, step)
      else '{"outcome": "gone", "events": []}' end;
    when 'finish_tool' then return private.finish_tool(run, step)
      || case when private.may_turn_continue(run, step) then '{}'::jsonb else '{"outcome": "gone"}' end;
    when 'resume_turn' then return private.resume_turn(run, step);
    when 'note_left_out' then return private.note_left_out(run, step);
    when 'add_usage' then return private.add_usage(run, step);
    when 'add_model_calls' then return private.add_model_calls(run, step, prompts);
    when 'settle_reservations' then return private.settle_reservations(run, step);
    when 'flag_messages' then return private.flag_messages(run, step);
    when 'pause' then return private.pause_run(run, step);
    when 'save_progress' then return private.save_progress(run, step);
  end case;
end
$$;

-- Takes the steps of runs. Those that begin or end a turn or a run are taken for all runs at once, since a statement
-- for many rows costs little more than one for one row; the others are taken one by one. `held_agents` are those whose
-- status may be written. `results`, `bodies` and `has_next` have one element for each run; `events` are those of the
-- steps that are taken at once.
create or replace function private.take_steps(runs public.runs[], steps jsonb[], prompts jsonb, held_agents uuid[],
  inout results jsonb[], inout stored public.run_events[], out events public.run_events[], out bodies json[],
  out has_next boolean[])
language plpgsql volatile
as $$
declare
  shared constant text[] := '{finish_turn,start_turn,finish_run}';
  taken integer[] := array_fill(0, array[cardinality(runs)]);
  batch jsonb;
  begun record;
  ended record;
  step jsonb;
  place integer;
  op integer;
  next_op integer;
begin
  events := '{}';
  bodies := array_fill(null::json, array[cardinality(runs)]);
  has_next := array_fill(null::boolean, array[cardinality(runs)]);
  loop
    next_op := null;
    for i in 1 .. cardinality(runs) loop
      while steps[i] -> taken[i] ->> 'op' <> all (shared) loop
        step := private.take_step(runs[i], steps[i] -> taken[i], prompts);
        results[i] := results[i] || jsonb_build_array(step);
        stored := stored || private.read_events(runs[i], step -> 'events');
        taken[i] := taken[i] + 1;
      end loop;
      op := array_position(shared, steps[i] -> taken[i] ->> 'op');
      continue when op is null or op > next_op;
      batch := case when op = next_op then batch else '[]' end
        || (steps[i] -> taken[i] || jsonb_build_object('place', i, 'run_id', runs[i].id, 'swarm_id', runs[i].swarm_id,
          'user_id', runs[i].user_id, 'agent_version', runs[i].request -> 'agent_version',
          'overrides', runs[i].request -> 'overrides'));
      next_op := op;
    end loop;
    exit when next_op is null;
    if next_op = 1 then
      events := events || private.finish_turns(batch, prompts, held_agents);
    elsif next_op = 2 then
      begun := private.begin_turns(batch, held_agents);
      events := events || begun.events;
      batch := begun.answers;
    else
      ended := private.finish_runs(batch);
      stored := stored || ended.events;
      for i in 1 .. cardinality(ended.places) loop
        bodies[ended.places[i]] := ended.bodies[i];
        has_next[ended.places[i]] := ended.has_next[i];
      end loop;
    end if;
    for i in 0 .. jsonb_array_length(batch) - 1 loop
      place := batch -> i -> 'place';
      results[place] := results[place] || case when next_op = 2 then jsonb_build_array(batch -> i) else '[{}]' end;
      taken[place] := taken[place] + 1;
    end loop;
  end loop;
end
$$;

-- Returns the results of steps that were committed before, or null when they were not. Steps are committed together, so
-- one stored event of a step proves that all were. Steps that produce no event are idempotent. `seqs` is the number of
-- seqs reserved for a step.
create or replace function private.find_committed_results(run public.runs, steps jsonb) returns jsonb[]
language plpgsql stable
as $$
declare
  step jsonb;
  result jsonb;
  results jsonb[] := '{}';
  is_stored boolean := false;
begin
  for step in select value from jsonb_array_elements(steps) loop
    result := jsonb_build_object('events', coalesce((
      select jsonb_agg(jsonb_build_object('seq', e.seq, 'type', e.type, 'agent_id', e.agent_id,
        'restricted', e.restricted, 'data', e.data) order by e.seq)
      from public.run_events e
      where e.run_id = run.id and e.seq >= (step ->> 'seq')::integer
        and e.seq < (step ->> 'seq')::integer + (step ->> 'seqs')::integer), '[]'));
    is_stored := is_stored or result -> 'events' <> '[]';
    if step ->> 'op' in ('start_turn', 'resume_turn') then
      result := case when exists (select 1 from public.run_turns t where t.id = (step ->> 'turn_id')::uuid)
        then private.resume_turn(run, step - 'restart') else '{"outcome": "gone"}' end || result;
    end if;
    results := results || result;
  end loop;
  return case when is_stored then results end;
end
$$;

-- Returns why a run was asked to stop, or null. A single expression, which PostgreSQL puts into the statement that uses
-- it.
create or replace function private.get_cancel_reason(lease private.run_leases) returns text language sql immutable
as $$ select case when lease.cancel_requested_at is not null then coalesce(lease.cancel_reason, 'cancelled') end $$;

-- Locks runs, and the swarms that they belong to against deletion. Returns the runs that are locked.
create or replace function private.lock_runs(batch jsonb, waits boolean) returns uuid[] language plpgsql volatile
as $$
begin
  if waits then
    return array(
      select r.id from jsonb_array_elements(batch) as e
      join public.runs r on r.id = (e.value ->> 'run_id')::uuid
      join public.swarms s on s.id = r.swarm_id
      for key share of s for no key update of r);
  end if;
  return array(
    select r.id from jsonb_array_elements(batch) as e
    join public.runs r on r.id = (e.value ->> 'run_id')::uuid
    join public.swarms s on s.id = r.swarm_id
    join private.run_leases l on l.run_id = r.id
    order by r.id
    for key share of s skip locked for no key update of r, l skip locked);
end
$$;

-- Locks what the steps of runs write to: the agents, and the counters of messages. `free` are the runs that can go on.
-- Where more than one run goes on, those are left out that need an agent which another transaction deletes, or a
-- counter which another transaction has.
create or replace function private.lock_steps(batch jsonb, locked uuid[], waits boolean, out free uuid[],
  out held_agents uuid[])
language plpgsql volatile
as $$
declare
  agents record := private.lock_agents(jsonb_path_query_array(batch, '$[*].steps[*].agent_id'), waits);
  busy uuid[];
begin
  free := locked;
  held_agents := agents.held;
  if waits then
    return;
  end if;
  busy := private.find_busy_counters(array(
    select r.swarm_id from public.runs r where r.id = any (locked)));
  free := array(
    select r.id from jsonb_array_elements(batch) as e
    join public.runs r on r.id = (e.value ->> 'run_id')::uuid
    where r.id = any (locked) and r.swarm_id <> all (busy)
      -- Agents that were deleted are in no other transaction's hands.
      and not exists (
        select 1 from jsonb_array_elements_text(jsonb_path_query_array(e.value, '$.steps[*].agent_id')) as step
        join public.agents a on a.id = step.value::uuid
        where a.id <> all (agents.kept)));
end
$$;

-- Returns what the turns read that runs began: the messages of the swarm since the seq that a run knows, and past
-- calls. Separate from the answer, so that the plan of the answer stays small for all other steps.
create or replace function private.read_conversations(runs public.runs[], steps jsonb[]) returns json[]
language plpgsql stable
as $$
declare
  turns jsonb;
  conversations json[] := array_fill(null::json, array[cardinality(runs)]);
begin
  for i in 1 .. cardinality(runs) loop
    turns := jsonb_path_query_array(steps[i], '$[*] ? (@.op == "start_turn")');
    if turns <> '[]' then
      conversations[i] := private.read_conversation(runs[i].id, runs[i].swarm_id, runs[i].user_id, turns,
        (turns -> -1 ->> 'after_seq')::bigint);
    end if;
  end loop;
  return conversations;
end
$$;

-- Returns the answers for runs whose steps were not taken: `lost` where the lease is another's or the run has ended,
-- `held` where a lock is taken.
create or replace function private.answer_untaken_runs(batch jsonb, taken integer[]) returns json[]
language plpgsql volatile
as $$
begin
  return array(
    select json_build_object('place', e.place,
      'outcome', case when l.fence is distinct from e.fence or r.status is distinct from 'running' then 'lost'
        else 'held' end,
      'cancel_reason', private.get_cancel_reason(l), 'results', null, 'body', null, 'has_next', null, 'events', null,
      'conversation', null)
    from jsonb_to_recordset(batch) as e (place integer, run_id uuid, fence bigint)
    left join private.run_leases l on l.run_id = e.run_id
    left join public.runs r on r.id = e.run_id
    where e.place <> all (taken));
end
$$;

-- Returns the answer to advance_runs: `untaken`, and one answer for each run whose steps were taken. A run that began a
-- turn gets what its turns read; a run that ended gets its body.
create or replace function private.answer_taken_runs(untaken json[], places integer[], run_ids uuid[], results jsonb[],
  bodies json[], has_next boolean[], cancel_reasons text[], events public.run_events[], conversations json[],
  is_durable boolean)
returns json language plpgsql volatile
as $$
begin
  return json_build_object('has_events', exists (select 1 from private.events), 'is_durable', is_durable,
    'runs', untaken || array(
    select json_build_object('place', t.place, 'outcome', 'taken', 'cancel_reason', t.cancel_reason,
      'results', t.results, 'body', t.body, 'has_next', t.has_next,
      'events', (
        select json_agg(json_build_object('seq', v.seq, 'type', v.type, 'agent_id', v.agent_id, 'restricted', false,
          'data', v.data) order by v.seq)
        from unnest(events) as v where v.run_id = t.run_id),
      'conversation', t.conversation)
    from unnest(places, run_ids, results, bodies, has_next, cancel_reasons, conversations)
      as t (place, run_id, results, body, has_next, cancel_reason, conversation)));
end
$$;

-- Takes the steps of runs, all steps of a run or none, for the node that holds the lease. Returns one answer for each
-- run, by place: `lost` where the lease is another's or the run has ended, `held` where a lock is taken. One run waits
-- for locks; more than one never do. Locks are taken in the order of decision 0005 over the whole set. The prompts of
-- all model calls are in the first element, by the id of the call, and not in the steps, which are copied several
-- times.
create or replace function private.advance_runs(batch jsonb) returns json
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_material = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  waits boolean := jsonb_array_length(batch) = 1;
  locks record;
  runs public.runs[];
  places integer[];
  steps jsonb[];
  results jsonb[];
  sent jsonb[];
  conversations json[];
  run_ids uuid[];
  swarm_ids uuid[];
  deltas jsonb[];
  cancel_reasons text[];
  untaken json[] := '{}';
  is_stored boolean;
  -- A crash may undo the other steps: a later one implies what they change, and the node stores their events again.
  is_durable boolean := batch @? '$[*].steps[*] ? (!(@.op == "turn_status" || @.op == "resume_turn"
    || @.op == "add_model_calls" || @.op == "save_progress"))';
  taken record;
begin
  if not waits then
    -- Whatever is waited for all the same fails the statement, and the runs come again one by one.
    perform set_config('lock_timeout', '100ms', true);
  end if;
  locks := private.lock_steps(batch, private.lock_runs(batch, waits), waits);
  select array_agg(f.run), array_agg(e.place), array_agg(case when recall.results is null then e.steps else '[]' end),
    array_agg(coalesce(recall.results, '[]')), array_agg(e.run_id), array_agg((f.run).swarm_id), array_agg(e.events),
    array_agg(e.steps), array_agg(private.get_cancel_reason(l))
  into runs, places, steps, results, run_ids, swarm_ids, deltas, sent, cancel_reasons
  from jsonb_to_recordset(batch) as e (place integer, run_id uuid, fence bigint, steps jsonb, events jsonb,
    is_repeated boolean)
  join private.run_leases l on l.run_id = e.run_id and l.fence = e.fence
  -- One run for each row: as a plain join, the planner reads all live runs, which are few when the plan is made.
  cross join lateral (select r as run from public.runs r where r.id = e.run_id offset 0) as f
  cross join lateral (select case when e.is_repeated then to_jsonb(private.find_committed_results(f.run, e.steps)) end)
    as recall (results)
  where e.run_id = any (locks.free) and (f.run).status = 'running';
  if coalesce(cardinality(runs), 0) < jsonb_array_length(batch) then
    untaken := private.answer_untaken_runs(batch, coalesce(places, '{}'));
  end if;
  if runs is null then
    return private.answer_taken_runs(untaken, null, null, null, null, null, null, null, null, is_durable);
  end if;
  taken := private.take_steps(runs, steps, batch -> 0 -> 'prompts', locks.held_agents, results, '{}');
  is_stored := private.insert_step_events(taken.stored || taken.events, run_ids, swarm_ids, deltas);
  if not is_durable then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  if batch @? '$[*].steps[*] ? (@.op == "start_turn")' then
    conversations := private.read_conversations(runs, sent);
  end if;
  return private.answer_taken_runs(untaken, places, run_ids, taken.results, taken.bodies, taken.has_next,
    cancel_reasons, taken.events, conversations, is_durable);
end
$$;
grant execute on function private.advance_runs(jsonb) to sb_service;

-- Stores deltas of a node's runs, each under its own fence. Does not wait for locks: another transaction that holds a
-- run or its swarm is about to change it, and the node sends unstored deltas again. Idempotent. Waits for the disk only
-- if a run says `is_durable`. `after_seq` is an event of the run's last write, if that did not wait for the disk. When
-- a crash of the database has undone it, nothing is stored, and `has_gap` has the node send the earlier events too.
create or replace function private.store_deltas(batch jsonb) returns json
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  verdicts json;
begin
  if not batch @? '$[*] ? (@.is_durable == true)' then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  with asked as materialized (
    select a.run_id, a.fence, a.events, a.after_seq is not null and (
        select e.seq from public.run_events e where e.run_id = a.run_id and e.seq = a.after_seq) is null as has_gap
    from jsonb_to_recordset(batch) as a (run_id uuid, fence bigint, events jsonb, after_seq integer)
  ), held as materialized (
    select r.id, r.swarm_id, a.events
    from asked a
    join private.run_leases l on l.run_id = a.run_id and l.fence = a.fence
    join public.runs r on r.id = a.run_id and r.status = 'running'
    join public.swarms s on s.id = r.swarm_id
    where not a.has_gap
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
    'has_gap', a.has_gap,
    'is_lost', l.fence is distinct from a.fence or r.status is distinct from 'running',
    'cancel_reason', private.get_cancel_reason(l)))
  into verdicts
  from asked a
  left join held h on h.id = a.run_id
  left join public.runs r on r.id = a.run_id
  left join private.run_leases l on l.run_id = a.run_id;
  return coalesce(verdicts, '[]');
end
$$;
grant execute on function private.store_deltas(jsonb) to sb_service;

-- Returns the text of a turn that readers have up to a seq, or all of it. A part of the last row of deltas may belong
-- to it.
create or replace function private.read_turn_text(run_id uuid, turn_id uuid, up_to integer) returns text
language plpgsql stable
as $$
declare
  begun record;
begin
  select e.seq, e.data ->> 'text' as text into begun from public.run_events e
  where e.run_id = read_turn_text.run_id and e.type in ('message.reset', 'turn.restarted')
    and e.data ->> 'turn_id' = read_turn_text.turn_id::text and (up_to is null or e.seq <= up_to)
  order by e.seq desc limit 1;
  return concat(begun.text, (
    select string_agg(piece.value, '' order by e.seq, piece.ordinality)
    from public.run_events e
    cross join lateral jsonb_array_elements_text(e.data -> 'deltas') with ordinality as piece
    where e.run_id = read_turn_text.run_id and e.type = 'message.delta'
      and e.data ->> 'turn_id' = read_turn_text.turn_id::text and e.seq > coalesce(begun.seq, 0)
      and (up_to is null or (e.data ->> 'first_seq')::integer + piece.ordinality - 1 <= up_to)));
end
$$;

-- Ends a run whose node is lost, or that is cancelled while it waits. Keeps the text of its turns.
create or replace function private.close_run(run public.runs, status text, stop_reason text, error jsonb,
  finish_reason text, turn_reason text)
returns void language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  turn record;
  agents record;
  -- Above what a lost node may have shown.
  next_seq integer := (select coalesce(max(e.seq), 0) from public.run_events e where e.run_id = run.id) + 1
    + case when run.status = 'running' then private.max_unstored_seqs() else 0 end;
  outcome text := case when turn_reason = 'worker_lost' then 'failed' else 'cancelled' end;
  owned jsonb := jsonb_build_object('place', 1, 'run_id', run.id, 'swarm_id', run.swarm_id, 'user_id', run.user_id);
  final text;
  events public.run_events[] := '{}';
begin
  update private.run_leases l set fence = l.fence + 1, owner = null, expires_at = null where l.run_id = run.id;
  agents := private.lock_agents((
    select jsonb_agg(t.agent_id) from public.run_turns t
    where t.swarm_id = run.swarm_id and t.run_id = run.id and t.status in ('waiting', 'thinking', 'responding')), true);
  for turn in
    select t.id, t.agent_id, private.read_turn_text(run.id, t.id, null) as said
    from public.run_turns t
    where t.swarm_id = run.swarm_id and t.run_id = run.id and t.status in ('waiting', 'thinking', 'responding')
    order by t.position, t.id
  loop
    events := events || private.finish_turns(jsonb_build_array(owned || jsonb_build_object(
      'turn_id', turn.id, 'agent_id', turn.agent_id, 'seq', next_seq, 'status', outcome,
      'content', private.trim_whitespace(turn.said), 'finish_reason', close_run.finish_reason, 'metadata',
        '{"partial": true}'::jsonb,
      'error', close_run.error, 'reason', close_run.turn_reason, 'usage', private.sum_settled_usage(run.id, turn.id),
      'payer_id', (select b.payer_id from private.budget_reservations b
                   where b.run_id = run.id and b.turn_id = turn.id limit 1))), null, agents.held);
    next_seq := next_seq + 5;
  end loop;
  final := case when close_run.status = 'failed' and exists (
                  select 1 from public.run_turns t join public.messages m on m.id = t.message_id
                  where t.swarm_id = run.swarm_id and t.run_id = run.id) then 'partial'
                else close_run.status end;
  events := events || (private.finish_runs(jsonb_build_array(owned || jsonb_build_object(
    'seq', next_seq, 'status', final, 'stop_reason', close_run.stop_reason, 'error', close_run.error)))).events;
  perform private.insert_events(events);
end
$$;
grant execute on function private.close_run(public.runs, text, text, jsonb, text, text) to sb_service;

create or replace function private.close_cancelled_run(run public.runs, reason text) returns void
language plpgsql volatile
as $$
declare
  stop_reason text := case reason when 'interrupted' then 'interrupted' else 'cancelled' end;
begin
  perform private.close_run(run, 'cancelled', stop_reason, null, stop_reason, 'cancelled');
end
$$;
grant execute on function private.close_cancelled_run(public.runs, text) to sb_service;
