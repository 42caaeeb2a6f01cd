-- Budgets that hold across runs, swarms and nodes.

-- A negative budget counts as 0, not as no budget.
create or replace function private.parse_budget_amount(value jsonb) returns numeric language sql immutable parallel safe
as $$ select case when jsonb_typeof(value) = 'number' then greatest(value::numeric, 0) end $$;
grant execute on function private.parse_budget_amount(jsonb) to sb_service;

-- Returns the daily budgets of a user, if there are any: of the user's own and of those that the operator imposes, the
-- smaller ones. Both are null if only the number of runs is limited. A set-returning SQL function, so that PostgreSQL
-- inlines it.
create or replace function private.list_day_budgets(user_id uuid) returns table (max_tokens bigint,
  max_cost_usd numeric)
language sql stable
as $$
  select least(s.daily_token_budget, s.imposed_daily_token_budget)::bigint,
    least(s.daily_cost_budget_usd, s.imposed_daily_cost_budget_usd)
  from public.user_settings s
  where s.user_id = list_day_budgets.user_id
    and (s.daily_token_budget is not null or s.daily_cost_budget_usd is not null
      or s.imposed_daily_token_budget is not null or s.imposed_daily_cost_budget_usd is not null
      or s.imposed_daily_runs is not null)
$$;

-- Whether the payer has as many runs today as the operator permits. The runs are those that have called a model, which
-- a user cannot undo by deleting them; one of them can go on. Runs that begin at the same time are counted with the
-- reservations of their calls.
create or replace function private.is_run_limit_reached(payer_id uuid, run_id uuid) returns boolean
language plpgsql stable
as $$
declare
  most integer;
begin
  select s.imposed_daily_runs into most from public.user_settings s
  where s.user_id = is_run_limit_reached.payer_id;
  if most is null then
    return false;
  end if;
  return most <= (
    select count(distinct used.run_id)
    from (
      select u.run_id from public.usage_records u
      where u.payer_id = is_run_limit_reached.payer_id and u.created_at >= date_trunc('day', now(), 'UTC')
      union all
      select b.run_id from private.budget_reservations b
      where b.payer_id = is_run_limit_reached.payer_id
        and (b.usage is null or b.created_at >= date_trunc('day', now(), 'UTC'))) as used
    where used.run_id is distinct from is_run_limit_reached.run_id);
end
$$;

create or replace function private.has_budget(swarm public.swarms, payer_id uuid) returns boolean
language plpgsql stable
as $$
begin
  return coalesce(jsonb_typeof(swarm.settings -> 'budget') = 'object', false)
    or exists (select 1 from private.list_day_budgets(has_budget.payer_id));
end
$$;

-- The swarm to which usage is charged: that of a sub-task to the conversation in which a person has asked, so that it
-- counts in the budgets there. Inlined.
create or replace function private.get_billed_swarm(swarm_id uuid) returns uuid language sql stable
as $$
  select coalesce((select t.root_swarm_id from private.sub_tasks t where t.swarm_id = get_billed_swarm.swarm_id),
    get_billed_swarm.swarm_id)
$$;

-- Returns the smallest remainder of all budgets that apply: the payer's day, the swarm's day and, if a run is given,
-- the run itself, each with its sub-tasks, and the runs around a sub-task. Null means no limit. Days are UTC days: what
-- a run has used before it began to wait does not count for the days on which it waits. A single statement reads both
-- tables, so that usage which replaces a reservation counts once.
create or replace function private.compute_remaining_budget(
  swarm public.swarms, payer_id uuid, run public.runs, counts_open boolean, out tokens numeric, out cost_usd numeric)
language plpgsql stable
as $$
declare
  today timestamptz := date_trunc('day', now(), 'UTC');
  billed_id uuid := private.get_billed_swarm(swarm.id);
