-- How a run comes in, and how people steer it afterwards: admit, cancel, decide, follow. What is refused is raised, so that
-- nothing of the attempt stays; the error's detail is JSON with the code and, where there is one, a message per field.

create function private.refuse_call(code text, details jsonb default null) returns void language plpgsql
as $$
begin
  raise exception 'refused: %', code using errcode = 'SB126', detail = jsonb_build_object('code', code, 'details', details)::text;
end
$$;

-- Whoever is not in the swarm is not told whether there is one. Nothing is locked before that is known.
create function private.check_run_member(swarm_id uuid, user_id uuid, is_service boolean) returns void language plpgsql stable
as $$
declare
  member_role text;
begin
  if is_service then
    if not exists (select 1 from public.swarms s where s.id = check_run_member.swarm_id) then
      perform private.refuse_call('SWARM_NOT_FOUND');
    elsif not exists (select 1 from public.profiles p where p.id = check_run_member.user_id) then
      perform private.refuse_call('VALIDATION_ERROR', '{"user_id": "names nobody"}');
    end if;
    return;
  end if;
  select m.role into member_role from public.swarm_members m
  where m.swarm_id = check_run_member.swarm_id and m.user_id = check_run_member.user_id and m.status = 'active';
  if member_role is null then
    perform private.refuse_call('SWARM_NOT_FOUND');
  elsif member_role = 'viewer' then
    perform private.refuse_call('FORBIDDEN');
  end if;
end
$$;

-- The run that the same call has made before; null when there is none. A key is good for a day.
create function private.find_replayed_run(call jsonb) returns uuid language plpgsql stable
as $$
declare
  caller uuid := call ->> 'user_id';
  swarm uuid := call ->> 'swarm_id';
  used private.idempotency_keys;
  sent public.messages;
  replayed uuid;
begin
  select * into used from private.idempotency_keys k
  where k.user_id = caller and k.key = call ->> 'idempotency_key' and k.created_at > now() - interval '1 day' and k.run_id is not null;
  if found then
    if used.request_hash <> decode(call ->> 'request_hash', 'hex') then
      perform private.refuse_call('IDEMPOTENCY_KEY_REUSED');
    end if;
    return used.run_id;
  end if;
  select * into sent from public.messages m
  where m.swarm_id = swarm and m.sender_id = caller and m.client_message_id = call ->> 'client_message_id';
  if found then
    select r.id into replayed from public.runs r
    where r.swarm_id = swarm and r.message_id = sent.id order by r.created_at desc limit 1;
    if replayed is null or sent.content is distinct from call ->> 'message' then
      perform private.refuse_call('VALIDATION_ERROR', '{"client_message_id": "was used for another message"}');
    end if;
  end if;
  return replayed;
end
$$;

-- What has to be known before a run can be admitted: whether it was already, or else who could answer.
create function private.survey_swarm(call jsonb) returns json
-- Triggers and functions below are planned once for each search path that they are called under.
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  swarm uuid := call ->> 'swarm_id';
  replayed uuid;
begin
  perform private.check_run_member(swarm, (call ->> 'user_id')::uuid, (call ->> 'is_service')::boolean);
  replayed := private.find_replayed_run(call);
  if replayed is not null then
    return json_build_object('replayed_run_id', replayed);
  end if;
  perform private.check_swarm_answers(swarm, call -> 'agent_ids');
  return json_build_object('replayed_run_id', null, 'is_manager', (call ->> 'is_service')::boolean or exists (
    select 1 from public.swarm_members m
    where m.swarm_id = swarm and m.user_id = (call ->> 'user_id')::uuid and m.status = 'active' and m.role in ('owner', 'admin')),
  'own_agent_ids', array(select sa.agent_id from public.swarm_agents sa
                         where sa.swarm_id = swarm and sa.user_id = (call ->> 'user_id')::uuid),
  'agents', (
    select json_agg(json_build_object('id', a.id, 'name', a.name, 'framework', a.framework, 'model', a.model)
                    order by sa.position, sa.id)
    from public.swarm_agents sa join public.agents a on a.id = sa.agent_id
    where sa.swarm_id = swarm and sa.enabled));
