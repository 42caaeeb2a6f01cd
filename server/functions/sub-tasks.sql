-- Sub-tasks: conversations that calls of tools of the kind `swarm` begin, each with one run.

-- The sub-task of a conversation and those around it, the innermost first.
create or replace function private.list_outer_tasks(swarm_id uuid) returns setof private.sub_tasks
language sql stable rows 3
as $$
  with recursive around as (
    select t.* from private.sub_tasks t where t.swarm_id = list_outer_tasks.swarm_id
    union all
    select t.* from around a join private.sub_tasks t on t.swarm_id = a.parent_swarm_id)
  select * from around
$$;

-- The runs of the sub-tasks below a run, at any depth.
create or replace function private.list_sub_runs(run_id uuid) returns setof uuid
language sql stable rows 5
as $$
  with recursive below as (
    select t.run_id from private.sub_tasks t where t.parent_run_id = list_sub_runs.run_id
    union all
    select t.run_id from below b join private.sub_tasks t on t.parent_run_id = b.run_id)
  select b.run_id from below b
$$;
grant execute on function private.list_sub_runs(uuid) to sb_service;

-- On which terms an agent answers whose owner is no member of the swarm: by a grant that the sender holds, with the
-- transcripts with which a private conversation began. In a sub-task, while the agent that has called the tool may
-- still answer where it did so, the agents of its owner answer on its terms, and those of the starter as their own:
-- they may have no grant, and a row with an agent alone. Null: the agent does not answer.
create or replace function private.find_terms(place public.swarm_agents, owner_id uuid, sender_id uuid)
returns public.agent_grants language plpgsql stable
as $$
declare
  task record;
  caller record;
  held public.agent_grants;
begin
  select t.parent_swarm_id, t.agent_id, t.owner_id, p.transcripts into task
  from (select place.swarm_id) as asked (id)
  left join private.sub_tasks t on t.swarm_id = asked.id
  left join private.private_swarms p on p.swarm_id = asked.id;
  if task.parent_swarm_id is null then
    return private.find_grant(place.agent_id, sender_id, task.transcripts);
  end if;
  select sa.grant_id into caller from private.list_speakers(task.parent_swarm_id, sender_id) as sa
  where sa.agent_id = task.agent_id;
  if not found then
    return null;
  elsif find_terms.owner_id not in (task.owner_id, sender_id) then
    return private.find_grant(place.agent_id, sender_id);
  elsif find_terms.owner_id = task.owner_id then
    select g.* into held from public.agent_grants g where g.id = caller.grant_id;
    held.agent_version := null;
  end if;
  held.agent_id := place.agent_id;
  return held;
end
$$;

-- Why a call cannot begin a sub-task with the agents of a swarm, or null.
create or replace function private.find_sub_task_fault(run public.runs, agent_id uuid, owner_id uuid,
  template public.swarms)
returns text language plpgsql stable
as $$
begin
  return case
    when run.user_id is null or not private.is_starter_active(run)
      then 'The person who asks may not start runs any more.'
    when template.owner_id is distinct from find_sub_task_fault.owner_id or template.parent_run_id is not null
      then 'The tool names no swarm of its owner.'
    when template.status <> 'active' then 'The swarm of the tool is not active.'
    when template.id = run.swarm_id or exists (
        select 1 from private.list_outer_tasks(run.swarm_id) as t
        where template.id in (t.template_id, t.parent_swarm_id))
      then 'The swarm of the tool is at work already: it cannot be a sub-task of itself.'
    when (select count(*) >= 3 from private.list_outer_tasks(run.swarm_id))
      then 'A sub-task can begin others only up to a depth of three.'
    when exists (
        select 1 from public.swarm_agents sa join public.agents a on a.id = sa.agent_id
        where sa.swarm_id = template.id and sa.enabled and a.user_id not in (template.owner_id, run.user_id)
          and (private.find_grant(sa.agent_id, run.user_id)).id is null)
      then 'The swarm of the tool has an agent that may not answer the person who asks.'
    when not exists (select 1 from private.list_speakers(run.swarm_id, run.user_id) as sa
                     where sa.agent_id = find_sub_task_fault.agent_id and sa.user_id = template.owner_id)
      then 'The agent may not answer the person who asks.' end;
end
$$;

-- A tool names a swarm of its owner. Whether one of somebody else exists is not told: the trigger follows the row-level
-- rules, so that nobody tries it with a tool in the name of others.
create or replace function private.check_swarm_of_tool() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if new.config is distinct from old.config and new.config ? 'swarm_id' and not exists (
       select 1 from public.swarms s
       where s.id = private.parse_uuid(new.config ->> 'swarm_id') and s.owner_id = new.owner_id
         and s.parent_run_id is null) then
    raise exception 'swarm_id names no swarm of the owner of the tool'
      using errcode = 'check_violation', schema = 'public', table = 'tools', column = 'config',
            constraint = 'tools_config_swarm';
  end if;
  return null;
