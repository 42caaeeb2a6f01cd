-- Tools and their assignment to agents. What a tool needs to keep secret lives apart: neither row rules nor the WAL hide columns.

create table public.tools (
  id uuid default private.new_id() constraint tools_pkey primary key,
  owner_id uuid default auth.uid() constraint tools_owner_id_fkey references auth.users on delete cascade,
  name text not null constraint tools_name_format check (name ~ '^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$'),
  description text not null constraint tools_description_length check (char_length(description) between 1 and 1024),
  category text constraint tools_category_length check (char_length(category) <= 100),
  icon text constraint tools_icon_length check (char_length(icon) <= 2048),
  input_schema jsonb not null default '{"type": "object", "properties": {}}'
    constraint tools_input_schema_object check (jsonb_typeof(input_schema) = 'object' and input_schema ->> 'type' is not distinct from 'object')
    constraint tools_input_schema_size check (octet_length(input_schema::text) <= 32768),
  kind text not null default 'http' constraint tools_kind_known check (kind in ('builtin', 'http', 'mcp')),
  config jsonb not null default '{}'
    constraint tools_config_object check (jsonb_typeof(config) = 'object')
    constraint tools_config_size check (octet_length(config::text) <= 32768),
  visibility text not null default 'private' constraint tools_visibility_known check (visibility in ('private', 'shared', 'public')),
  requires_approval boolean not null default false,
  timeout_ms integer not null default 30000 constraint tools_timeout_ms_range check (timeout_ms between 1000 and 120000),
  max_output_chars integer not null default 16000 constraint tools_max_output_chars_range check (max_output_chars between 1 and 1000000),
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint tools_owner_id_name_key unique nulls not distinct (owner_id, name),
  constraint tools_kind_builtin_has_no_owner check (kind <> 'builtin' or owner_id is null),
  -- Without an owner a tool is everybody's to use, so it must have been meant so.
  constraint tools_owner_id_present check (owner_id is not null or kind = 'builtin' or visibility = 'public')
);
-- The owner may be null, which a replica identity index refuses; the row is narrow enough once its wide columns are bounded.
alter table public.tools replica identity full;
create index tools_shared_idx on public.tools (owner_id) where visibility = 'shared';
create index tools_public_idx on public.tools (name) where visibility = 'public' or owner_id is null;

create table private.tool_secrets (
  tool_id uuid constraint tool_secrets_pkey primary key
    constraint tool_secrets_tool_id_fkey references public.tools on delete cascade,
  secrets_wrapped bytea not null,
  updated_at timestamptz not null default now()
);

create table public.agent_tools (
  id uuid default private.new_id() constraint agent_tools_pkey primary key,
  agent_id uuid not null,
  tool_id uuid not null constraint agent_tools_tool_id_fkey references public.tools on delete cascade,
  user_id uuid not null,
  enabled boolean not null default true,
  configuration jsonb not null default '{}'
    constraint agent_tools_configuration_object check (jsonb_typeof(configuration) = 'object')
    constraint agent_tools_configuration_size check (octet_length(configuration::text) <= 32768),
  created_at timestamptz not null default now(),
  constraint agent_tools_agent_id_fkey foreign key (agent_id, user_id) references public.agents (id, user_id) on delete cascade,
  constraint agent_tools_agent_id_tool_id_key unique (agent_id, tool_id),
  constraint agent_tools_id_user_id_key unique (id, user_id)
);
create index agent_tools_tool_id_idx on public.agent_tools (tool_id);
create index agent_tools_user_id_idx on public.agent_tools (user_id);
create index agent_tools_agent_id_user_id_idx on public.agent_tools (agent_id, user_id);
alter table public.agent_tools replica identity using index agent_tools_id_user_id_key;

alter table public.tools enable row level security;
alter table private.tool_secrets enable row level security;
alter table public.agent_tools enable row level security;

create policy tools_insert on public.tools for insert to authenticated
  with check (owner_id = (select auth.uid()) and kind <> 'builtin' and visibility <> 'public');
create policy tools_update on public.tools for update to authenticated using (owner_id = (select auth.uid()))
  with check (owner_id = (select auth.uid()) and kind <> 'builtin' and visibility <> 'public');
create policy tools_delete on public.tools for delete to authenticated using (owner_id = (select auth.uid()));
create policy tools_service on public.tools to service_role, sb_service using (true) with check (true);
create policy tool_secrets_service on private.tool_secrets to sb_service using (true) with check (true);

create policy agent_tools_select on public.agent_tools for select to authenticated using (user_id = (select auth.uid()));
create policy agent_tools_insert on public.agent_tools for insert to authenticated
  with check (user_id = (select auth.uid()) and exists (select 1 from public.tools t where t.id = tool_id));
create policy agent_tools_update on public.agent_tools for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy agent_tools_delete on public.agent_tools for delete to authenticated using (user_id = (select auth.uid()));
create policy agent_tools_service on public.agent_tools to service_role, sb_service using (true) with check (true);

grant select, insert, update, delete on public.tools, public.agent_tools to authenticated, service_role, sb_service;
grant select, insert, update, delete on private.tool_secrets to sb_service;

create trigger tools_stamp before insert or update on public.tools for each row
  when (current_user in ('anon', 'authenticated', 'service_role')) execute function private.stamp_created_and_updated();
create trigger tools_freeze before update on public.tools for each row
  when ((new.id, new.kind) is distinct from (old.id, old.kind)) execute function private.refuse_change('id', 'kind');
create trigger tools_keep_owner before update on public.tools for each row
  when (new.owner_id is distinct from old.owner_id) execute function private.refuse_transfer('owner_id');

-- The assignment belongs to whoever owns the agent, whatever the request says; a missing agent is told apart from a foreign one.
create function private.own_by_agent() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  select a.user_id into new.user_id from public.agents a where a.id = new.agent_id;
  if not found and new.agent_id is not null then
    raise exception 'agent % does not exist', new.agent_id
      using errcode = 'foreign_key_violation', schema = tg_table_schema, table = tg_table_name, column = 'agent_id',
            constraint = tg_table_name || '_agent_id_fkey';
  end if;
  return new;
end
$$;
create trigger agent_tools_a_require before insert on public.agent_tools for each row
  when (new.agent_id is null) execute function private.require_columns('agent_id');
create trigger agent_tools_own before insert on public.agent_tools for each row execute function private.own_by_agent();
create trigger agent_tools_stamp before insert or update on public.agent_tools for each row
  when (current_user in ('anon', 'authenticated', 'service_role')) execute function private.stamp_created();
create trigger agent_tools_freeze before update on public.agent_tools for each row
  when ((new.id, new.agent_id, new.tool_id) is distinct from (old.id, old.agent_id, old.tool_id))
  execute function private.refuse_change('id', 'agent_id', 'tool_id');
create trigger agent_tools_keep_owner before update on public.agent_tools for each row
  when (new.user_id is distinct from old.user_id) execute function private.refuse_transfer('user_id');

-- Lets a read embed the tool as `tool`.
create function public.tool(assignment public.agent_tools) returns setof public.tools rows 1 language sql stable
as $$ select t.* from public.tools t where t.id = assignment.tool_id $$;
grant execute on function public.tool(public.agent_tools) to authenticated, service_role;