end
$$;

create function private.check_swarm_answers(swarm_id uuid, agent_ids jsonb) returns void language plpgsql stable
as $$
declare
  enabled uuid[];
begin
  if not exists (select 1 from public.swarms s where s.id = check_swarm_answers.swarm_id and s.status = 'active') then
    perform private.refuse_call('SWARM_NOT_ACTIVE');
  end if;
  enabled := array(select sa.agent_id from public.swarm_agents sa
                   where sa.swarm_id = check_swarm_answers.swarm_id and sa.enabled);
  if jsonb_typeof(agent_ids) = 'array'
     and exists (select 1 from jsonb_array_elements_text(agent_ids) as named (id) where named.id::uuid <> all (enabled)) then
    perform private.refuse_call('VALIDATION_ERROR', '{"agent_ids": "names an agent that is not enabled in the swarm"}');
  elsif cardinality(enabled) = 0 then
    perform private.refuse_call('NO_AGENTS');
  end if;
end
$$;

create function private.budget_amount(value jsonb) returns numeric language sql immutable parallel safe
as $$ select case when jsonb_typeof(value) = 'number' and value::numeric >= 0 then value::numeric end $$;

-- A day is one of UTC. The payer is who the service role names, else the swarm's owner.
create function private.check_day_budgets(swarm public.swarms, payer_id uuid) returns void language plpgsql stable
as $$
declare
  today timestamptz := date_trunc('day', now(), 'UTC');
  own_tokens numeric;
  own_cost numeric;
  swarm_tokens numeric := private.budget_amount(swarm.settings -> 'budget' -> 'max_tokens_per_day');
  swarm_cost numeric := private.budget_amount(swarm.settings -> 'budget' -> 'max_cost_usd_per_day');
  is_spent boolean := false;
begin
  select s.daily_token_budget, s.daily_cost_budget_usd into own_tokens, own_cost
  from public.user_settings s where s.user_id = check_day_budgets.payer_id;
  if own_tokens is not null or own_cost is not null then
    select coalesce(coalesce(sum(u.input_tokens + u.output_tokens), 0) >= own_tokens, false)
        or coalesce(coalesce(sum(u.cost_usd), 0) >= own_cost, false) into is_spent
    from public.usage_records u where u.payer_id = check_day_budgets.payer_id and u.created_at >= today;
  end if;
  if not is_spent and (swarm_tokens is not null or swarm_cost is not null) then
    select coalesce(coalesce(sum(u.input_tokens + u.output_tokens), 0) >= swarm_tokens, false)
        or coalesce(coalesce(sum(u.cost_usd), 0) >= swarm_cost, false) into is_spent
    from public.usage_records u where u.swarm_id = swarm.id and u.created_at >= today;
  end if;
  if is_spent then
    perform private.refuse_call('BUDGET_EXCEEDED');
  end if;
end
$$;

-- One call, one transaction: the caller may, the swarm can, the queue has room; then the message, the run and its first events
-- are stored and the run is started when `owner` has room for it and nothing of its swarm comes first; the answer then has all that
-- private.load_run would tell. Calls with one key, or in one swarm, come after each other.
create function private.admit_run(call jsonb) returns json
language plpgsql volatile set search_path = pg_catalog, pg_temp
as $$
declare
  caller uuid := call ->> 'user_id';
  is_service boolean := call ->> 'is_service';
  new_run_id uuid := private.new_id();
  swarm public.swarms;
  replayed uuid;
  conflict text;
  waiting integer;
  front timestamptz;
  live uuid;
  sent public.messages;
  starts boolean;
  event_data jsonb[];
  event_types text[];