end
$$;

-- Creates the conversation of a sub-task: the swarm of the tool with its agents, without its messages, members and
-- history. An agent that is being deleted is left out, so that this transaction waits for nobody.
create or replace function private.create_sub_task_swarm(run public.runs, template public.swarms) returns uuid
language plpgsql volatile
as $$
declare
  swarm uuid := private.new_id();
begin
  insert into private.hidden_swarms (swarm_id, user_id) values (swarm, run.user_id);
  insert into public.swarms (id, owner_id, name, description, strategy, settings, parent_run_id)
  values (swarm, run.user_id, template.name, template.description, template.strategy,
    template.settings - array['auto_respond', 'on_conflict', 'a2a_published'], run.id);
  with free as (
    select a.id from public.agents a
    where a.id in (select sa.agent_id from public.swarm_agents sa where sa.swarm_id = template.id and sa.enabled)
    order by a.id for key share skip locked)
  insert into public.swarm_agents (swarm_id, agent_id, position, role_override)
  select swarm, sa.agent_id, sa.position, sa.role_override from public.swarm_agents sa
  where sa.swarm_id = template.id and sa.enabled and sa.agent_id in (select free.id from free);
  update public.swarms s set coordinator_agent_id = template.coordinator_agent_id
  where s.id = swarm and exists (select 1 from public.swarm_agents sa
    where sa.swarm_id = swarm and sa.agent_id = template.coordinator_agent_id);
  return swarm;
end
$$;

-- The conversation of a sub-task goes with the run that began it.
create or replace function private.delete_sub_task_swarm() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.swarms s where s.id = old.swarm_id;
  return null;
end
$$;

-- Who reads a sub-task: a starter who owns all of its agents, or their owner where the owner reads the conversation
-- around it.
create or replace function private.find_sub_task_reader(run public.runs, swarm_id uuid, owner_id uuid) returns uuid
language plpgsql stable
as $$
begin
  if exists (select 1 from public.swarm_agents sa join public.agents a on a.id = sa.agent_id
             where sa.swarm_id = find_sub_task_reader.swarm_id
               and a.user_id <> find_sub_task_reader.owner_id) then
    return null;
  end if;
  return case when run.user_id = owner_id
      or exists (select 1 from private.private_swarms p where p.swarm_id = run.swarm_id and p.transcripts = 'owner')
      or exists (select 1 from private.sub_tasks t
                 where t.swarm_id = run.swarm_id and t.reader_id = find_sub_task_reader.owner_id)
    then owner_id end;
end
$$;

-- Begins the sub-task of a tool call, in the transaction in which the outer run begins to wait for it: the two cannot
-- come apart. The run of the sub-task is admitted like any other, with the session, the key and the payer of the outer
-- one. Returns why it cannot begin, or null.
create or replace function private.begin_sub_task(run public.runs, execution jsonb) returns text
language plpgsql volatile
as $$
declare
  wait constant jsonb := execution -> 'wait';
  caller_id constant uuid := execution ->> 'agent_id';
  new_run_id constant uuid := private.new_id();
  tool_owner constant uuid := (select t.owner_id from public.tools t where t.id = (execution ->> 'tool_id')::uuid);
  template public.swarms;
  terms record;
  lease private.run_leases;
  task private.sub_tasks;
  fault text;
  answer json;
