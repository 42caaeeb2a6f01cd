-- Versions of agents.

-- A statement for all rows and without comparisons, because inserts are frequent.
create or replace function private.store_first_agent_versions() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.agent_versions (agent_id, number, role, framework, model, system_prompt, settings, tools,
    changed_by)
  select n.id, 1, n.role, n.framework, n.model, n.system_prompt, n.settings, '[]',
    case when n.user_id = auth.uid() then n.user_id end
  from new_rows n;
  return null;
end
$$;

-- What a version keeps of a tool beside its name. Secrets are never a part of it.
create or replace function private.define_tool(tool public.tools) returns jsonb language sql stable
as $$
  select jsonb_build_object('description', tool.description, 'kind', tool.kind, 'input_schema', tool.input_schema,
    'config', tool.config, 'requires_approval', tool.requires_approval, 'timeout_ms', tool.timeout_ms,
    'max_output_chars', tool.max_output_chars, 'max_retries', tool.max_retries, 'idempotent', tool.idempotent,
    'enabled', tool.enabled, 'is_vouched', tool.is_vouched)
$$;

-- What a version keeps of a tool instead of what the tool is now: nothing of tools of others. The app vouches for what
-- it vouched for then and vouches for now. Inlined.
create or replace function private.get_kept_definition(live public.tools, name text, definition jsonb,
  agent_owner_id uuid) returns jsonb
language sql stable
as $$
  select case when live.owner_id = agent_owner_id and jsonb_typeof(definition) = 'object'
    then definition || jsonb_build_object('name', name,
      'is_vouched', live.is_vouched and definition @> '{"is_vouched": true}')
    else '{}' end
$$;

-- Whether something refers to a version, which is then kept.
create or replace function private.is_version_used(agent_id uuid, number integer) returns boolean
language sql stable
as $$
  select exists (select 1 from public.run_turns t
                 where t.agent_id = is_version_used.agent_id and t.agent_version = is_version_used.number)
    or exists (select 1 from public.eval_runs r
               where r.agent_id = is_version_used.agent_id and r.agent_version = is_version_used.number)
    or exists (select 1 from public.agent_grants g
               where g.agent_id = is_version_used.agent_id and g.agent_version = is_version_used.number)
$$;

-- Stores the agent as it is when the transaction is committed, unless it equals the latest version. A transaction makes
-- one version: if it made the latest one, that is replaced. A concurrent transaction that assigns another tool may take
-- the same number; the insert then waits for it, and the loop reads both changes. Only tools of the agent's owner are
-- stored with their definition: other people decide themselves what their tools do, and may have withdrawn them.
create or replace function private.store_current_version(changed_id uuid) returns void language plpgsql volatile
as $$
declare
  is_changed boolean;
  stored integer;
  kept integer;
