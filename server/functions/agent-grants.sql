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
  if tg_op = 'INSERT'
     or (new.payer, new.approver, new.transcripts) is distinct from (old.payer, old.approver, old.transcripts) then
    new.accepted_at := null;
    new.accepted_approver := null;
    new.declined_at := null;
  else
    new.accepted_at := old.accepted_at;
    new.accepted_approver := old.accepted_approver;
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

-- Whether the owner of an agent decides on calls whatever its grant says, because an assignment says so: of the agent
-- itself, or of those that answer on the terms of the same grant in its sub-tasks.
create or replace function private.has_owner_kept_approval(agent_id uuid, version integer) returns boolean
language plpgsql stable
as $$
begin
  -- Few agents have such tools, and the statement below is a large one.
  if version is null and not exists (
       select 1 from public.agent_tools x join public.tools t on t.id = x.tool_id
       where x.agent_id = has_owner_kept_approval.agent_id and (x.approver = 'owner' or t.kind = 'swarm')) then
    return false;
  end if;
  return exists (
    select 1 from private.list_reached_agents(null, agent_id, version, null) as r
    cross join lateral private.list_offered_tools(r.agent_id, r.version) as o
    where o.approver = 'owner' and not private.acts_for_starter((o.tool).kind, (o.tool).config));
end
$$;

-- Whether the user that a grant names has accepted the terms as they are now: the owner of the agent can change who
-- approves without changing the grant. Inlined.
create or replace function private.is_accepted(held public.agent_grants) returns boolean language sql stable
as $$
  select held.accepted_at is not null and (held.approver = 'owner' or coalesce(held.accepted_approver = 'owner', false)
    or not private.has_owner_kept_approval(held.agent_id, held.agent_version))
$$;

-- Whether a grant is for an account, whichever others are. An offer is not, but a block needs nobody's consent.
-- Inlined.
create or replace function private.is_granted(held public.agent_grants, account_id uuid, metadata jsonb,
  is_anonymous boolean) returns boolean
language sql stable
as $$
  select (held.expires_at is null or held.expires_at > now()) and case held.audience
    when 'user' then held.user_id = account_id and (private.is_accepted(held) or held.runs_per_day = 0)
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
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
declare
  held public.agent_grants;
begin
  held := (
    select c.held
    from auth.users u
    cross join lateral private.list_audience_keys(u.id, u.app_metadata) as k
    -- Not a join: both columns are looked up, however few grants the planner expects.
    cross join lateral (
      select g as held, private.get_audience_rank(g.audience) as rank, g.priority, g.created_at, g.id
      from public.agent_grants g
      where g.agent_id = find_grant.agent_id and private.get_audience_key(g.audience, g.user_id, g.claim) = k.key
        and private.is_granted(g, u.id, u.app_metadata, u.is_anonymous)
      offset 0) as c
    where u.id = find_grant.user_id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
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

-- The conversations that their users let the caller, who owns the agent, read, and the sub-tasks that the caller reads.
-- Not those with an earlier agent of the same id, which anybody can give to a new agent.
create or replace function private.my_transcript_ids() returns setof uuid
language plpgsql stable rows 20 security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  return query
  select p.swarm_id from private.private_swarms p
  join public.agents a on a.id = p.agent_id and a.created_at <= p.created_at
  where p.transcripts = 'owner' and a.user_id = auth.uid()
  union all
  select t.swarm_id from private.sub_tasks t where t.reader_id = auth.uid();
end
$$;
grant execute on function private.my_transcript_ids() to authenticated, service_role, sb_service;

-- Whether a user decides on a tool call that waits for an approval: whom the call names, as the starter of the run or
-- while a member of the swarm, else the owner of the agent, while it is in the swarm.
create or replace function private.is_approver(call public.tool_executions, person_id uuid) returns boolean
language sql stable
as $$
  select case when call.approver_id is null then exists (
      select 1 from public.agents a
      join public.swarm_agents sa on sa.swarm_id = call.swarm_id and sa.agent_id = a.id
      where a.id = call.agent_id and a.user_id = person_id)
    else call.approver_id = person_id and (
      exists (select 1 from public.runs r where r.id = call.run_id and r.user_id = person_id)
      or exists (select 1 from public.swarm_members m
        where m.swarm_id = call.swarm_id and m.user_id = person_id and m.status = 'active')) end
$$;
grant execute on function private.is_approver(public.tool_executions, uuid) to sb_service;

-- The tool calls that wait for the decision of a user.
create or replace function private.list_pending_executions(person_id uuid) returns setof uuid
language plpgsql stable rows 20
set enable_seqscan = off set jit = off
as $$
begin
  return query
  select x.id from public.tool_executions x
  where x.approver_id = person_id and x.status = 'pending_approval' and private.is_approver(x, person_id)
  union all
  select x.id from public.agents a
  join public.tool_executions x on x.agent_id = a.id and x.approver_id is null and x.status = 'pending_approval'
  where a.user_id = person_id and private.is_approver(x, person_id);
end
$$;
grant execute on function private.list_pending_executions(uuid) to sb_service;

create or replace function private.my_pending_execution_ids() returns setof uuid
language sql stable rows 20 security definer set search_path = pg_catalog, pg_temp
as $$ select x.id from private.list_pending_executions(auth.uid()) as x (id) $$;
grant execute on function private.my_pending_execution_ids() to authenticated, service_role, sb_service;

-- Computed field: whether a tool call waits for the decision of the caller. Reads the stored row, because a caller can
-- pass any.
create or replace function public.may_decide(call public.tool_executions) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select 1 from public.tool_executions x
    where x.id = call.id and x.status = 'pending_approval' and private.is_approver(x, (select auth.uid()))
      and private.is_key_run(x.run_id, x.swarm_id))