begin
  select s.* into template from public.swarms s where s.id = private.parse_uuid(wait ->> 'swarm_id');
  fault := private.find_sub_task_fault(run, caller_id, tool_owner, template);
  if fault is not null then
    return fault;
  end if;
  select sa.grant_id, sa.payer_id into terms from private.list_speakers(run.swarm_id, run.user_id) as sa
  where sa.agent_id = caller_id;
  if private.is_grant_spent(terms.grant_id, run.user_id) then
    return 'The cost that the owner of the agent allows for a day is used up.';
  end if;
  select l.* into lease from private.run_leases l where l.run_id = run.id;
  select t.* into task from private.sub_tasks t where t.swarm_id = run.swarm_id;
  task.payer_id := coalesce(terms.payer_id, (run.request ->> 'payer_id')::uuid, task.payer_id,
    (select s.owner_id from public.swarms s where s.id = run.swarm_id));
  task.swarm_id := private.create_sub_task_swarm(run, template);
  insert into private.sub_tasks (swarm_id, run_id, tool_execution_id, parent_run_id, parent_swarm_id, root_swarm_id,
    depth, template_id, agent_id, owner_id, payer_id, reader_id)
  values (task.swarm_id, new_run_id, (execution ->> 'id')::uuid, run.id, run.swarm_id,
    coalesce(task.root_swarm_id, run.swarm_id), coalesce(task.depth, 0) + 1, template.id, caller_id, tool_owner,
    task.payer_id, private.find_sub_task_reader(run, task.swarm_id, tool_owner));
  answer := private.admit_runs(jsonb_build_array(jsonb_build_object('place', 0, 'run_id', new_run_id,
    'sent_id', private.new_id(), 'swarm_id', task.swarm_id, 'agent_id', null, 'user_id', run.user_id,
    'is_service', true, 'payer_id', task.payer_id, 'outer_grant_id', terms.grant_id, 'message', wait -> 'message',
    'agent_ids', null, 'reply_to_id', null, 'mentions', '[]'::jsonb, 'metadata', '{}'::jsonb,
    'client_message_id', null, 'speaker_ids', null, 'has_place', false, 'first_turn', null,
    'session_id', lease.session_id, 'aal', lease.aal, 'api_key_id', lease.api_key_id,
    'request', jsonb_strip_nulls(jsonb_build_object('source', 'sub_task', 'parent_run_id', run.id,
      'payer_id', run.request -> 'payer_id', 'budget', wait -> 'budget', 'traceparent', wait -> 'traceparent')))),
    null, 0, 1);
  if answer #>> '{others,0,rejection}' is not null then
    perform private.reject_admission((answer #> '{others,0,rejection}')::jsonb);
  end if;
  update public.tool_executions x set sub_run_id = new_run_id where x.id = (execution ->> 'id')::uuid;
  return null;
exception when sqlstate 'SB126' or check_violation then
  -- Undoes the conversation as well.
  return 'The sub-task was rejected: ' || case sqlstate when 'SB126' then substr(sqlerrm, 11) else sqlerrm end || '.';
end
$$;

-- Tells the readers of the runs around sub-tasks that these wait for somebody. Not in the transaction in which a
-- sub-task begins to wait: who cancels a run locks it before those of its sub-tasks. One of which a run is locked comes
-- again.
create or replace function private.announce_waiting_tasks(max_rows integer) returns void language plpgsql volatile
as $$
declare
  waiting private.sub_tasks;
  task private.sub_tasks;
  open_ids uuid[];
begin
  for waiting in select t.* from private.sub_tasks t where not t.is_announced order by t.run_id limit max_rows loop
    open_ids := array(select r.id from public.runs r
      where r.id in (select t.parent_run_id from private.list_outer_tasks(waiting.swarm_id) as t)
      order by r.id for no key update skip locked);
    continue when cardinality(open_ids) < waiting.depth;
    for task in select t.* from private.list_outer_tasks(waiting.swarm_id) as t loop
      perform private.append_run_event(x.run_id, 'tool.waiting', jsonb_build_object('tool_execution_id', x.id,
        'turn_id', x.turn_id, 'agent_id', x.agent_id, 'tool_name', x.tool_name, 'kind', 'sub_task', 'until', null),
        x.agent_id, false)
      from public.tool_executions x where x.id = task.tool_execution_id and x.status = 'waiting';
    end loop;
    update private.sub_tasks t set is_announced = true where t.swarm_id = waiting.swarm_id;
  end loop;
end
$$;

-- Gives the call of the tool its result when the run of its sub-task has ended: the last whole answer. Returns false
-- when another transaction has locked the outer run. Such a call is found again by private.sweep_runs: a transaction
-- that ends an outer run has it locked, and waits for the runs of its sub-tasks.
create or replace function private.answer_sub_task(sub_run public.runs) returns boolean language plpgsql volatile
as $$
declare
  task private.sub_tasks;
  answer text;
begin
  select t.* into task from private.sub_tasks t where t.run_id = sub_run.id;
  perform 1 from public.runs r where r.id = task.parent_run_id for no key update skip locked;
  if not found then
    return false;
  end if;
  if sub_run.status in ('completed', 'partial') then
    answer := (
      select m.content from public.run_turns t join public.messages m on m.id = t.message_id
      where t.swarm_id = sub_run.swarm_id and t.run_id = sub_run.id and t.status = 'completed'
      order by m.seq desc limit 1);
  end if;
  if answer is null then
    update public.tool_executions x
    set error = jsonb_build_object('code', 'SUB_TASK_FAILED', 'retryable', false,
      'message', 'The sub-task has ended without an answer: ' || sub_run.stop_reason || '.')
    where x.id = task.tool_execution_id and x.status = 'waiting';
  end if;
  return private.end_wait(task.tool_execution_id, to_jsonb(coalesce(answer, '')), null);
end
$$;

create or replace function private.end_sub_task() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform private.answer_sub_task(new);
  return null;
end
$$;