begin
  select min(budgets.max_tokens - spent.tokens), min(budgets.max_cost_usd - spent.cost_usd) into tokens, cost_usd
  from (
    select 'payer' as kind, d.max_tokens::numeric, d.max_cost_usd, null::uuid[] as run_ids, today as since
    from private.list_day_budgets(compute_remaining_budget.payer_id) as d
    union all
    select 'swarm', private.parse_budget_amount(s.settings -> 'budget' -> 'max_tokens_per_day'),
      private.parse_budget_amount(s.settings -> 'budget' -> 'max_cost_usd_per_day'), null, today
    from public.swarms s where s.id = billed_id
    union all
    select 'run', least(private.parse_budget_amount(s.settings -> 'budget' -> 'max_tokens'),
        private.parse_budget_amount(r.request -> 'budget' -> 'max_tokens')),
      least(private.parse_budget_amount(s.settings -> 'budget' -> 'max_cost_usd'),
        private.parse_budget_amount(r.request -> 'budget' -> 'max_cost_usd')),
      array(select r.id union all select private.list_sub_runs(r.id)), r.created_at
    from public.runs r join public.swarms s on s.id = r.swarm_id
    where r.id = run.id or r.id in (select t.parent_run_id from private.list_outer_tasks(swarm.id) as t)) as budgets
  cross join lateral (
    select coalesce(sum(used.tokens), 0) as tokens, coalesce(sum(used.cost_usd), 0) as cost_usd
    from (
      select u.input_tokens + u.output_tokens as tokens, u.cost_usd from public.usage_records u
      where budgets.kind = 'payer' and u.payer_id = compute_remaining_budget.payer_id and u.created_at >= today
      union all
      select u.input_tokens + u.output_tokens, u.cost_usd from public.usage_records u
      where budgets.kind <> 'payer' and u.swarm_id = billed_id and u.created_at >= budgets.since
        and (budgets.kind = 'swarm' or u.run_id = any (budgets.run_ids))
      union all
      select b.tokens, b.cost_usd from private.budget_reservations b
      where budgets.kind = 'payer' and b.payer_id = compute_remaining_budget.payer_id
        and case when b.usage is null then counts_open else b.created_at >= today end
      union all
      select b.tokens, b.cost_usd from private.budget_reservations b
      where budgets.kind = 'swarm' and b.swarm_id = billed_id
        and case when b.usage is null then counts_open else b.created_at >= today end
      union all
      select b.tokens, b.cost_usd from private.budget_reservations b
      where budgets.kind = 'run' and b.run_id = any (budgets.run_ids) and (counts_open or b.usage is not null))
      as used) as spent
  where budgets.max_tokens is not null or budgets.max_cost_usd is not null;
end
$$;

-- Reserves the estimated cost of a model call. Reduces max_output_tokens to what fits, and rejects the call when that
-- is less than least_output_tokens. Without a known price (input_cost_usd is null) only tokens limit the call, but a
-- spent money budget rejects it. A grant whose cost of the day is used up rejects it too; only calls in progress can
-- exceed that. Idempotent by id. Lock order: run, lease, payer, swarm.
create or replace function private.reserve_budget(call jsonb) returns json
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  payer uuid := call ->> 'payer_id';
  input numeric := (call ->> 'input_tokens')::numeric;
  wanted numeric := (call ->> 'max_output_tokens')::numeric;
  input_cost numeric := coalesce((call ->> 'input_cost_usd')::numeric, 0);
  output_cost numeric := coalesce((call ->> 'output_cost_usd')::numeric, 0);
  granted numeric := wanted;
  run public.runs;
  swarm public.swarms;
  remaining record;
  held private.budget_reservations;
  has_budget boolean;
  is_grant_spent boolean;
begin
  select r.* into run from public.runs r where r.id = (call ->> 'run_id')::uuid and r.status = 'running' for key share;
  -- Ending a run updates its lease before it deletes the reservations, so this lock prevents an insert after that
  -- delete.
  perform 1 from private.run_leases l where l.run_id = run.id and l.fence = (call ->> 'fence')::bigint for share;
  if not found then
    return json_build_object('outcome', 'lost', 'is_reserved', false, 'max_output_tokens', 0);
  end if;
  select s.* into swarm from public.swarms s where s.id = run.swarm_id;
  is_grant_spent := private.is_grant_spent((call ->> 'grant_id')::uuid, run.user_id);
  has_budget := run.request ? 'budget' or swarm.parent_run_id is not null or private.has_budget(swarm, payer);
  if is_grant_spent is null and not has_budget then
    return json_build_object('outcome', 'granted', 'is_reserved', false, 'max_output_tokens', wanted);
  end if;
  if has_budget then
    -- Serialises reservations of one payer and of one swarm with its sub-tasks.
    perform pg_advisory_xact_lock(hashtextextended(payer::text, 40));
    perform pg_advisory_xact_lock(hashtextextended(private.get_billed_swarm(swarm.id)::text, 40));
  end if;
  select b.* into held from private.budget_reservations b where b.id = (call ->> 'id')::uuid;
  if found then
    return json_build_object('outcome', 'granted', 'is_reserved', true, 'max_output_tokens', held.tokens - input);
  end if;
  if is_grant_spent or private.is_run_limit_reached(payer, run.id) then
    return json_build_object('outcome', 'refused', 'is_reserved', false, 'max_output_tokens', 0);
  end if;
  select * into remaining from private.compute_remaining_budget(swarm, payer, run, true);
  if remaining.tokens is not null then
    granted := least(granted, floor(remaining.tokens) - input);
  end if;
  if remaining.cost_usd <= 0 or input_cost > remaining.cost_usd then
    granted := 0;
  elsif remaining.cost_usd is not null and output_cost > 0 then
    granted := least(granted, floor((remaining.cost_usd - input_cost) * wanted / output_cost));
  end if;
  if granted < least(wanted, (call ->> 'least_output_tokens')::numeric) then
    return json_build_object('outcome', 'refused', 'is_reserved', false, 'max_output_tokens', 0);
  end if;
  insert into private.budget_reservations (id, run_id, swarm_id, payer_id, turn_id, framework, model, input_tokens,
    grant_id, user_id, tokens, cost_usd)
  values ((call ->> 'id')::uuid, run.id, private.get_billed_swarm(swarm.id), payer, (call ->> 'turn_id')::uuid,
    call ->> 'framework', call ->> 'model', input, (call ->> 'grant_id')::uuid, run.user_id, input + granted,
    input_cost + case when wanted > 0 then output_cost * granted / wanted else 0 end);
  return json_build_object('outcome', 'granted', 'is_reserved', true, 'max_output_tokens', granted);