$$;
revoke execute on function public.may_decide(public.tool_executions) from public, anon;
grant execute on function public.may_decide(public.tool_executions) to authenticated, service_role;

-- The tools that an agent, or a version of it, has in a run, and who approves their calls by the assignment.
create or replace function private.list_offered_tools(agent_id uuid, version integer)
returns table (tool public.tools, approver text) language sql stable
as $$
  select t, x.approver
  from public.agents a
  left join public.agent_versions v on v.agent_id = a.id and v.number = list_offered_tools.version
  cross join lateral (
    select n.tool_id, n.enabled, n.approver, null::text as name, null::jsonb as definition
    from public.agent_tools n where v.number is null and n.agent_id = a.id
    union all
    select w.* from jsonb_to_recordset(v.tools)
      as w (tool_id uuid, enabled boolean, approver text, name text, definition jsonb)) as x
  join public.tools live on live.id = x.tool_id
  cross join lateral
    jsonb_populate_record(live, private.get_kept_definition(live, x.name, x.definition, a.user_id)) as t
  where a.id = list_offered_tools.agent_id and x.enabled and t.enabled and private.is_tool_usable(live, a.user_id)
$$;

-- The agents that get text of a conversation with an agent: itself and those that answer in its sub-tasks, with the
-- version that answers, who approves on its terms, and the swarm of the sub-task. As private.find_terms has it: agents
-- of the tool's owner answer on the terms of the agent that calls it, those of the asker as their own, and others only
-- by a grant that the asker holds. Without an asker: those that answer on the terms of the first one. A tool that names
-- a swarm of somebody else begins nothing, and nothing of that swarm is told.
create or replace function private.list_reached_agents(asker_id uuid, agent_id uuid, version integer, approver text)
returns table (agent_id uuid, version integer, approver text, swarm_id uuid) language sql stable rows 5
as $$
  with recursive reached as (
    select list_reached_agents.agent_id, list_reached_agents.version, list_reached_agents.approver,
      null::uuid as swarm_id
    union
    select sa.agent_id, (held.terms).agent_version,
      case when a.user_id = list_reached_agents.asker_id then 'asker'
        when a.user_id = s.owner_id then r.approver else (held.terms).approver end, s.id
    from reached r
    cross join lateral private.list_offered_tools(r.agent_id, r.version) as o
    join public.swarms s on s.id = private.parse_uuid((o.tool).config ->> 'swarm_id')
      and s.owner_id = (o.tool).owner_id and s.parent_run_id is null
    join public.swarm_agents sa on sa.swarm_id = s.id and sa.enabled
    join public.agents a on a.id = sa.agent_id
    cross join lateral (
      select case when a.user_id not in (s.owner_id, list_reached_agents.asker_id)
        then private.find_grant(sa.agent_id, list_reached_agents.asker_id) end as terms
      offset 0) as held
    where (o.tool).kind = 'swarm'
      and (a.user_id in (s.owner_id, list_reached_agents.asker_id) or (held.terms).id is not null))
  select * from reached
