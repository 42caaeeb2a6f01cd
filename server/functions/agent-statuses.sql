-- The status of an agent follows from its live turns; without any, from the end of the last one. A transaction that
-- changes turns also writes the status of those agents whose rows it can lock at once, and marks the others: their
-- status is written soon afterwards. So the runs of one agent do not wait for each other.
-- Whoever reads the live turns has locked the agent in an earlier statement: of two turns that end at the same time,
-- the one whose transaction has the lock may still see the other as live, and that other has left a mark.

-- Sets the run on whose behalf the statuses of agents change, for the events of webhooks. A single expression, which
-- PostgreSQL puts into the assignment that calls it.
create or replace function private.set_run_context(by_agent jsonb) returns jsonb language sql volatile
as $$
  select set_config('swarmbase.context',
    jsonb_build_object('acts_as_sender', true, 'by_agent', by_agent)::text, true)::jsonb
$$;

create or replace function private.build_status_change(agent_id uuid, before text, after text, reason text)
returns jsonb
language sql stable
as $$
  select jsonb_build_object('agent_id', agent_id, 'status', after, 'previous_status', before, 'reason', reason,
    'changed_at', now())
$$;

-- The status of an agent as its turns have it, apart from those that are `ending`; null without live turns. One row.
-- Plain SQL that returns rows, so that it becomes a part of the statement that calls it. Finds one turn of each status,
-- however many there are.
create or replace function private.find_live_status(agent_id uuid, ending uuid[]) returns table (status text)
language sql stable
as $$
  select coalesce(
    (select t.status from public.run_turns t
     where t.agent_id = find_live_status.agent_id and t.status = 'responding' and t.id <> all (ending) limit 1),
    (select t.status from public.run_turns t
     where t.agent_id = find_live_status.agent_id and t.status = 'thinking' and t.id <> all (ending) limit 1))
$$;

-- The status of an agent whose last turn ended for a reason.
create or replace function private.get_rest_status(reason text) returns text language sql immutable
as $$ select case when reason in ('run_failed', 'worker_lost') then 'error' else 'idle' end $$;

-- Marks the agents of turns that are not `held`: their status is to be written later, for the given reason or that of
-- the turn.
create or replace function private.mark_agents(turns jsonb, held uuid[], reason text) returns void
language plpgsql volatile
as $$
begin
  insert into private.agent_status_marks (agent_id, run_id, swarm_id, reason)
  select distinct on (e.agent_id) e.agent_id, e.run_id, e.swarm_id, coalesce(mark_agents.reason, e.reason)
  from jsonb_to_recordset(turns) as e (place integer, agent_id uuid, run_id uuid, swarm_id uuid, reason text)
  -- The agent of a turn that ends may have been deleted.
  where e.agent_id is not null and e.agent_id <> all (held)
  order by e.agent_id, e.place desc;
end
$$;

-- The live turns of a swarm that is deleted end with it.
create or replace function private.mark_agent_of_deleted_turn() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.agent_status_marks (agent_id, run_id, swarm_id, reason)
  values (old.agent_id, old.run_id, old.swarm_id, 'cancelled');
  return null;
end
$$;

-- Writes the statuses of agents that the caller has locked. `changes` has the status of each, and the run and the
-- reason for the events of webhooks.
create or replace function private.write_agent_statuses(ids uuid[], changes jsonb) returns boolean
language plpgsql volatile
as $$
declare
  context jsonb := private.set_run_context(changes);
begin
  update public.agents a set status = changes -> a.id::text ->> 'status' where a.id = any (ids);
  return true;
end
$$;

-- Changes the statuses of agents from one field of the plan to another, for the given reason or that of the plan. The
-- last of several turns of an agent decides.
create or replace function private.change_agent_statuses(plan jsonb, from_field text, to_field text, reason text)
returns boolean language plpgsql volatile
as $$
declare
  changes jsonb := '{}';
  ids uuid[] := '{}';
  step jsonb;
