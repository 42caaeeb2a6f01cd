-- What agents are told and tell each other, turns that wait, and why runs end.

alter table public.swarms add constraint swarms_settings_preamble check (case when settings ? 'preamble'
  then jsonb_typeof(settings -> 'preamble') = 'string' and char_length(settings ->> 'preamble') <= 4000
  else true end);

alter table public.run_turns
  add column asked jsonb,
  add column handoff jsonb,
  alter column status set default 'thinking',
  drop constraint run_turns_status_known,
  add constraint run_turns_status_known
    check (status in ('waiting', 'thinking', 'responding', 'completed', 'failed', 'cancelled'));
create index run_turns_asked_idx on public.run_turns (swarm_id, started_at) where asked is not null;
create index run_turns_handoff_idx on public.run_turns (swarm_id, finished_at) where handoff is not null;
create index run_turns_open_idx on public.run_turns (agent_id) where status in ('waiting', 'thinking', 'responding');

alter table public.runs
  drop constraint runs_stop_reason_known,
  add constraint runs_stop_reason_known check (stop_reason in (
    'all_replied', 'no_reply_needed', 'empty_response', 'max_turns', 'max_tool_steps', 'max_tokens_reached',
    'context_length_exceeded', 'schema_mismatch', 'budget_exceeded', 'timeout', 'loop_detected', 'no_progress',
    'cancelled', 'interrupted', 'starter_removed', 'provider_error', 'content_filtered', 'guardrail_failed',
    'internal_error', 'approval_expired', 'worker_lost'));

-- after functions

drop index if exists public.run_turns_live_idx;

create trigger swarms_keep_preamble before update on public.swarms for each row
  when (current_user in ('anon', 'authenticated')
        and new.settings -> 'preamble' is distinct from old.settings -> 'preamble')
  execute function private.keep_preamble();
