-- Grants: who may ask an agent of somebody else, and under which terms. The owner of the agent writes them.

-- Finds the grants of an account without reading all grants of an agent: those to everyone, to the account, and to each
-- claim that the account could satisfy have a key that follows from the account alone. Keys of different audiences can
-- be equal, so whoever looks them up compares the audience as well.
create function private.get_audience_key(audience text, user_id uuid, claim jsonb) returns bigint
language plpgsql immutable parallel safe
as $$
begin
  return case audience
    when 'everyone' then 0
    when 'user' then pg_catalog.hashtextextended(user_id::text, 0)
    else (
      select pg_catalog.hashtextextended(
        case when pg_catalog.jsonb_typeof(member.value) = 'string' then member.key || ' ' || member.value::text
          else member.key end, 1)
      from pg_catalog.jsonb_each(claim) as member
      order by pg_catalog.jsonb_typeof(member.value) = 'string' desc, member.key limit 1) end;
end
$$;
grant execute on function private.get_audience_key(text, uuid, jsonb) to authenticated, sb_service, service_role;

create table public.agent_grants (
  id uuid default private.new_id() constraint agent_grants_pkey primary key,
  agent_id uuid not null constraint agent_grants_agent_id_fkey references public.agents on delete cascade,
  audience text not null constraint agent_grants_audience_known check (audience in ('everyone', 'claim', 'user')),
  -- The stored app_metadata of the account contains it.
  claim jsonb constraint agent_grants_claim_object check (jsonb_typeof(claim) = 'object' and claim <> '{}')
    constraint agent_grants_claim_size check (octet_length(claim::text) <= 4096),
  user_id uuid constraint agent_grants_user_id_fkey references auth.users on delete cascade,
  include_anonymous boolean not null default false,
  priority integer not null default 0,
  -- Null: the agent as it is.
  agent_version integer,
  approver text not null default 'owner' constraint agent_grants_approver_known check (approver in ('owner', 'asker')),
  payer text not null default 'owner' constraint agent_grants_payer_known check (payer in ('owner', 'asker')),
  -- Of each asker, and of all of them together. Days are UTC days; costs are in USD.
  runs_per_day integer constraint agent_grants_runs_per_day_range check (runs_per_day >= 0),
  cost_per_day numeric constraint agent_grants_cost_per_day_range check (cost_per_day between 0 and 999999999),
  total_runs_per_day integer constraint agent_grants_total_runs_per_day_range check (total_runs_per_day >= 0),
  total_cost_per_day numeric
    constraint agent_grants_total_cost_per_day_range check (total_cost_per_day between 0 and 999999999),
  transcripts text not null default 'private'
    constraint agent_grants_transcripts_known check (transcripts in ('private', 'owner')),
  accepts_messages boolean not null default false,
  accepts_client_tools boolean not null default false,
  shows_owner boolean not null default false,
  expires_at timestamptz,
  -- The answer of the user that a grant names. Until it is accepted, such a grant is an offer.
  accepted_at timestamptz,
  -- Who approves, as this user was told: an assignment of a tool can name the owner where the grant names the asker.
  accepted_approver text
    constraint agent_grants_accepted_approver_known check (accepted_approver in ('owner', 'asker')),
  declined_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint agent_grants_claim_of_audience check ((claim is not null) = (audience = 'claim')),
  constraint agent_grants_user_id_of_audience check ((user_id is not null) = (audience = 'user')),
  -- Deferred: an agent is deleted with its versions and its grants. A version that a grant names is never deleted.
  constraint agent_grants_agent_version_fkey foreign key (agent_id, agent_version)
    references public.agent_versions (agent_id, number) deferrable initially deferred
);
create index agent_grants_agent_version_idx on public.agent_grants (agent_id, agent_version)
  where agent_version is not null;
create index agent_grants_user_id_idx on public.agent_grants (user_id) where user_id is not null;
-- The same columns in both orders: no index on agent_id alone may look cheap to the planner, because an agent can have
-- any number of grants.
create index agent_grants_audience_idx
  on public.agent_grants (private.get_audience_key(audience, user_id, claim), agent_id);
create index agent_grants_agent_id_idx
  on public.agent_grants (agent_id, private.get_audience_key(audience, user_id, claim));
alter table public.agent_grants replica identity full;
alter table public.agent_grants enable row level security;
grant select, insert, update, delete on public.agent_grants to authenticated, service_role, sb_service;

-- What was used of the limits of a grant. Only grants with limits have rows: one for each asker and day, and one
-- without a user for all of them.
create table private.grant_usage (
  grant_id uuid not null constraint grant_usage_grant_id_fkey references public.agent_grants on delete cascade,
  user_id uuid,
  day date not null,
  runs integer not null default 0,
  cost_usd numeric not null default 0,
  constraint grant_usage_key unique nulls not distinct (grant_id, day, user_id)
);
create index grant_usage_day_idx on private.grant_usage (day);
alter table private.grant_usage enable row level security;
grant select, insert, update, delete on private.grant_usage to sb_service;

