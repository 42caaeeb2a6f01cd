-- Functions of runs that others replace: the function files create the new ones.
drop function if exists private.build_delta_events(uuid[], uuid[], jsonb[]);
drop function if exists private.answer_advances(jsonb, integer[], jsonb[], json[], boolean[], public.run_events[],
  json[]);
drop function if exists private.plan_first_turns(jsonb, uuid[]);