begin
  perform private.check_run_member((call ->> 'swarm_id')::uuid, caller, is_service);
  if call ->> 'idempotency_key' is not null then
    insert into private.idempotency_keys as used (user_id, key, request_hash)
    values (caller, call ->> 'idempotency_key', decode(call ->> 'request_hash', 'hex'))
    on conflict on constraint idempotency_keys_pkey do update
    set request_hash = excluded.request_hash, run_id = null, created_at = now()
    where used.created_at <= now() - interval '1 day' or used.run_id is null;
    if not found then
      return json_build_object('run_id', private.find_replayed_run(call), 'is_replay', true);
    end if;
  end if;
  select * into swarm from public.swarms s where s.id = (call ->> 'swarm_id')::uuid for no key update;
  if not found then
    perform private.refuse_call('SWARM_NOT_FOUND');
  end if;
  replayed := private.find_replayed_run(call - 'idempotency_key');
  if replayed is not null then
    update private.idempotency_keys k set run_id = replayed where k.user_id = caller and k.key = call ->> 'idempotency_key';
    return json_build_object('run_id', replayed, 'is_replay', true);
  end if;

  perform private.check_swarm_answers(swarm.id, call -> 'agent_ids');
  if call ->> 'reply_to_id' is not null
     and not exists (select 1 from public.messages m where m.swarm_id = swarm.id and m.id = (call ->> 'reply_to_id')::uuid) then
    perform private.refuse_call('VALIDATION_ERROR', '{"reply_to_id": "is not a message of this swarm"}');
  end if;
  perform private.check_day_budgets(swarm, case when is_service then caller else swarm.owner_id end);

  conflict := coalesce(call ->> 'on_conflict',
    case when swarm.settings ->> 'on_conflict' in ('enqueue', 'reject', 'interrupt') then swarm.settings ->> 'on_conflict' end,
    'enqueue');
  select count(*), min(r.queued_at) - interval '1 microsecond' into waiting, front
  from public.runs r where r.swarm_id = swarm.id and r.status = 'queued';
  select r.id into live from public.runs r where r.swarm_id = swarm.id and r.status = 'running';
  if waiting >= (call ->> 'queue_limit')::integer or (conflict = 'reject' and (live is not null or waiting > 0)) then
    perform private.refuse_call('SWARM_BUSY');
  end if;
  if conflict = 'interrupt' and live is not null then
    -- The swarm may be set so that everybody interrupts; else who could not cancel the run does not interrupt it.
    if call ->> 'on_conflict' is not null and not is_service and not exists (
         select 1 from public.swarm_members m join public.runs r on r.id = live
         where m.swarm_id = swarm.id and m.user_id = caller and m.status = 'active'
           and (m.role in ('owner', 'admin') or r.user_id = caller or swarm.settings ->> 'on_conflict' = 'interrupt')) then
      perform private.refuse_call('FORBIDDEN');
    end if;
    perform private.request_cancel(live, 'interrupted');
  end if;

  perform set_config('swarmbase.context', jsonb_build_object('run_id', new_run_id, 'actor', case
    when is_service then '{"type": "service", "id": null}' else jsonb_build_object('type', 'user', 'id', caller) end)::text, true);
  insert into public.messages (swarm_id, sender_type, sender_user_id, content, reply_to_id, mentions, metadata, client_message_id)
  values (swarm.id, 'user', caller, call ->> 'message', (call ->> 'reply_to_id')::uuid,
    array(select jsonb_array_elements_text(call -> 'mentions')::uuid), coalesce(nullif(call -> 'metadata', 'null'), '{}'),
    call ->> 'client_message_id')
  returning * into sent;
  -- As private.start_run decides it, which is what everybody else goes through.
  starts := call ->> 'owner' is not null and live is null and waiting = 0
    and pg_try_advisory_xact_lock(hashtextextended(swarm.id::text, 25))
    and not exists (select 1 from public.runs r where r.swarm_id = swarm.id and r.status = 'running')
    and not exists (select 1 from public.runs r
                    where r.swarm_id = swarm.id and r.status in ('queued', 'requires_action') and private.is_run_claimable(r));
  -- Who interrupts comes before those who wait.
  insert into public.runs (id, swarm_id, user_id, message_id, strategy, request, queued_at, status, started_at)
  values (new_run_id, swarm.id, caller, sent.id, swarm.strategy, call -> 'request',
    case when conflict = 'interrupt' then least(front, now()) else now() end,
    case when starts then 'running' else 'queued' end, case when starts then now() end);
  insert into private.run_leases (run_id, owner, fence, expires_at)
  values (new_run_id, case when starts then call ->> 'owner' end, starts::integer,
    case when starts then now() + (call ->> 'lease_ms')::integer * interval '1 millisecond' end);
  if call ->> 'idempotency_key' is not null then
    update private.idempotency_keys k set run_id = new_run_id
    where k.user_id = caller and k.key = call ->> 'idempotency_key';
  end if;
  event_types := array['message.created', case when starts then 'run.started' else 'run.queued' end];
  event_data := array[
    jsonb_build_object('run_id', new_run_id, 'swarm_id', swarm.id, 'message_id', sent.id, 'message', to_jsonb(sent)),
    jsonb_build_object('run_id', new_run_id, 'swarm_id', swarm.id) || case
      when starts then '{"status": "running", "is_resumed": false}'
      else jsonb_build_object('status', 'queued', 'position', waiting + 1) end];
  insert into public.run_events (run_id, seq, swarm_id, restricted, type, data)
  select new_run_id, e.seq, swarm.id, false, e.type, e.data
  from unnest(event_types, event_data) with ordinality as e (type, data, seq);
  return json_build_object('run_id', new_run_id, 'is_replay', false, 'fence', case when starts then 1 end,
    'scene', case when starts then private.load_run(new_run_id, 1) end,
    'interrupted_run_id', case when conflict = 'interrupt' then live end, 'events', (
      select json_agg(json_build_object('run_id', new_run_id, 'seq', e.seq, 'type', e.type, 'agent_id', null, 'restricted', false,
        'data', e.data) order by e.seq)
      from unnest(event_types, event_data) with ordinality as e (type, data, seq)));
