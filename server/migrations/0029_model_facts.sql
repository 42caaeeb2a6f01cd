-- What is known of each model. Null is not known; a price is in USD for a million tokens.
alter table public.models
  add column context_window integer constraint models_context_window_range check (context_window > 0),
  add column max_output_tokens integer constraint models_max_output_tokens_range check (max_output_tokens > 0),
  add column price_input numeric constraint models_price_input_range check (price_input >= 0),
  add column price_cached_input numeric constraint models_price_cached_input_range check (price_cached_input >= 0),
  add column price_output numeric constraint models_price_output_range check (price_output >= 0),
  add column supports jsonb not null default '{}' constraint models_supports_object check (jsonb_typeof(supports) = 'object'),
  add column is_simulated boolean not null default false,
  -- The framework takes models that are not listed, too; the same in all rows of a framework.
  add column is_list_open boolean not null default false;

create or replace function private.check_agent_model() returns trigger language plpgsql
as $$
declare
  offered text[] := array(select m.id from public.models m where m.framework = new.framework order by m.position, m.id);
begin
  if pg_catalog.cardinality(offered) > 0 and not new.model = any (offered)
     and not exists (select 1 from public.models m where m.framework = new.framework and m.is_list_open) then
    raise exception 'model % is not offered by %', new.model, new.framework
      using errcode = 'check_violation', schema = 'public', table = 'agents', column = 'model',
            constraint = 'agents_model_offered', hint = 'It offers: ' || pg_catalog.array_to_string(offered, ', '),
            detail = pg_catalog.json_build_object('framework', new.framework, 'model', new.model)::text;
  end if;
  return null;
end
$$;