begin
  loop
    with changed as materialized (
      select a.id, latest.number, latest.created_at = now() as is_own, a.user_id, a.role, a.framework, a.model,
        a.system_prompt, a.settings, assigned.tools, checked.guardrails
      from public.agents a
      cross join lateral (
        select coalesce(jsonb_agg(jsonb_build_object('tool_id', t.id, 'name', t.name, 'enabled', at.enabled,
          'configuration', at.configuration, 'approver', at.approver, 'is_vouched', at.is_vouched,
          'definition', case when t.owner_id = a.user_id then private.define_tool(t) end) order by t.id), '[]') as tools
        from public.agent_tools at join public.tools t on t.id = at.tool_id where at.agent_id = a.id) as assigned
      cross join lateral (
        select coalesce(jsonb_agg(jsonb_build_object('guardrail_id', g.id, 'name', g.name, 'kind', g.kind,
          'stage', g.stage, 'action', g.action, 'config', g.config, 'position', g.position, 'is_active', g.is_active)
          order by g.position, g.created_at, g.id), '[]') as guardrails
        from public.guardrails g where g.agent_id = a.id) as checked
      left join lateral (
        select v.* from public.agent_versions v where v.agent_id = a.id order by v.number desc limit 1) as latest
        on true
      where a.id = changed_id
        and (a.role, a.framework, a.model, a.system_prompt, a.settings, assigned.tools, checked.guardrails)
          is distinct from (latest.role, latest.framework, latest.model, latest.system_prompt, latest.settings,
            latest.tools, latest.guardrails)
    ), replaced as (
      update public.agent_versions v set role = c.role, framework = c.framework, model = c.model,
        system_prompt = c.system_prompt, settings = c.settings, tools = c.tools, guardrails = c.guardrails
      from changed c where c.is_own and v.agent_id = c.id and v.number = c.number
      returning v.number
    ), added as (
      insert into public.agent_versions (agent_id, number, role, framework, model, system_prompt, settings, tools,
        guardrails, changed_by)
      select c.id, coalesce(c.number, 0) + 1, c.role, c.framework, c.model, c.system_prompt, c.settings,
        c.tools, c.guardrails, case when c.user_id = auth.uid() then c.user_id end
      from changed c where c.is_own is not true
      on conflict do nothing
      returning number
    )
    select exists (select 1 from changed), coalesce((select r.number from replaced r), (select a.number from added a))
    into is_changed, stored;
    exit when stored is not null or not is_changed;
  end loop;
  if stored > 1 then
    kept := (select (s.value #>> '{}')::integer from private.settings s where s.name = 'agent_versions_kept');
    if kept > 0 and stored > kept then
      -- Looks at the latest of the older ones only, so that the cost of a change does not grow with the number of
      -- versions that turns refer to.
      delete from public.agent_versions v
      where v.agent_id = changed_id and v.number <= stored - kept and v.number > stored - kept - 100
        and not private.is_version_used(v.agent_id, v.number);
    end if;
  end if;
end
$$;

create or replace function private.store_agent_version() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform private.store_current_version(new.id);
  return null;
end
$$;

-- For rows that belong to an agent. A guardrail of a swarm belongs to none.
create or replace function private.store_version_of_agent() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  changed_id constant uuid := case when tg_op = 'DELETE' then old.agent_id else new.agent_id end;
begin
  if changed_id is not null then
    perform private.store_current_version(changed_id);
  end if;
  return null;
end
$$;

-- The agents of the tool's owner alone have its definition. The bound keeps the transaction short where an operator
-- lets a user have very many agents; those beyond it get their version with their next change.
create or replace function private.store_versions_with_tool() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform private.store_current_version(x.agent_id)
  from (select at.agent_id from public.agent_tools at where at.tool_id = new.id and at.user_id = new.owner_id
        order by at.agent_id limit 1000) as x;
  return null;
end
$$;

-- Makes the agent what it was in a version, which stores a new version. Runs with the rights of the caller. The rows of
-- tools stay as they are, because other agents use them too. A tool that was deleted since, or that the caller cannot
-- see any more, is not assigned again but listed in `missing_tools`. A guardrail that was deleted since gets its id
-- again; the secret of a webhook is a new one.
create or replace function public.restore_agent_version(agent_id uuid, number integer) returns jsonb
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  version public.agent_versions;
begin
  select v.* into version from public.agent_versions v
  where v.agent_id = restore_agent_version.agent_id and v.number = restore_agent_version.number;
  if not found then
    raise sqlstate 'PT404' using message = pg_catalog.format('Version %s of agent %s does not exist',
      coalesce(restore_agent_version.number::text, 'null'), coalesce(restore_agent_version.agent_id::text, 'null'));
  end if;
  -- Locks the agent, so that of two restores at a time one follows the other.
  update public.agents a set role = version.role, framework = version.framework, model = version.model,
    system_prompt = version.system_prompt, settings = version.settings
  where a.id = version.agent_id;
  delete from public.agent_tools t
  where t.agent_id = version.agent_id and not exists (
    select 1 from pg_catalog.jsonb_to_recordset(version.tools) as w (tool_id uuid) where w.tool_id = t.tool_id);
  update public.agent_tools t set enabled = w.enabled, configuration = w.configuration, approver = w.approver,
    is_vouched = t.is_vouched and w.is_vouched
  from pg_catalog.jsonb_to_recordset(version.tools) as w (tool_id uuid, enabled boolean, configuration jsonb,
    approver text, is_vouched boolean)
  where t.agent_id = version.agent_id and t.tool_id = w.tool_id
    and (t.enabled, t.configuration, t.approver, t.is_vouched and not w.is_vouched)
      is distinct from (w.enabled, w.configuration, w.approver, false);
  insert into public.agent_tools (agent_id, tool_id, enabled, configuration, approver, is_vouched)
  select version.agent_id, w.tool_id, w.enabled, w.configuration, w.approver, w.is_vouched
  from pg_catalog.jsonb_to_recordset(version.tools) as w (tool_id uuid, enabled boolean, configuration jsonb,
    approver text, is_vouched boolean)
  join public.tools known on known.id = w.tool_id
  on conflict (agent_id, tool_id) do nothing;
  delete from public.guardrails g
  where g.agent_id = version.agent_id and not exists (
    select 1 from pg_catalog.jsonb_to_recordset(version.guardrails) as w (guardrail_id uuid, kind text)
    where w.guardrail_id = g.id and w.kind = g.kind);
  update public.guardrails g set name = w.name, stage = w.stage, action = w.action, config = w.config,
    position = w.position, is_active = w.is_active
  from pg_catalog.jsonb_to_recordset(version.guardrails) as w (guardrail_id uuid, name text, stage text, action text,
    config jsonb, position integer, is_active boolean)
  where g.agent_id = version.agent_id and g.id = w.guardrail_id
    and (g.name, g.stage, g.action, g.config, g.position, g.is_active) is distinct from
      (w.name, w.stage, w.action, w.config, w.position, w.is_active);
  insert into public.guardrails (id, agent_id, name, kind, stage, action, config, position, is_active)
  select w.guardrail_id, version.agent_id, w.name, w.kind, w.stage, w.action, w.config, w.position, w.is_active
  from pg_catalog.jsonb_to_recordset(version.guardrails) as w (guardrail_id uuid, name text, kind text, stage text,
    action text, config jsonb, position integer, is_active boolean)
  where not exists (select 1 from public.guardrails g where g.agent_id = version.agent_id and g.id = w.guardrail_id);
  return pg_catalog.jsonb_build_object('agent_id', version.agent_id, 'number', version.number, 'missing_tools',
    coalesce((
    select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('tool_id', w.tool_id, 'name', w.name) order by w.name)
    from pg_catalog.jsonb_to_recordset(version.tools) as w (tool_id uuid, name text)
    where not exists (select 1 from public.agent_tools t
                      where t.agent_id = version.agent_id and t.tool_id = w.tool_id)), '[]'));
end
$$;
revoke execute on function public.restore_agent_version(uuid, integer) from public, anon;
grant execute on function public.restore_agent_version(uuid, integer) to authenticated, service_role;