end
$$;

-- Whose streams go on, and with what they may show. Asked when somebody begins to follow and then again every few seconds, for
-- all at once. A follower without a user is the service role.
create function private.judge_followers(followers jsonb)
returns table (follower integer, swarm_id uuid, status text, is_manager boolean, agent_ids uuid[])
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select f.follower, r.swarm_id, r.status, f.user_id is null or m.role in ('owner', 'admin'),
    -- An agent that took over the id of a deleted one is none of those that spoke.
    array(select sa.agent_id from public.swarm_agents sa
          join public.agents a on a.id = sa.agent_id and a.created_at <= r.created_at
          where sa.swarm_id = r.swarm_id and sa.user_id = f.user_id)
  from jsonb_to_recordset(followers)
    as f (follower integer, run_id uuid, user_id uuid, session_id uuid, inactivity_seconds integer)
  join public.runs r on r.id = f.run_id
  left join public.swarm_members m on m.swarm_id = r.swarm_id and m.user_id = f.user_id and m.status = 'active'
  where f.user_id is null
    or (m.id is not null
        and exists (select 1 from auth.users u
                    where u.id = f.user_id and u.deleted_at is null and coalesce(u.banned_until <= now(), true))
        and (f.session_id is null
             or exists (select 1 from auth.sessions s
                        where s.id = f.session_id and s.user_id = f.user_id and coalesce(s.not_after > now(), true)
                          and (coalesce(f.inactivity_seconds, 0) = 0
                               or coalesce(s.refreshed_at, s.created_at) + make_interval(secs => f.inactivity_seconds) > now()))))
$$;

-- The run, for somebody who wants to steer it. Whoever may not see it is not told that it is there.
create function private.lock_run_for(run_id uuid, user_id uuid, is_service boolean, out run public.runs, out member_role text)
language plpgsql volatile
as $$
begin
  select m.role into member_role from public.runs r
  join public.swarm_members m on m.swarm_id = r.swarm_id and m.user_id = lock_run_for.user_id and m.status = 'active'
  where r.id = lock_run_for.run_id;
  if not is_service and member_role is null then
    perform private.refuse_call('RUN_NOT_FOUND');
  end if;
  select * into run from public.runs r where r.id = lock_run_for.run_id for no key update;
  if not found then
    perform private.refuse_call('RUN_NOT_FOUND');
  end if;
end
$$;

-- A run that works is told to stop and does so by itself; one that nobody carries out ends here and now.
create function private.request_cancel(run_id uuid, reason text) returns void language plpgsql volatile
as $$
declare
  run public.runs;
