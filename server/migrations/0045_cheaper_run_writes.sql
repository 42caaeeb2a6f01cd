-- What a run writes costs less.

-- Events are kept for a day. Compressing the last one of each run, which has its whole result, costs more than storing
-- it as it is.
alter table public.run_events set (toast_tuple_target = 4080);

-- after functions

-- PostgreSQL reads the condition of a trigger anew for every statement. With a list of columns it does not read it for
-- the change of a status, of which a run makes three.
drop trigger agents_freeze on public.agents;
create trigger agents_freeze before update of id on public.agents for each row
  when (new.id is distinct from old.id) execute function private.reject_change('id');
drop trigger agents_keep_owner on public.agents;
create trigger agents_keep_owner before update of user_id on public.agents for each row
  when (new.user_id is distinct from old.user_id) execute function private.reject_transfer('user_id');
drop trigger agents_check_model on public.agents;
create trigger agents_check_model after update of framework, model on public.agents for each row
  when (new.model is not null and (new.framework, new.model) is distinct from (old.framework, old.model))
  execute function private.check_agent_model();

-- Now with a parameter for the prompts of model calls, which no longer are in the steps of runs.
drop function if exists private.take_steps(public.runs[], jsonb[], jsonb[], public.run_events[]);
drop function if exists private.take_step(public.runs, jsonb);
drop function if exists private.add_model_calls(public.runs, jsonb);
drop function if exists private.finish_turns(jsonb);
drop function if exists private.update_ended_turns(jsonb);
drop function if exists private.read_model_call_prompts(uuid, uuid, jsonb);
