-- Guardrails: checks of what the agents of a swarm, or one agent, read and write.

create function private.is_valid_guardrail_config(kind text, config jsonb) returns boolean
language plpgsql immutable strict parallel safe
as $$
begin
  return case when pg_catalog.jsonb_typeof(config) <> 'object' then false else
    coalesce(pg_catalog.jsonb_typeof(config -> 'replacement') = 'string'
      and pg_catalog.char_length(config ->> 'replacement') <= 10000, true)
    and coalesce(config -> 'on_error' in ('"block"', '"pass"'), true)
    and coalesce(case kind
      when 'pattern' then pg_catalog.jsonb_typeof(config -> 'pattern') = 'string'
        and pg_catalog.char_length(config ->> 'pattern') between 1 and 500
      when 'schema' then pg_catalog.jsonb_typeof(config -> 'schema') = 'object'
      when 'model' then pg_catalog.jsonb_typeof(config -> 'policy') = 'string'
        and pg_catalog.char_length(config ->> 'policy') between 1 and 10000
      when 'webhook' then pg_catalog.jsonb_typeof(config -> 'url') = 'string'
        and pg_catalog.char_length(config ->> 'url') <= 2048
        and config ->> 'url' ~* '^https://[^/?#\s\\]' and config ->> 'url' !~ '[\s\\\x01-\x1f\x7f]'
        and coalesce(private.is_valid_delivery_headers(config -> 'headers'), true)
        and coalesce(case when pg_catalog.jsonb_typeof(config -> 'timeout_ms') = 'number'
          then (config ->> 'timeout_ms')::numeric between 100 and 30000 else not config ? 'timeout_ms' end, true)
      end, false)
  end;
end
$$;
grant execute on function private.is_valid_guardrail_config(text, jsonb) to authenticated, sb_service, service_role;

create table public.guardrails (
  id uuid default private.new_id() constraint guardrails_pkey primary key,
  agent_id uuid constraint guardrails_agent_id_fkey references public.agents on delete cascade,
  swarm_id uuid constraint guardrails_swarm_id_fkey references public.swarms on delete cascade,
  name text not null constraint guardrails_name_length check (char_length(name) between 1 and 100),
  kind text not null constraint guardrails_kind_known check (kind in ('pattern', 'schema', 'model', 'webhook')),
  stage text not null constraint guardrails_stage_known check (stage in ('input', 'output')),
  action text not null default 'block' constraint guardrails_action_known check (action in ('block', 'rewrite')),
  config jsonb not null constraint guardrails_config_size check (octet_length(config::text) <= 32768),
  position integer not null default 0 constraint guardrails_position_range check (position between 0 and 1000),
  is_active boolean not null default true,
  -- Signs the requests of a webhook; null for the other kinds.
  secret text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint guardrails_agent_id_exclusive check ((agent_id is null) <> (swarm_id is null)),
  constraint guardrails_config_format check (private.is_valid_guardrail_config(kind, config))
);
create index guardrails_agent_id_idx on public.guardrails (agent_id) where agent_id is not null;
create index guardrails_swarm_id_idx on public.guardrails (swarm_id) where swarm_id is not null;
alter table public.guardrails enable row level security;
grant select, insert, update, delete on public.guardrails to authenticated, service_role, sb_service;

-- after functions

create policy guardrails_select on public.guardrails for select to authenticated
  using (agent_id = any (array(select private.my_agent_ids()))
         or swarm_id = any (array(select private.my_managed_swarm_ids())));
create policy guardrails_insert on public.guardrails for insert to authenticated
  with check (agent_id = any (array(select private.my_agent_ids()))
              or swarm_id = any (array(select private.my_managed_swarm_ids())));
create policy guardrails_update on public.guardrails for update to authenticated
  using (agent_id = any (array(select private.my_agent_ids()))
         or swarm_id = any (array(select private.my_managed_swarm_ids())))
  with check (agent_id = any (array(select private.my_agent_ids()))
              or swarm_id = any (array(select private.my_managed_swarm_ids())));
create policy guardrails_delete on public.guardrails for delete to authenticated
  using (agent_id = any (array(select private.my_agent_ids()))
         or swarm_id = any (array(select private.my_managed_swarm_ids())));
create policy guardrails_service on public.guardrails to service_role, sb_service using (true) with check (true);

create trigger guardrails_prepare before insert or update on public.guardrails for each row
  execute function private.prepare_guardrail();
create trigger guardrails_stamp before insert or update on public.guardrails for each row
  execute function private.stamp_created_and_updated();
create trigger guardrails_freeze before update on public.guardrails for each row
  when ((new.id, new.agent_id, new.swarm_id, new.kind) is distinct from
        (old.id, old.agent_id, old.swarm_id, old.kind))
  execute function private.reject_change('id', 'agent_id', 'swarm_id', 'kind');
create trigger guardrails_limit after insert on public.guardrails referencing new table as new_rows
  for each statement execute function private.enforce_guardrail_limit();
create constraint trigger guardrails_store_version after insert or delete on public.guardrails
  deferrable initially deferred for each row execute function private.store_version_of_agent();
create constraint trigger guardrails_store_changed_version after update on public.guardrails
  deferrable initially deferred for each row
  when ((new.name, new.stage, new.action, new.config, new.position, new.is_active) is distinct from
        (old.name, old.stage, old.action, old.config, old.position, old.is_active))
  execute function private.store_version_of_agent();