begin
  perform 1 from public.swarms s
  where s.id = (select r.swarm_id from public.runs r where r.id = request_cancel.run_id) for key share;
  select r.* into run from public.runs r where r.id = request_cancel.run_id for no key update;
  if not found or run.status in ('completed', 'partial', 'failed', 'cancelled') then
    return;
  end if;
  update private.run_leases l
  set cancel_requested_at = coalesce(l.cancel_requested_at, now()), cancel_reason = coalesce(l.cancel_reason, request_cancel.reason)
  where l.run_id = request_cancel.run_id;
  if run.status <> 'running' then
    perform private.close_run(run, 'cancelled', case reason when 'interrupted' then 'interrupted' else 'cancelled' end, null,
      case reason when 'interrupted' then 'interrupted' else 'cancelled' end, 'cancelled');
  end if;
end
$$;

-- The caller of a run and those who run the swarm may end it. Ending one that has ended changes nothing.
create function private.cancel_run(run_id uuid, user_id uuid, is_service boolean) returns json language plpgsql volatile
as $$
declare
  steered record;
begin
  select * into steered from private.lock_run_for(cancel_run.run_id, cancel_run.user_id, is_service);
  if not is_service and (steered.member_role is null
      or (steered.member_role not in ('owner', 'admin') and (steered.run).user_id is distinct from cancel_run.user_id)) then
    perform private.refuse_call('FORBIDDEN');
  end if;
  perform private.request_cancel(cancel_run.run_id, 'cancelled');
  return private.run_body(cancel_run.run_id);
end
$$;

-- Only the agent's owner decides, each tool call once and in time, and either all of the decisions hold or none.
create function private.decide_tool_executions(call jsonb) returns json language plpgsql volatile
as $$
declare
  caller uuid := call ->> 'user_id';
  steered record;
  decision record;
  execution record;
begin
  select * into steered
  from private.lock_run_for((call ->> 'run_id')::uuid, caller, (call ->> 'is_service')::boolean);
  for decision in
    select item.ordinality - 1 as place, (item.value ->> 'tool_execution_id')::uuid as id, (item.value ->> 'approved')::boolean as approved,
      item.value ->> 'reason' as reason
    from jsonb_array_elements(call -> 'decisions') with ordinality as item (value, ordinality)
  loop
    select x.status, x.expires_at, a.user_id into execution from public.tool_executions x
    left join public.agents a on a.id = x.agent_id
    where x.id = decision.id and x.swarm_id = (steered.run).swarm_id and x.run_id = (steered.run).id
    for no key update of x;
    if not found then
      perform private.refuse_call('VALIDATION_ERROR', jsonb_build_object(
        format('decisions.%s.tool_execution_id', decision.place), 'is not a tool execution of this run'));
    elsif execution.user_id is distinct from caller then
      perform private.refuse_call('FORBIDDEN');
    elsif execution.status <> 'pending_approval' then
      perform private.refuse_call('APPROVAL_DECIDED');
    elsif execution.expires_at <= now() then
      perform private.refuse_call('APPROVAL_EXPIRED');
    end if;
    if decision.approved then
      update public.tool_executions x set status = 'running', decided_by = caller where x.id = decision.id;
    else
      perform private.deny_tool(steered.run, decision.id, caller, 'TOOL_DENIED',
        coalesce(nullif(decision.reason, ''), 'The agent''s owner denied the call'));
    end if;
  end loop;
  return private.run_body((steered.run).id);
end
$$;

grant execute on function private.refuse_call(text, jsonb), private.check_run_member(uuid, uuid, boolean),
  private.find_replayed_run(jsonb), private.survey_swarm(jsonb), private.check_swarm_answers(uuid, jsonb),
  private.budget_amount(jsonb), private.check_day_budgets(public.swarms, uuid), private.admit_run(jsonb),
  private.judge_followers(jsonb), private.lock_run_for(uuid, uuid, boolean), private.request_cancel(uuid, text),
  private.cancel_run(uuid, uuid, boolean), private.decide_tool_executions(jsonb) to sb_service;
