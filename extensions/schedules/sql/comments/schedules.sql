-- Schedules.

comment on table public.schedules is
'Schedules: when an agent, or the agents of a swarm, get a message of their user.

A schedule has `agent_id` or `swarm_id`, and `cron` or `run_at`.

With an API key, writing needs `run`, `write` and `share`. The schedule then has no more rights than the key, and ends
with it.

A user has at most 1,000 schedules.

Guide: schedules';
comment on column public.schedules.id is 'The id, a UUID that sorts by time.';
comment on column public.schedules.user_id is 'The owner, in whose name the runs are started. It cannot change.';
comment on column public.schedules.name is 'A name for the owner.';
comment on column public.schedules.agent_id is
  'The agent that is asked: your own, or one of `published_agents`. It cannot change.';
comment on column public.schedules.swarm_id is
  'The swarm that gets the message, in which you may write. It cannot change.';
comment on column public.schedules.message is 'What is sent.';
comment on column public.schedules.conversation is
  'With `agent_id`. `own`: one conversation for all runs of the schedule. `new`: one for each run. Neither is your '
  'chat with the agent.';
comment on column public.schedules.cron is 'Five fields: minute, hour, day of the month, month, day of the week.';
comment on column public.schedules.time_zone is 'The zone of `cron`, such as `Europe/Berlin`.';
comment on column public.schedules.run_at is 'The only time, instead of `cron`.';
comment on column public.schedules.enabled is
  'Whether runs are started. The service switches it off after the last time, and with a `paused_reason`.';
comment on column public.schedules.max_tokens is 'A budget of tokens for each run, beside all others that apply.';
comment on column public.schedules.max_cost_usd is 'A budget of US dollars for each run.';
comment on column public.schedules.when_running is
  'What a time does while a run of the schedule is in progress, or waits for a limit: `skip`, or `queue` behind it.';
comment on column public.schedules.when_missed is
  'What a time does that no node could start within five minutes: `skip`, or `last`, which starts the last one.';
comment on column public.schedules.jitter_seconds is
  'The longest random delay, which is less than the time to the next run.';
comment on column public.schedules.pause_after_failures is
  'How many failures in a row switch the schedule off; 0: none do.';
comment on column public.schedules.next_run_at is
  'When the next run is started. Null until the service has planned it, and while the schedule is off.';
comment on column public.schedules.due_at is
  '`next_run_at` without its jitter. While a start waits, the time that waits.';
comment on column public.schedules.waiting is
  'What a start waits for: a `limit`, or the `run` in progress. Null: it does not wait.';
comment on column public.schedules.retry_at is
  'When a start that waits for a limit is tried again; `infinity` while it waits for a run.';
comment on column public.schedules.open_run_id is 'The run in progress.';
comment on column public.schedules.last_outcomes is
  'The last ten, latest first: `due_at` (null: by hand), `at`, `outcome` (`started` and then the status of the run, '
  '`waiting`, `skipped`, `missed`, `rejected`), and where they apply `run_id`, `swarm_id`, `ended_at`, `code`, '
  '`message`.';
comment on column public.schedules.failures is 'Failures in a row.';
comment on column public.schedules.paused_reason is
  'Why the service has switched the schedule off: `failures`, or the code of the error that ended it.';
comment on column public.schedules.api_key_id is 'The API key that wrote the schedule last; null: none did.';
comment on column public.schedules.api_key_scopes is 'The scopes of this key.';
comment on column public.schedules.created_by_agent_id is
  'The agent whose tool has made the schedule; null: no agent has.';
comment on column public.schedules.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.schedules.updated_at is 'When the row changed last. A sent value is ignored.';
