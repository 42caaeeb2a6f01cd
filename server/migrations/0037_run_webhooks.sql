-- Webhooks of one run, for clients of other protocols that give an address with a task, and the event of the changes of
-- a run's status.

alter table public.webhooks
  add column run_id uuid constraint webhooks_run_id_fkey references public.runs on delete cascade,
  add column bodies jsonb
    constraint webhooks_bodies_of_run check (bodies is null or run_id is not null)
    constraint webhooks_bodies_object check (jsonb_typeof(bodies) = 'object')
    constraint webhooks_bodies_size check (octet_length(bodies::text) <= 32768),
  drop constraint webhooks_events_known,
  add constraint webhooks_events_known check (events <@ array[
    'message.created', 'message.updated', 'message.deleted', 'message.flagged',
    'swarm.created', 'swarm.updated', 'swarm.deleted', 'swarm.completed', 'swarm.agent_added', 'swarm.agent_removed',
    'run.updated',
    'agent.created', 'agent.updated', 'agent.deleted', 'agent.error', 'agent.status_changed',
    'tool.executed', 'tool.error',
    'user.joined', 'user.removed', 'user.role_changed']);
comment on column public.webhooks.run_id is
  'Only events of this run are sent. The webhook is deleted an hour after the run has ended.';
comment on column public.webhooks.bodies is
  'For a webhook of a run: what is sent for `run.updated` in place of the envelope, by the status of the run.';
create index webhooks_run_id_idx on public.webhooks (run_id) where run_id is not null;
-- Every change of a run's status asks whether anybody subscribes to it.
create index webhooks_run_updated_idx on public.webhooks (user_id) where is_active and 'run.updated' = any (events);

-- after functions

drop trigger webhooks_freeze on public.webhooks;
create trigger webhooks_freeze before update on public.webhooks for each row
  when ((new.id, new.api_version, new.run_id, new.bodies)
        is distinct from (old.id, old.api_version, old.run_id, old.bodies))
  execute function private.reject_change('id', 'api_version', 'run_id', 'bodies');
create trigger webhooks_check_run before insert on public.webhooks for each row
  when (new.run_id is not null) execute function private.check_webhook_run();
create trigger webhooks_follow_run after insert on public.webhooks for each row
  when (new.run_id is not null) execute function private.follow_run();
create trigger runs_emit_update after update on public.runs for each row
  when (new.status is distinct from old.status) execute function private.emit_run_update();