begin
  for i in 0 .. jsonb_array_length(plan) - 1 loop
    step := plan -> i;
    if step -> from_field <> step -> to_field and step -> 'agent_id' <> 'null' then
      ids := ids || (step ->> 'agent_id')::uuid;
      changes := changes || jsonb_build_object(step ->> 'agent_id', jsonb_build_object('run_id', step -> 'run_id',
        'swarm_id', step -> 'swarm_id', 'reason', coalesce(change_agent_statuses.reason, step ->> 'reason'),
        'status', step -> to_field));
    end if;
  end loop;
  return ids = '{}' or private.write_agent_statuses(ids, changes);
end
$$;

-- Writes the status of an agent after a change of one of its turns. Returns the change, or null without one.
create or replace function private.project_agent_status(run public.runs, agent_id uuid, reason text) returns jsonb
language plpgsql volatile
as $$
declare
  before text;
  after text;
  is_written boolean;
begin
  select a.status into before from public.agents a
  where a.id = project_agent_status.agent_id for no key update skip locked;
  if not found then
    insert into private.agent_status_marks (agent_id, run_id, swarm_id, reason)
    values (project_agent_status.agent_id, run.id, run.swarm_id, project_agent_status.reason);
    return null;
  end if;
  select coalesce(live.status, private.get_rest_status(project_agent_status.reason)) into after
  from private.find_live_status(project_agent_status.agent_id, '{}') as live;
  if after = before then
    return null;
  end if;
  is_written := private.write_agent_statuses(array[project_agent_status.agent_id],
    jsonb_build_object(project_agent_status.agent_id, jsonb_build_object('run_id', run.id, 'swarm_id', run.swarm_id,
      'reason', project_agent_status.reason, 'status', after)));
  return private.build_status_change(project_agent_status.agent_id, before, after, project_agent_status.reason);
end
$$;

-- Writes the statuses of agents that are marked, and returns how many changed. Nodes call it every second. A status
-- that no longer follows from live turns, such as one that the owner has set, stays.
create or replace function private.settle_agent_statuses() returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
set lock_timeout = '1s'
as $$
declare
  oldest uuid := (select m.agent_id from private.agent_status_marks m order by m.seq limit 1);
  locked uuid[];
  causes jsonb;
  changes jsonb;
  ids uuid[];
begin
  if oldest is null then
    return 0;
  end if;
  begin
    -- Waited for, because another run may always hold an agent that many people ask; nothing else is held meanwhile.
    perform 1 from public.agents a where a.id = oldest for no key update;
  exception when lock_not_available then
    raise debug 'agent % is settled later', oldest;
  end;
  locked := array(
    select a.id from public.agents a where a.id in (select m.agent_id from private.agent_status_marks m)
    for no key update skip locked);
  with settled as (
    delete from private.agent_status_marks m
    where m.agent_id = any (locked) or not exists (select 1 from public.agents a where a.id = m.agent_id)
    returning m.*)
  select jsonb_object_agg(s.agent_id, jsonb_build_object('run_id', s.run_id, 'swarm_id', s.swarm_id,
    'reason', s.reason) order by s.seq)
  into causes from settled s;
  select array_agg(a.id), jsonb_object_agg(a.id, causes -> a.id::text || jsonb_build_object('status', after.status))
  into ids, changes
  from public.agents a
  cross join lateral private.find_live_status(a.id, '{}') as live
  cross join lateral (select coalesce(live.status, case when a.status in ('thinking', 'responding')
    then private.get_rest_status(causes -> a.id::text ->> 'reason') else a.status end) offset 0) as after (status)
  where a.id = any (locked) and causes ? a.id::text and after.status <> a.status;
  if ids is null then
    return 0;
  end if;
  perform private.write_agent_statuses(ids, changes);
  return cardinality(ids);
end
$$;
grant execute on function private.settle_agent_statuses() to sb_service;