$$;

-- What a user must know of a grant before the first message. The receivers are the origins that get text: of HTTP
-- tools, and of the webhooks of guardrails; the model chooses the address of http_get. The providers are the names of
-- the companies or programs whose models answer, check what is read and written, summarise conversations, or do so when
-- another one fails, as the service has stored them; null when it knows none.
create or replace function private.describe_terms(held public.agent_grants, asker_id uuid, out receivers text[],
  out provider text, out approver text, out acts_for_asker boolean)
language sql stable
as $$
  with reached as materialized (
    select r.*, a.user_id, a.acts_for_askers, v.guardrails, coalesce(v.framework, a.framework) as framework
    from private.list_reached_agents(asker_id, held.agent_id, held.agent_version, held.approver) as r
    join public.agents a on a.id = r.agent_id
    left join public.agent_versions v on v.agent_id = r.agent_id and v.number = r.version
  ), tools as materialized (
    select o.tool, coalesce(o.approver, r.approver) as approver, r.user_id, r.acts_for_askers,
      private.acts_for_starter((o.tool).kind, (o.tool).config) as acts
    from reached r cross join lateral private.list_offered_tools(r.agent_id, r.version) as o
  ), guardrails as materialized (
    select g.kind, g.config from reached r join public.guardrails g on g.agent_id = r.agent_id
    where r.guardrails is null and g.is_active
    union all
    select g.value ->> 'kind', g.value -> 'config'
    from reached r cross join lateral jsonb_array_elements(r.guardrails) as g where g.value -> 'is_active' = 'true'
    union all
    select g.kind, g.config from public.guardrails g
    where g.is_active and g.swarm_id in (select r.swarm_id from reached r)
  )
  select
    (select coalesce(array_agg(distinct origin.text order by origin.text), '{}')
     from (
       select coalesce((t.tool).config ->> 'url', (t.tool).config ->> 'card_url',
         case when (t.tool).kind = 'builtin' and (t.tool).name = 'http_get' then 'https://*' end)
       from tools t
       union all
       select g.config ->> 'url' from guardrails g) as receiver (url)
     -- A URL can have credentials before its host.
     cross join lateral (
       select regexp_replace(substring(lower(receiver.url) from '^https?://[^/?#]+'), '//.*@', '//')) as origin (text)
     where origin.text is not null),
    (select string_agg(distinct s.value ->> used.framework, ', ' order by s.value ->> used.framework)
     from (
       select r.framework from reached r
       union all
       select g.config ->> 'framework' from guardrails g where g.kind = 'model'
       union all
       select k.value #>> '{}' from private.settings k where k.name = 'agent_summary_framework') as asked (framework)
     cross join lateral (
       select asked.framework
       union all
       select f.value from private.settings k
       cross join lateral jsonb_array_elements_text(k.value -> asked.framework) as f
       where k.name = 'provider_fallbacks') as used (framework)
     join private.settings s on s.name = 'provider_names'),
    case when held.approver = 'owner' or exists (
        select 1 from tools t where t.approver = 'owner' and not t.acts and t.user_id <> asker_id)
      then 'owner' else 'asker' end,
    -- A schedule belongs to whoever asks, who approves it, whether or not the app vouches for the agent.
    exists (select 1 from tools t where t.acts and (t.acts_for_askers or (t.tool).kind = 'schedule'))
$$;

-- The rows of the view published_agents, of the caller alone.
create or replace function private.my_published_agents()
returns table (id uuid, name text, role text, avatar text, description text, starter_questions text[], payer text,
  approver text, transcripts text, receivers text[], provider text, owner_name text, acts_for_asker boolean)
language sql stable rows 20 security definer set search_path = pg_catalog, pg_temp
as $$
  select a.id, a.name, case when v.number is null then a.role else v.role end, a.avatar, a.description,
    a.starter_questions, g.payer, terms.approver, g.transcripts, terms.receivers, terms.provider,
    case when g.shows_owner then p.full_name end, terms.acts_for_asker
  from private.list_held_grants(auth.uid()) as g
  join public.agents a on a.id = g.agent_id
  left join public.agent_versions v on v.agent_id = g.agent_id and v.number = g.agent_version
  left join public.profiles p on p.id = a.user_id
  cross join lateral private.describe_terms(g, auth.uid()) as terms
$$;
grant execute on function private.my_published_agents() to authenticated, service_role;

-- The rows of the view agent_offers, of the caller alone.
create or replace function private.my_agent_offers()
returns table (id uuid, agent_id uuid, name text, role text, avatar text, description text, payer text, approver text,
  transcripts text, runs_per_day integer, cost_per_day numeric, owner_name text, created_at timestamptz,
  expires_at timestamptz)
language sql stable rows 5 security definer set search_path = pg_catalog, pg_temp
as $$
  select g.id, g.agent_id, a.name, a.role, a.avatar, a.description, g.payer, terms.approver, g.transcripts,
    g.runs_per_day, g.cost_per_day, case when g.shows_owner then p.full_name end, g.created_at, g.expires_at
  from public.agent_grants g
  join public.agents a on a.id = g.agent_id
  left join public.profiles p on p.id = a.user_id
  cross join lateral private.describe_terms(g, auth.uid()) as terms
  where g.user_id = auth.uid() and g.declined_at is null and not private.is_accepted(g)
    and g.runs_per_day is distinct from 0 and (g.expires_at is null or g.expires_at > now())
$$;
grant execute on function private.my_agent_offers() to authenticated, service_role;

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
    accepted_approver = case when not is_accepted then null
      when g.approver = 'owner' or private.has_owner_kept_approval(g.agent_id, g.agent_version) then 'owner'
      else 'asker' end,
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

-- Adds to what was used today of a grant with limits, and returns the rows. That of all askers comes first, wherever
-- both are locked, so that two transactions cannot wait for each other. A limit counts from when it is set.
create or replace function private.count_grant_use(limits public.agent_grants, asker_id uuid, more_runs integer,
  more_cost_usd numeric, out total private.grant_usage, out own private.grant_usage)
language plpgsql volatile
as $$
declare
  today constant date := (now() at time zone 'UTC')::date;
begin
  if num_nonnulls(limits.total_runs_per_day, limits.total_cost_per_day) > 0 then
    insert into private.grant_usage as used (grant_id, user_id, day, runs, cost_usd)
    values (limits.id, null, today, more_runs, more_cost_usd)
    on conflict on constraint grant_usage_key
      do update set runs = used.runs + excluded.runs, cost_usd = used.cost_usd + excluded.cost_usd
    returning used.* into total;
  end if;
  if num_nonnulls(limits.runs_per_day, limits.cost_per_day) > 0 and asker_id is not null then
    insert into private.grant_usage as used (grant_id, user_id, day, runs, cost_usd)
    values (limits.id, asker_id, today, more_runs, more_cost_usd)
    on conflict on constraint grant_usage_key
      do update set runs = used.runs + excluded.runs, cost_usd = used.cost_usd + excluded.cost_usd
    returning used.* into own;
  end if;
end
$$;

-- Whether askers have spent what a grant allows for a day: one of them, or all of them (null). It counts the turns that
-- have ended today, and today's calls of models in turns that have not: a turn can make any number of them, and can
-- last for days. A call in progress does not count, because its estimate is far more than most calls cost: askers would
-- be refused what nobody uses. A single statement reads both tables, so that a turn that ends counts once.
create or replace function private.is_cost_spent(grant_id uuid, asker_id uuid, most numeric) returns boolean
language plpgsql stable
as $$
declare
  today constant date := (now() at time zone 'UTC')::date;
  midnight constant timestamptz := date_trunc('day', now(), 'UTC');
begin
  if most is null then
    return false;
  elsif asker_id is null then
    return most <= (
      select coalesce((select used.cost_usd from private.grant_usage used
                       where used.grant_id = is_cost_spent.grant_id and used.day = today and used.user_id is null), 0)
        + coalesce(sum(b.cost_usd), 0)
      from private.budget_reservations b
      where b.grant_id = is_cost_spent.grant_id and b.usage is not null and b.created_at >= midnight);
  end if;
  return most <= (
    select coalesce((select used.cost_usd from private.grant_usage used
                     where used.grant_id = is_cost_spent.grant_id and used.day = today
                       and used.user_id = is_cost_spent.asker_id), 0)
      + coalesce(sum(b.cost_usd), 0)
    from private.budget_reservations b
    where b.grant_id = is_cost_spent.grant_id and b.user_id = is_cost_spent.asker_id and b.usage is not null
      and b.created_at >= midnight);
end
$$;

-- Whether the cost that a grant allows for a day is used up, by the asker or by all. Null: it limits no cost.
create or replace function private.is_grant_spent(grant_id uuid, asker_id uuid) returns boolean
language plpgsql stable
as $$
declare
  limits public.agent_grants;
begin
  select g.* into limits from public.agent_grants g
  where g.id = is_grant_spent.grant_id and num_nonnulls(g.cost_per_day, g.total_cost_per_day) > 0;
  if not found then
    return null;
  end if;
  return private.is_cost_spent(limits.id, null, limits.total_cost_per_day)
    or asker_id is not null and private.is_cost_spent(limits.id, asker_id, limits.cost_per_day);
end
$$;

-- Counts a run against the limits of a grant, and returns the rejection when one of them is reached, else null. The
-- rows are locked until the transaction ends, so that runs which begin at the same time cannot pass a limit together.
-- The caller takes a rejected run back.
create or replace function private.charge_grant(grant_id uuid, asker_id uuid) returns jsonb
language plpgsql volatile
as $$
declare
  limits public.agent_grants;
  used record;
begin
  select g.* into limits from public.agent_grants g where g.id = charge_grant.grant_id and private.is_limited(g);
  if not found then
    return null;
  end if;
  used := private.count_grant_use(limits, asker_id, 1, 0);
  if (used.own).runs > limits.runs_per_day or private.is_cost_spent(limits.id, asker_id, limits.cost_per_day) then
    return private.build_rejection('RATE_LIMITED') || jsonb_build_object('retry_after',
      ceil(extract(epoch from date_trunc('day', now(), 'UTC') + interval '24 hours' - now())));
  elsif (used.total).runs > limits.total_runs_per_day
      or private.is_cost_spent(limits.id, null, limits.total_cost_per_day) then
    return private.build_rejection('BUDGET_EXCEEDED', '{"limit": "grant"}');
  end if;
  return null;
end
$$;

-- The same for all grants that a run uses: for each of them, or for none.
create or replace function private.charge_each_grant(grant_ids uuid[], asker_id uuid) returns jsonb
language plpgsql volatile
as $$
declare
  charged uuid[] := '{}';
  held_id uuid;
  rejection jsonb;
begin
  for held_id in select g.id from unnest(grant_ids) as g (id) order by g.id loop
    rejection := private.charge_grant(held_id, asker_id);
    charged := charged || held_id;
    if rejection is not null then
      perform private.count_grant_use(g, asker_id, -1, 0) from public.agent_grants g where g.id = any (charged);
      return rejection;
    end if;
  end loop;
  return null;
end
$$;

-- Counts the runs of calls by grants. Sets the answer of those that reach a limit. A sub-task does not count for the
-- grant of the run around it, whose cost limits its model calls all the same.
create or replace function private.charge_grants(calls jsonb) returns jsonb language plpgsql volatile
as $$
declare
  charged jsonb := '[]';
  call jsonb;
  rejection jsonb;
begin
  for call in select c.value from jsonb_array_elements(calls) as c loop
    if call -> 'answer' = 'null' and call -> 'grant_ids' <> 'null' then
      rejection := private.charge_each_grant(
        array_remove(private.parse_uuids(call -> 'grant_ids'), (call ->> 'outer_grant_id')::uuid),
        (call ->> 'user_id')::uuid);
      if rejection is not null then
        call := call || jsonb_build_object('answer', private.build_answer(rejection));
      end if;
    end if;
    charged := charged || call;
  end loop;
  return charged;
end
$$;

-- Adds the cost of a turn to what was used of a grant that limits costs, also on a day on which nobody has begun a run.
-- The grant is locked, so that one that is deleted meanwhile fails no turn.
create or replace function private.add_grant_cost(grant_id uuid, asker_id uuid, cost_usd numeric) returns boolean
language plpgsql volatile
as $$
declare
  limits public.agent_grants;
begin
  select g.* into limits from public.agent_grants g
  where g.id = add_grant_cost.grant_id and num_nonnulls(g.cost_per_day, g.total_cost_per_day) > 0 for key share;
  if found then
    perform private.count_grant_use(limits, asker_id, 0, cost_usd);
  end if;
  return true;
end
$$;
