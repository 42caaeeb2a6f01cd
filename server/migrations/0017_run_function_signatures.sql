-- Functions of runs whose parameters changed: the function files create the new ones.
drop function if exists private.store_events(public.run_events[], uuid[], uuid[], jsonb[]);
drop function if exists private.run_bodies(uuid[], uuid, boolean);
drop function if exists private.load_runs(uuid[]);
drop function if exists private.check_admission(jsonb, public.swarms);
drop function if exists private.may_interrupt(jsonb, public.swarms, uuid);
drop function if exists private.is_message_blocked(public.swarms, text);
drop function if exists private.answer_advances(jsonb, integer[], jsonb[], json[], boolean[], public.run_events[]);
