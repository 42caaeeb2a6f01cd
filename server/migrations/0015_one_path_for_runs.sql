-- Set-based functions replace these functions, which admitted, advanced and ended single runs.

-- after functions

drop function if exists private.survey_swarm(jsonb);
drop function if exists private.survey_swarms(jsonb);
drop function if exists private.admit_run(jsonb);
drop function if exists private.admit_runs(jsonb, text, integer);
drop function if exists private.advance_run(uuid, uuid, bigint, jsonb, boolean);
drop function if exists private.end_runs(jsonb);
drop function if exists private.start_turn(public.runs, jsonb);
drop function if exists private.finish_turn(public.runs, jsonb);
drop function if exists private.finish_run(public.runs, jsonb);
drop function if exists private.tell_of_failure(public.runs, public.run_turns);
drop function if exists private.check_run_member(uuid, uuid, boolean);
drop function if exists private.check_swarm_answers(uuid, jsonb);
drop function if exists private.check_day_budgets(public.swarms, uuid);
drop function if exists private.find_replayed_run(jsonb);
drop function if exists private.read_transcript(uuid, bigint, integer);
drop function if exists private.store_run_events(public.runs, jsonb);
drop function if exists private.context_by_agent(jsonb, text);
drop function if exists private.may_agent_speak(uuid, uuid);
drop function if exists private.run_usage(public.runs);
