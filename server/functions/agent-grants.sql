-- Grants: who may ask an agent of somebody else, what they must know before, and what they have used.

-- Grants to more than one user decide whose lists an agent appears in, so they are the service role's, unless the
-- operator leaves publishing to users. Whoever is named has agreed to the terms of a grant, and agrees again when those
-- change.
create or replace function private.prepare_agent_grant() returns trigger
language plpgsql
as $$
declare
  is_client constant boolean := current_user in ('anon', 'authenticated', 'api_key', 'service_role');
begin
  if new.audience <> 'user' and current_user in ('anon', 'authenticated', 'api_key') and not private.may_publish() then
    raise exception 'only the service role grants an agent to everyone or to a claim'
      using errcode = 'insufficient_privilege', schema = 'public', table = 'agent_grants', column = 'audience';
  end if;
  if not is_client then
    return new;
  end if;
  if tg_op = 'INSERT' then
    new.accepted_at := null;
    new.declined_at := null;
  elsif (new.payer, new.approver, new.transcripts) is distinct from (old.payer, old.approver, old.transcripts) then
    new.accepted_at := null;
    new.declined_at := null;
  else
    new.accepted_at := old.accepted_at;
    new.declined_at := old.declined_at;
  end if;
  return new;
end
$$;

-- Users cannot read the settings.
create or replace function private.may_publish() returns boolean language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$ select exists (select 1 from private.settings s where s.name = 'agent_publishers' and s.value = '"users"') $$;
grant execute on function private.may_publish() to authenticated, service_role, sb_service;

-- The keys of the grants that an account could hold. Plain SQL that returns rows, so that it becomes a part of the
-- statement that calls it.
create or replace function private.list_audience_keys(user_id uuid, metadata jsonb) returns table (key bigint)
language sql stable
as $$
  select 0::bigint
  union all
  select hashtextextended(user_id::text, 0)
  union all
  select hashtextextended(pair.key, 1)
  from jsonb_each(metadata) as member
  cross join lateral (values (member.key),
    (case when jsonb_typeof(member.value) = 'string' then member.key || ' ' || member.value::text end)) as pair (key)
  where pair.key is not null
$$;

-- Whether a grant is for an account, whichever others are. An offer is not, but a block needs nobody's consent.
-- Inlined.
create or replace function private.is_granted(held public.agent_grants, account_id uuid, metadata jsonb,
  is_anonymous boolean) returns boolean
language sql stable
as $$
  select (held.expires_at is null or held.expires_at > now()) and case held.audience
    when 'user' then held.user_id = account_id and (held.accepted_at is not null or held.runs_per_day = 0)
    when 'claim' then metadata @> held.claim and (held.include_anonymous or not is_anonymous)
    else held.include_anonymous or not is_anonymous end
$$;

-- The order in which grants apply: the first one alone. Inlined.
create or replace function private.get_audience_rank(audience text) returns integer language sql immutable
as $$ select case audience when 'user' then 1 when 'claim' then 2 else 3 end $$;

-- Returns the grant by which a user may ask an agent now, or null. A private conversation belongs to the terms on which
-- it began: given its `transcripts`, a grant with others is none. Every step of a run asks.
create or replace function private.find_grant(agent_id uuid, user_id uuid, transcripts text default null)
returns public.agent_grants language plpgsql stable
as $$
declare
  account record;
  held public.agent_grants;
begin
  select u.id, u.app_metadata, u.is_anonymous, u.deleted_at, u.banned_until into account
  from auth.users u where u.id = find_grant.user_id;
  if account.deleted_at is not null or account.banned_until > now() then
    return null;
  end if;
  held := (
    select c.held
    from private.list_audience_keys(account.id, account.app_metadata) as k
    -- Not a join: both columns are looked up, however few grants the planner expects.
    cross join lateral (
      select g as held, private.get_audience_rank(g.audience) as rank, g.priority, g.created_at, g.id
      from public.agent_grants g
      where g.agent_id = find_grant.agent_id and private.get_audience_key(g.audience, g.user_id, g.claim) = k.key
        and private.is_granted(g, account.id, account.app_metadata, account.is_anonymous)
      offset 0) as c
    order by c.rank, c.priority desc, c.created_at, c.id limit 1);
  return case when held.runs_per_day is distinct from 0
    and held.transcripts = coalesce(find_grant.transcripts, held.transcripts) then held end;
end
$$;
grant execute on function private.find_grant(uuid, uuid, text) to sb_service;

-- The same for all agents.
create or replace function private.list_held_grants(user_id uuid) returns setof public.agent_grants
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp
as $$
declare
  account record;