-- after functions

create policy agent_grants_select on public.agent_grants for select to authenticated
  using (agent_id = any (array(select private.my_agent_ids())));
create policy agent_grants_insert on public.agent_grants for insert to authenticated
  with check (agent_id = any (array(select private.my_agent_ids())));
create policy agent_grants_update on public.agent_grants for update to authenticated
  using (agent_id = any (array(select private.my_agent_ids())))
  with check (agent_id = any (array(select private.my_agent_ids())));
create policy agent_grants_delete on public.agent_grants for delete to authenticated
  using (agent_id = any (array(select private.my_agent_ids())));
create policy agent_grants_service on public.agent_grants to service_role, sb_service using (true) with check (true);

create trigger agent_grants_a_require before insert on public.agent_grants for each row
  when (new.agent_id is null) execute function private.require_columns('agent_id');
create trigger agent_grants_prepare before insert or update on public.agent_grants for each row
  execute function private.prepare_agent_grant();
create trigger agent_grants_stamp before insert or update on public.agent_grants for each row
  execute function private.stamp_created_and_updated();
create trigger agent_grants_freeze before update on public.agent_grants for each row
  when ((new.id, new.agent_id, new.audience, new.user_id)
    is distinct from (old.id, old.agent_id, old.audience, old.user_id))
  execute function private.reject_change('id', 'agent_id', 'audience', 'user_id');

create policy grant_usage_service on private.grant_usage to sb_service using (true) with check (true);

-- The agents that others let the caller ask, with what the caller must know before the first message: who reads, pays
-- and approves, who receives text, and whether tools act for the caller.
create view public.published_agents with (security_barrier) as
  select a.* from private.my_published_agents() as a
  where (select private.require_read_or_run()) is not null
    and ((select private.require_read_or_run()) or a.id = any (array(select private.key_agent_ids())));
revoke insert, update, delete on public.published_agents from service_role;
grant select on public.published_agents to authenticated, service_role;

-- The grants that wait for the caller's answer.
create view public.agent_offers with (security_barrier) as
  select o.* from private.my_agent_offers() as o where (select private.require_scopes('read'));
revoke insert, update, delete on public.agent_offers from service_role;
grant select on public.agent_offers to authenticated, service_role;

-- What the owner of an agent sees of those who ask it: figures, never content.
create view public.agent_customers with (security_barrier) as
  select used.agent_id, used.user_id, p.full_name, count(distinct used.run_id) as runs,
    coalesce(sum(used.cost_usd), 0) as cost_usd, count(*) filter (where used.is_error) as errors,
    max(used.created_at) as last_run_at
  from (
    select u.agent_id, u.user_id, u.run_id, u.cost_usd, false as is_error, u.created_at from public.usage_records u
    where u.grant_id is not null
    union all
    select t.agent_id, r.user_id, t.run_id, null::numeric as cost_usd, true as is_error, t.created_at
    from public.run_turns t join public.runs r on r.id = t.run_id
    where t.grant_id is not null and t.status = 'failed') as used
  join public.profiles p on p.id = used.user_id
  -- Not what was asked of an earlier agent of the same id.
  join public.agents a on a.id = used.agent_id and a.created_at <= used.created_at
  where (current_user = 'service_role' or used.agent_id = any (array(select private.my_agent_ids())))
    and (select private.require_scopes('read')) is not null
    and ((select private.require_scopes('read')) or used.agent_id = any (array(select private.key_agent_ids())))
  group by used.agent_id, used.user_id, p.full_name;
revoke insert, update, delete on public.agent_customers from service_role;
grant select on public.agent_customers to authenticated, service_role;

-- The same for each answer: when, how long, at which cost, with which tools and which error.
create view public.customer_turns with (security_barrier) as
  select t.id, t.agent_id, r.user_id, t.run_id, t.status, t.duration_ms, t.cost_usd, t.error ->> 'code' as error_code,
    array(select x.tool_name from public.tool_executions x where x.turn_id = t.id order by x.created_at, x.id)
      as tool_names, t.created_at
  from public.run_turns t join public.runs r on r.id = t.run_id
  where t.grant_id is not null
    and (current_user = 'service_role' or t.agent_id = any (array(select private.my_agent_ids())))
    and (select private.require_scopes('read')) is not null
    and ((select private.require_scopes('read')) or t.agent_id = any (array(select private.key_agent_ids())));
revoke insert, update, delete on public.customer_turns from service_role;
grant select on public.customer_turns to authenticated, service_role;
