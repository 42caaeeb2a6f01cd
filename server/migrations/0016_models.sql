-- The models that each framework offers, written by the service when it starts. Callers read the list and choose from it.
create table public.models (
  framework text constraint models_framework_known check (framework in ('provider_a', 'provider_b', 'provider_c')),
  id text constraint models_id_length check (char_length(id) between 1 and 200),
  is_default boolean not null default false,
  position integer not null constraint models_position_range check (position >= 0),
  constraint models_pkey primary key (framework, id)
);

alter table public.models enable row level security;
create policy models_select on public.models for select to authenticated, service_role, sb_service using (true);
revoke insert, update, delete on public.models from service_role;
grant select on public.models to authenticated, service_role, sb_service;

-- After the row's own checks, so that an unknown framework is told as such, and only where the pair is new: a list that has
-- shrunk since must not keep an owner from renaming an agent. A framework without a list takes any model.
create function private.check_agent_model() returns trigger language plpgsql
as $$
declare
  offered text[] := array(select m.id from public.models m where m.framework = new.framework order by m.position, m.id);
begin
  if pg_catalog.cardinality(offered) > 0 and not new.model = any (offered) then
    raise exception 'model % is not offered by %', new.model, new.framework
      using errcode = 'check_violation', schema = 'public', table = 'agents', column = 'model',
            constraint = 'agents_model_offered', hint = 'It offers: ' || pg_catalog.array_to_string(offered, ', '),
            detail = pg_catalog.json_build_object('framework', new.framework, 'model', new.model)::text;
  end if;
  return null;
end
$$;
create trigger agents_check_new_model after insert on public.agents for each row
  when (new.model is not null) execute function private.check_agent_model();
create trigger agents_check_model after update on public.agents for each row
  when (new.model is not null and (new.framework, new.model) is distinct from (old.framework, old.model))
  execute function private.check_agent_model();