begin
  select u.id, u.app_metadata, u.is_anonymous, u.deleted_at, u.banned_until into account
  from auth.users u where u.id = list_held_grants.user_id;
  if account.deleted_at is not null or account.banned_until > now() then
    return;
  end if;
  return query
  select (first.held).* from (
    select distinct on (a.id) c.held
    from private.list_audience_keys(account.id, account.app_metadata) as k
    cross join lateral (
      select g as held, g.agent_id, private.get_audience_rank(g.audience) as rank, g.priority, g.created_at, g.id
      from public.agent_grants g
      where private.get_audience_key(g.audience, g.user_id, g.claim) = k.key
        and private.is_granted(g, account.id, account.app_metadata, account.is_anonymous)
      offset 0) as c
    join public.agents a on a.id = c.agent_id and a.user_id <> account.id
    order by a.id, c.rank, c.priority desc, c.created_at, c.id) as first
  where (first.held).runs_per_day is distinct from 0;
end
$$;
grant execute on function private.list_held_grants(uuid) to sb_service;

create or replace function private.my_granted_agent_ids() returns setof uuid
language sql stable rows 20 security definer set search_path = pg_catalog, pg_temp
as $$ select g.agent_id from private.list_held_grants(auth.uid()) as g $$;
grant execute on function private.my_granted_agent_ids() to authenticated, service_role, sb_service;

-- The conversations that their users let the caller, who owns the agent, read. Not those with an earlier agent of the
-- same id, which anybody can give to a new agent.
create or replace function private.my_transcript_ids() returns setof uuid
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  return query
  select p.swarm_id from private.private_swarms p
  join public.agents a on a.id = p.agent_id and a.created_at <= p.created_at
  where p.transcripts = 'owner' and a.user_id = auth.uid();
end
$$;
grant execute on function private.my_transcript_ids() to authenticated, service_role, sb_service;

-- The tool calls that wait for the decision of the caller.
create or replace function private.my_pending_execution_ids() returns setof uuid
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  return query
  select x.id from public.tool_executions x where x.approver_id = auth.uid() and x.status = 'pending_approval';
end
$$;
grant execute on function private.my_pending_execution_ids() to authenticated, service_role, sb_service;

-- The origins that receive text of conversations with an agent: its HTTP tools, and the webhooks of its guardrails.
-- With a version, those of the version.
create or replace function private.list_receivers(agent_id uuid, tools jsonb, guardrails jsonb) returns text[]
language sql stable
as $$
  select coalesce(array_agg(distinct origin.text order by origin.text), '{}')
  from (
    select t.config from public.agent_tools x join public.tools t on t.id = x.tool_id
    where tools is null and x.agent_id = list_receivers.agent_id and x.enabled and t.enabled
    union all
    select coalesce(x.definition -> 'config', t.config)
    from jsonb_to_recordset(tools) as x (tool_id uuid, enabled boolean, definition jsonb)
    join public.tools t on t.id = x.tool_id
    where x.enabled and t.enabled
    union all
    select g.config from public.guardrails g
    where tools is null and g.agent_id = list_receivers.agent_id and g.is_active
    union all
    select g.value -> 'config' from jsonb_array_elements(guardrails) as g where g.value -> 'is_active' = 'true')
    as receiver (config)
  cross join lateral (
    -- A URL can have credentials before its host.
    select regexp_replace(substring(lower(coalesce(receiver.config ->> 'url', receiver.config ->> 'card_url'))
      from '^https?://[^/?#]+'), '//.*@', '//')) as origin (text)
  where origin.text is not null
$$;

-- The name of the company or program that answers for a framework, as the service has stored it.
create or replace function private.get_provider_name(framework text) returns text language sql stable
as $$ select s.value ->> framework from private.settings s where s.name = 'provider_names' $$;

-- The rows of the view published_agents, of the caller alone.
create or replace function private.my_published_agents()
returns table (id uuid, name text, role text, avatar text, description text, starter_questions text[], payer text,
  approver text, transcripts text, receivers text[], provider text, owner_name text)
language sql stable rows 20 security definer set search_path = pg_catalog, pg_temp
as $$
  select a.id, a.name, case when v.number is null then a.role else v.role end, a.avatar, a.description,
    a.starter_questions, g.payer, g.approver, g.transcripts, private.list_receivers(a.id, v.tools, v.guardrails),
    private.get_provider_name(coalesce(v.framework, a.framework)), case when g.shows_owner then p.full_name end
  from private.list_held_grants(auth.uid()) as g
  join public.agents a on a.id = g.agent_id
  left join public.agent_versions v on v.agent_id = g.agent_id and v.number = g.agent_version
  left join public.profiles p on p.id = a.user_id
$$;
grant execute on function private.my_published_agents() to authenticated, service_role;

-- What whoever asks is told with each answer: the warnings of the agent are its owner's.
create or replace function private.list_asker_warnings(swarm_id uuid) returns jsonb language plpgsql stable
as $$
begin
  return case when exists (select 1 from private.private_swarms p
      where p.swarm_id = list_asker_warnings.swarm_id and p.transcripts = 'owner')
    then '[{"setting": "transcripts", "message": "the owner of the agent can read this conversation"}]'::jsonb
    else '[]' end;
end
$$;