end
$$;
grant execute on function private.reserve_budget(jsonb) to sb_service;

-- With usage: replaces the estimate by the real usage. Without: deletes the reservations, because the calls reached no
-- provider or the same transaction writes their usage record.
create or replace function private.settle_reservations(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
declare
  used jsonb := nullif(step -> 'usage', 'null');
  ids uuid[] := array(select given.id::uuid from jsonb_array_elements_text(step -> 'ids') as given (id));
begin
  if used is null then
    delete from private.budget_reservations b where b.id = any (ids) and b.run_id = run.id;
  else
    update private.budget_reservations b
    set usage = used, cost_usd = coalesce((used ->> 'cost_usd')::numeric, 0),
      tokens = coalesce((used ->> 'input_tokens')::bigint, 0) + coalesce((used ->> 'output_tokens')::bigint, 0)
    where b.id = any (ids) and b.run_id = run.id;
  end if;
  return jsonb_build_object('events', '[]'::jsonb);
end
$$;

-- Returns the sum of the settled calls of a turn whose node was lost. Null when none was settled.
create or replace function private.sum_settled_usage(run_id uuid, turn_id uuid) returns jsonb language sql stable
as $$
  select jsonb_build_object(
    'input_tokens', sum((b.usage ->> 'input_tokens')::bigint),
    'cached_input_tokens', sum((b.usage ->> 'cached_input_tokens')::bigint),
    'output_tokens', sum((b.usage ->> 'output_tokens')::bigint),
    'reasoning_tokens', sum((b.usage ->> 'reasoning_tokens')::bigint),
    'cost_usd', case when bool_and(b.usage ->> 'cost_usd' is not null) then sum((b.usage ->> 'cost_usd')::numeric) end,
    'estimated', bool_or((b.usage ->> 'estimated')::boolean))
  from private.budget_reservations b
  where b.run_id = sum_settled_usage.run_id and b.turn_id = sum_settled_usage.turn_id and b.usage is not null
  having count(*) > 0
$$;

-- Records the reservations of a swarm that is deleted as usage, because its runs can no longer do it: otherwise whoever
-- deletes the swarm before the end of an answer pays nothing for it. A call in progress counts as it was reserved. As
-- at the end of a turn, an asker who pays does not see the model, and the cost counts for the grant.
create or replace function private.record_usage_of_deleted_swarm() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  -- Waits for reservations that are being made, and prevents further ones.
  perform 1 from public.runs r
  where (r.swarm_id = old.id or r.swarm_id in (select t.swarm_id from private.sub_tasks t
                                               where t.root_swarm_id = old.id))
    and r.status in ('running', 'requires_action', 'waiting')
  order by r.id for update;
  insert into public.usage_records (payer_id, user_id, swarm_id, run_id, turn_id, agent_id, framework, model,
    input_tokens, cached_input_tokens, output_tokens, reasoning_tokens, cost_usd, estimated, grant_id)
  select payer.id, (select u.id from auth.users u where u.id = r.user_id), old.id, r.id, b.turn_id, t.agent_id,
    case when b.grant_id is not null and b.payer_id = r.user_id then 'hidden' else b.framework end,
    case when b.grant_id is not null and b.payer_id = r.user_id then 'hidden' else b.model end,
    coalesce(used.input_tokens, 0), coalesce(used.cached_input_tokens, 0), coalesce(used.output_tokens, 0),
    coalesce(used.reasoning_tokens, 0), used.cost_usd, coalesce(used.estimated, true), b.grant_id
  from private.budget_reservations b
  join public.runs r on r.id = b.run_id
  -- The account may be deleted with its swarms.
  join auth.users payer on payer.id = b.payer_id
  cross join lateral jsonb_to_record(coalesce(b.usage, jsonb_build_object(
      'input_tokens', coalesce(b.input_tokens, 0), 'cached_input_tokens', 0,
      'output_tokens', b.tokens - coalesce(b.input_tokens, 0), 'reasoning_tokens', 0,
      'cost_usd', nullif(b.cost_usd, 0), 'estimated', true)))
    as used (input_tokens bigint, cached_input_tokens bigint, output_tokens bigint, reasoning_tokens bigint,
      cost_usd numeric, estimated boolean)
  left join public.run_turns t on t.swarm_id = r.swarm_id and t.id = b.turn_id
  where b.swarm_id = old.id and b.framework is not null;
  perform private.add_grant_cost(b.grant_id, b.user_id, sum(b.cost_usd))
  from private.budget_reservations b
  where b.swarm_id = old.id and b.grant_id is not null
  group by b.grant_id, b.user_id order by b.grant_id, b.user_id;
  return old;
end
$$;
