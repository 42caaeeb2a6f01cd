-- Agents, which only their owner sees in full, and the models that they may use.

-- The models that each framework offers, written by the service when it starts. Callers read the list and choose from
-- it.
create table public.models (
  framework text constraint models_framework_known check (framework in ('provider_a', 'provider_b', 'provider_c')),
  id text constraint models_id_length check (char_length(id) between 1 and 200),
  is_default boolean not null default false,
  position integer not null constraint models_position_range check (position >= 0),
  -- Null means unknown; prices are in USD for a million tokens.
  context_window integer constraint models_context_window_range check (context_window > 0),
  max_output_tokens integer constraint models_max_output_tokens_range check (max_output_tokens > 0),
  price_input numeric constraint models_price_input_range check (price_input >= 0),
  price_cached_input numeric constraint models_price_cached_input_range check (price_cached_input >= 0),
  price_output numeric constraint models_price_output_range check (price_output >= 0),
  supports jsonb not null default '{}' constraint models_supports_object check (jsonb_typeof(supports) = 'object'),
  is_simulated boolean not null default false,
  -- The framework also accepts models that are not listed; the same in all rows of a framework.
  is_list_open boolean not null default false,
  -- Programs that choose a framework for somebody choose this one: the first that can answer. The same in all rows of
  -- a framework.
  is_default_framework boolean not null default false,
  constraint models_pkey primary key (framework, id)
);
revoke insert, update, delete on public.models from service_role;
alter table public.models enable row level security;
grant select on public.models to authenticated, service_role, sb_service;

create function private.is_valid_stop_sequences(value jsonb) returns boolean
language plpgsql immutable strict parallel safe
as $$
begin
  return case pg_catalog.jsonb_typeof(value)
    when 'null' then true
    when 'array' then pg_catalog.jsonb_array_length(value) <= 16
      and not pg_catalog.jsonb_path_exists(value, '$[*] ? (@.type() != "string")')
    else false
  end;
end
$$;
grant execute on function private.is_valid_stop_sequences(jsonb) to authenticated, sb_service, service_role;

-- Counts code points. False if an element is null, or an array of its own.
create function private.are_lengths_between(texts text[], shortest integer, longest integer) returns boolean
language plpgsql immutable strict parallel safe
as $$
declare
  element text;
begin
  if pg_catalog.array_ndims(texts) > 1 then
    return false;
  end if;
  foreach element in array texts loop
    if element is null or pg_catalog.char_length(element) not between shortest and longest then
      return false;
    end if;
  end loop;
  return true;
end
$$;
grant execute on function private.are_lengths_between(text[], integer, integer)
  to authenticated, sb_service, service_role;

-- PostgreSQL parses and prepares every check of a table for each statement, which took a fifth of a write for sixteen
-- checks. One function, prepared once per connection, replaces all but the closed lists, and reports the name of the
-- violated check.
create function private.is_valid_agent(
  name text, role text, avatar text, description text, starter_questions text[], model text, system_prompt text,
  settings jsonb
) returns boolean
language plpgsql immutable parallel safe
as $$
declare
  broken text := case
    when char_length(name) not between 1 and 100 then 'agents_name_length'
    when char_length(role) > 200 then 'agents_role_length'
    when char_length(avatar) > 2048 then 'agents_avatar_length'
    when avatar !~* '^https?://[^/?#\s]' then 'agents_avatar_http'
    when char_length(description) > 2000 then 'agents_description_length'
    when cardinality(starter_questions) > 10 then 'agents_starter_questions_count'
    when starter_questions <> '{}' and not private.are_lengths_between(starter_questions, 1, 200)
      then 'agents_starter_questions_length'
    when char_length(model) not between 1 and 200 then 'agents_model_length'
    when char_length(system_prompt) > 100000 then 'agents_system_prompt_length'
    when settings = '{}' then null
    when jsonb_typeof(settings) <> 'object' then 'agents_settings_object'
    when octet_length(settings::text) > 32768 then 'agents_settings_size'
    when not private.is_number_between(settings -> 'frequency_penalty', -2, 2) then 'agents_settings_frequency_penalty'
    when not private.is_number_between(settings -> 'max_tokens', 1, 9007199254740991)
      or settings ->> 'max_tokens' !~ '^[0-9]+(\.0+)?$' then 'agents_settings_max_tokens'
    when not private.is_number_between(settings -> 'presence_penalty', -2, 2) then 'agents_settings_presence_penalty'
    when not private.is_valid_stop_sequences(settings -> 'stop') then 'agents_settings_stop'
    when not private.is_number_between(settings -> 'temperature', 0, 2) then 'agents_settings_temperature'
    when not private.is_number_between(settings -> 'tool_history', 0, 50)
      or settings ->> 'tool_history' !~ '^[0-9]+(\.0+)?$' then 'agents_settings_tool_history'
    when not private.is_number_between(settings -> 'top_p', 0, 1) then 'agents_settings_top_p'
  end;
begin
  if broken is null then
    return true;
  end if;
  raise exception 'new row for relation "agents" violates check constraint "%"', broken
    using errcode = 'check_violation', schema = 'public', table = 'agents', constraint = broken;
end
$$;
grant execute on function private.is_valid_agent(text, text, text, text, text[], text, text, jsonb)
  to authenticated, sb_service, service_role;