-- The answer of a user to an offer. A grant that is not the caller's does not exist for them.
create or replace function private.answer_agent_grant(grant_id uuid, user_id uuid, is_accepted boolean) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  answered public.agent_grants;
begin
  update public.agent_grants g
  set accepted_at = case when is_accepted then coalesce(g.accepted_at, now()) end,
    declined_at = case when not is_accepted then now() end
  where g.id = answer_agent_grant.grant_id and g.user_id = answer_agent_grant.user_id
    and (g.expires_at is null or g.expires_at > now())
  returning g.* into answered;
  if not found then
    perform private.reject_call('GRANT_NOT_FOUND');
  end if;
  return jsonb_build_object('grant_id', answered.id, 'agent_id', answered.agent_id);
end
$$;
grant execute on function private.answer_agent_grant(uuid, uuid, boolean) to sb_service;

-- Whether a grant limits its askers. Inlined.
create or replace function private.is_limited(held public.agent_grants) returns boolean language sql immutable
as $$
  select coalesce(held.runs_per_day, held.cost_per_day, held.total_runs_per_day, held.total_cost_per_day) is not null
$$;

-- Counts a run against the limits of a grant, and returns the rejection when one of them is reached, else null. The
-- rows are locked until the transaction ends, so that runs which begin at the same time cannot pass a limit together. A
-- limit counts from when it is set.
create or replace function private.charge_grant(grant_id uuid, asker_id uuid) returns jsonb
language plpgsql volatile
as $$
declare
  today constant date := (now() at time zone 'UTC')::date;
  limits public.agent_grants;
  own private.grant_usage;
  total private.grant_usage;
begin
  select g.* into limits from public.agent_grants g where g.id = charge_grant.grant_id and private.is_limited(g);
  if not found then
    return null;
  end if;
  -- The row of all askers first, wherever both are locked, so that two transactions cannot wait for each other.
  if limits.total_runs_per_day is not null or limits.total_cost_per_day is not null then
    insert into private.grant_usage as used (grant_id, user_id, day, runs) values (limits.id, null, today, 1)
    on conflict on constraint grant_usage_key do update set runs = used.runs + 1
    returning used.* into total;
  end if;
  if limits.runs_per_day is not null or limits.cost_per_day is not null then
    insert into private.grant_usage as used (grant_id, user_id, day, runs) values (limits.id, asker_id, today, 1)
    on conflict on constraint grant_usage_key do update set runs = used.runs + 1
    returning used.* into own;
  end if;
  if coalesce(own.runs <= limits.runs_per_day, true) and coalesce(own.cost_usd < limits.cost_per_day, true)
      and coalesce(total.runs <= limits.total_runs_per_day, true)
      and coalesce(total.cost_usd < limits.total_cost_per_day, true) then
    return null;
  end if;
  update private.grant_usage used set runs = used.runs - 1
  where used.grant_id = limits.id and used.day = today and (used.user_id = asker_id or used.user_id is null);
  return case when own.runs > limits.runs_per_day or own.cost_usd >= limits.cost_per_day
    then private.build_rejection('RATE_LIMITED') || jsonb_build_object('retry_after',
      ceil(extract(epoch from (today + 1)::timestamp at time zone 'UTC' - now())))
    else private.build_rejection('BUDGET_EXCEEDED', '{"limit": "grant"}') end;
end
$$;

-- Counts the runs of calls by grants, each as often as grants are used in it. Sets the answer of those that reach a
-- limit.
create or replace function private.charge_grants(calls jsonb) returns jsonb language plpgsql volatile
as $$
declare
  charged jsonb := '[]';
  call jsonb;
  held_id text;
  rejection jsonb;
begin
  for call in select c.value from jsonb_array_elements(calls) as c loop
    if call -> 'answer' = 'null' and call -> 'grant_ids' <> 'null' then
      for held_id in select g.id from jsonb_array_elements_text(call -> 'grant_ids') as g (id) order by g.id loop
        rejection := private.charge_grant(held_id::uuid, (call ->> 'user_id')::uuid);
        if rejection is not null then
          call := call || jsonb_build_object('answer', private.build_answer(rejection));
          exit;
        end if;
      end loop;
    end if;
    charged := charged || call;
  end loop;
  return charged;
end
$$;

-- Adds the cost of a turn to what was used of the limits of its grant.
create or replace function private.add_grant_cost(grant_id uuid, asker_id uuid, cost_usd numeric) returns boolean
language plpgsql volatile
as $$
declare
  today constant date := (now() at time zone 'UTC')::date;
begin
  update private.grant_usage used set cost_usd = used.cost_usd + add_grant_cost.cost_usd
  where used.grant_id = add_grant_cost.grant_id and used.day = today and used.user_id is null;
  update private.grant_usage used set cost_usd = used.cost_usd + add_grant_cost.cost_usd
  where used.grant_id = add_grant_cost.grant_id and used.day = today and used.user_id = asker_id;
  return true;
end
$$;
