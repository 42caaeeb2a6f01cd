-- Tools and their assignment to agents.

-- A missing agent gives another error than an agent of another user.
create or replace function private.check_agent_exists() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if new.agent_id is not null and not exists (select 1 from public.agents a where a.id = new.agent_id) then
    raise exception 'agent % does not exist', new.agent_id
      using errcode = 'foreign_key_violation', schema = tg_table_schema, table = tg_table_name, column = 'agent_id',
            constraint = tg_table_name || '_agent_id_fkey';
  end if;
  return new;
end
$$;

-- The assignment belongs to the owner of the agent, regardless of the request.
create or replace function private.assign_agent_owner() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  new.user_id := (select a.user_id from public.agents a where a.id = new.agent_id);
  return new;
end
$$;

-- What a user writes is not what the app vouches for. The service role says so itself after it has created a tool or an
-- assignment: a correction of one column does not vouch for the others, which the owner may have written.
create or replace function private.mark_vouched() returns trigger language plpgsql
as $$
begin
  if current_user in ('anon', 'authenticated', 'api_key') then
    new.is_vouched := false;
  end if;
  return new;
end
$$;

-- Whether calls of a tool are made in the name of the person who started the run: the service makes them. Inlined.
create or replace function private.acts_for_starter(kind text, config jsonb) returns boolean
language sql immutable
as $$
  select kind in ('rpc', 'function', 'schedule') or kind not in ('client', 'builtin')
    and (coalesce(config ->> 'identity' = 'required', false)
      or coalesce(config #>> '{auth,account}' = 'asker', false))
$$;
grant execute on function private.acts_for_starter(text, jsonb) to sb_service;

-- Whether a tool of an agent may act for the starter of a run. Whoever owns an agent decides what its tools do, by its
-- prompt and by their arguments: the tool is therefore the starter's own, or the app's. A schedule only repeats what
-- the starter could ask there, and the starter approves it. Inlined.
create or replace function private.may_tool_act(tool public.tools, is_assignment_vouched boolean, agent_owner_id uuid,
  acts_for_askers boolean, starter_id uuid) returns boolean
language sql stable
as $$
  select coalesce(starter_id = agent_owner_id and (tool.owner_id = starter_id or tool.is_vouched), false)
    or coalesce(starter_id is not null and acts_for_askers and tool.is_vouched and is_assignment_vouched, false)
    or coalesce(starter_id is not null and tool.kind = 'schedule', false)
$$;

create or replace function private.get_host(url text) returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$ select substring(lower(url) from '^https?://([^/?#]*)') $$;
grant execute on function private.get_host(text) to authenticated, sb_service, service_role;

create or replace function private.get_tool_host(config jsonb) returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$ select private.get_host(coalesce(config ->> 'url', config ->> 'card_url')) $$;

create or replace function private.store_tool_secrets() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  is_sent constant boolean := coalesce(new.secret_names[1] like '=%', false);
  encrypted bytea;
begin
  if is_sent then
    encrypted := decode(substr(new.secret_names[1], 2), 'base64');
    new.secret_names := new.secret_names[2:];
  elsif tg_op = 'INSERT' then
    new.secret_names := '{}';
  elsif private.get_tool_host(new.config) is not distinct from private.get_tool_host(old.config) then
    new.secret_names := old.secret_names;
    return new;
  else
    -- Secrets for one host are not sent to another.
    new.secret_names := '{}';
  end if;
  if cardinality(new.secret_names) = 0 then
    if tg_op = 'UPDATE' then
      delete from private.tool_secrets s where s.tool_id = old.id;
    end if;
  elsif tg_op = 'UPDATE' then
    insert into private.tool_secrets as s (tool_id, secrets_wrapped) values (old.id, encrypted)
      on conflict (tool_id) do update set secrets_wrapped = excluded.secrets_wrapped, updated_at = now();
  elsif not exists (select 1 from public.tools t where t.id = new.id) then
    -- The insert of an existing id fails.
    insert into private.tool_secrets (tool_id, secrets_wrapped) values (new.id, encrypted);
  end if;
  return new;
end
$$;

-- The server whose credential a tool uses: an authorization of the owner, a secret, or what the operator has set up.
-- Null: the tool uses none.
create or replace function private.get_credential_server(tool public.tools) returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select case when tool.kind = 'mcp' or tool.config ? 'auth' or cardinality(tool.secret_names) > 0
    then coalesce(private.get_tool_host(tool.config), 'server ' || (tool.config ->> 'server')) end
$$;

-- A copy of a tool that needs an approval needs one too. An update that switches the approval off is a decision of its
-- own, which tools_require_approve_scope checks.
create or replace function private.keep_tool_approval() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  used constant text := private.get_credential_server(new);
begin
  if used is null or new.owner_id is null then
    return new;
  end if;
  if not new.requires_approval and (case when tg_op = 'INSERT'
      -- An upsert of a tool that exists is an update.
      then not exists (select 1 from public.tools t where t.owner_id = new.owner_id and not t.requires_approval
        and t.config = new.config and (t.id = new.id or t.name = new.name))
      else not old.requires_approval and new.config is distinct from old.config end) then
    new.requires_approval := exists (
      select 1 from private.approval_servers s where s.owner_id = new.owner_id and s.server = used);
  end if;
  if new.requires_approval then
    insert into private.approval_servers (owner_id, server) values (new.owner_id, used) on conflict do nothing;
  end if;
  return new;
end
$$;

-- A key without `approve` that deletes the tool leaves the requirement.
create or replace function private.release_approval_server() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  released constant text := private.get_credential_server(old);
begin
  if private.has_scope('approve') then
    delete from private.approval_servers s
    where s.owner_id = old.owner_id and s.server = released and not exists (
      select 1 from public.tools t
      where t.owner_id = old.owner_id and t.requires_approval and private.get_credential_server(t) = released);
  end if;
  return null;
end
$$;

-- Lets a read embed the tool as `tool`.
create or replace function public.tool(assignment public.agent_tools) returns setof public.tools rows 1
language sql stable
as $$ select t.* from public.tools t where t.id = assignment.tool_id $$;
grant execute on function public.tool(public.agent_tools) to authenticated, service_role;