create table public.agents (
  id uuid default private.new_id() constraint agents_pkey primary key,
  user_id uuid not null default auth.uid() constraint agents_user_id_fkey references auth.users on delete cascade,
  name text not null,
  role text,
  avatar text,
  description text,
  starter_questions text[] not null default '{}',
  framework text not null default 'provider_a'
    constraint agents_framework_known check (framework in ('provider_a', 'provider_b', 'provider_c')),
  model text,
  system_prompt text,
  settings jsonb not null default '{}',
  -- The app vouches for the agent and its owner: tools that act for the person who asks work for others than the owner.
  acts_for_askers boolean not null default false,
  status text not null default 'idle'
    constraint agents_status_known check (status in ('idle', 'thinking', 'responding', 'error')),
  status_changed_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint agents_id_user_id_key unique (id, user_id),
  constraint agents_valid check (private.is_valid_agent(name, role, avatar, description, starter_questions, model,
    system_prompt, settings))
);
create index agents_user_id_idx on public.agents (user_id, created_at desc);
-- A change of the status must not write a long prompt into the WAL again.
alter table public.agents replica identity using index agents_id_user_id_key;
alter table public.agents enable row level security;
grant select, insert, update, delete on public.agents to authenticated, service_role, sb_service;

-- The number of agents of each user, so that the limit does not count them again with every insert.
create table private.agent_counters (
  user_id uuid constraint agent_counters_pkey primary key
    constraint agent_counters_user_id_fkey references auth.users on delete cascade,
  agents integer not null
);
alter table private.agent_counters enable row level security;
grant select, insert, update, delete on private.agent_counters to sb_service;

-- What an agent was after each transaction that changed it. A turn has the number of the version that it used.
create table public.agent_versions (
  agent_id uuid constraint agent_versions_agent_id_fkey references public.agents on delete cascade,
  number integer constraint agent_versions_number_range check (number > 0),
  role text,
  framework text not null,
  model text,
  system_prompt text,
  settings jsonb not null,
  -- The assigned tools, those of the owner with their definition. Secrets are never stored here.
  tools jsonb not null,
  guardrails jsonb not null default '[]',
  -- The owner of the agent or null, so that it needs no foreign key: both are deleted together.
  changed_by uuid,
  created_at timestamptz not null default now(),
  constraint agent_versions_pkey primary key (agent_id, number)
);
alter table public.agent_versions enable row level security;
-- New tables of public are the service role's. The service alone writes versions, so that they say what was true.
revoke insert, update, delete on public.agent_versions from service_role;
grant select on public.agent_versions to authenticated, service_role;
grant select, insert, update, delete on public.agent_versions to sb_service;

-- after functions

create policy models_select on public.models for select to authenticated, service_role, sb_service using (true);

create policy agents_select on public.agents for select to authenticated using (user_id = (select auth.uid()));
create policy agents_insert on public.agents for insert to authenticated with check (user_id = (select auth.uid()));
create policy agents_update on public.agents for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy agents_delete on public.agents for delete to authenticated using (user_id = (select auth.uid()));
create policy agents_service on public.agents to service_role, sb_service using (true) with check (true);

create trigger agents_prepare before insert or update on public.agents for each row
  execute function private.prepare_agent();
create trigger agents_vouch_new before insert on public.agents for each row
  when (new.acts_for_askers) execute function private.require_service_role('acts_for_askers');
create trigger agents_vouch before update of acts_for_askers on public.agents for each row
  when (new.acts_for_askers is distinct from old.acts_for_askers)
  execute function private.require_service_role('acts_for_askers');
create trigger agents_freeze before update of id on public.agents for each row
  when (new.id is distinct from old.id) execute function private.reject_change('id');
create trigger agents_keep_owner before update of user_id on public.agents for each row
  when (new.user_id is distinct from old.user_id) execute function private.reject_transfer('user_id');
create trigger agents_limit after insert on public.agents referencing new table as new_rows
  for each statement execute function private.enforce_agent_limit();
create trigger agents_count_deleted after delete on public.agents referencing old table as old_rows
  for each statement execute function private.count_deleted_agents();
create trigger agents_count_truncated after truncate on public.agents
  for each statement execute function private.count_truncated_agents();
create trigger agents_emit_created after insert on public.agents referencing new table as new_rows
  for each statement execute function private.emit_agent_created();
create trigger agents_emit_updated after update on public.agents referencing old table as old_rows new table as new_rows
  for each statement execute function private.emit_agent_updated();
create trigger agents_emit_deleted before delete on public.agents for each row
  execute function private.emit_agent_deleted();
create trigger agents_check_new_model after insert on public.agents for each row
  when (new.model is not null) execute function private.check_agent_model();
create trigger agents_check_model after update of framework, model on public.agents for each row
  when (new.model is not null and (new.framework, new.model) is distinct from (old.framework, old.model))
  execute function private.check_agent_model();

create trigger agents_store_first_version after insert on public.agents referencing new table as new_rows
  for each statement execute function private.store_first_agent_versions();
-- Deferred, so that all changes of a transaction are one version. The lists of columns keep a change of the status,
-- which runs make often, from comparing long prompts.
create constraint trigger agents_store_version
  after update of role, framework, model, system_prompt, settings on public.agents deferrable initially deferred
  for each row when ((new.role, new.framework, new.model, new.system_prompt, new.settings)
    is distinct from (old.role, old.framework, old.model, old.system_prompt, old.settings))
  execute function private.store_agent_version();

create policy agent_counters_service on private.agent_counters to sb_service using (true) with check (true);

create policy agent_versions_select on public.agent_versions for select to authenticated
  using (agent_id = any (array(select private.my_agent_ids())));
create policy agent_versions_service on public.agent_versions to service_role, sb_service
  using (true) with check (true);
