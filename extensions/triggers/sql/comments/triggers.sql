-- Triggers and their calls.

comment on table public.triggers is
'Triggers: addresses that other systems call to start an agent, or the agents of a swarm.

The address is `/triggers/v1/<id>`. It accepts calls once the function `triggers` has stored a secret.

A trigger has `agent_id` or `swarm_id`.

With an API key, writing needs `run`, `write` and `share`, and `approve` while there are `allowed_tools`. The trigger
then has no more rights than the key, and ends with it.

A user has at most 100 triggers.

Guide: triggers';
comment on column public.triggers.id is 'The id, a UUID that sorts by time.';
comment on column public.triggers.user_id is 'The owner, in whose name the runs are started. It cannot change.';
comment on column public.triggers.name is 'A name for the owner.';
comment on column public.triggers.agent_id is
  'The agent that is asked: your own, or one of `published_agents`. It cannot change.';
comment on column public.triggers.swarm_id is
  'The swarm that gets the message, in which you may write. It cannot change.';
comment on column public.triggers.message is
  'What is sent. `{{data.object.id}}` is a value of the payload, `{{.}}` all of it.';
comment on column public.triggers.conversation is
  'With `agent_id`. `own`: one conversation for all runs of the trigger. `new`: one for each run. Neither is your '
  'chat with the agent.';
comment on column public.triggers.verification is 'How the sender proves who it is. Another kind needs another secret.';
comment on column public.triggers.signature_header is 'With `hmac`: the header that has the signature of the body.';
comment on column public.triggers.signature_algorithm is 'With `hmac`.';
comment on column public.triggers.signature_encoding is 'With `hmac`.';
comment on column public.triggers.signature_prefix is
  'With `hmac`: what stands before the signature, such as `sha256=`.';
comment on column public.triggers.event_id_path is
  'With `hmac` and `bearer`: where the payload has the id of the event. Two calls with the same id are one.';
comment on column public.triggers.filter is
  'Conditions on the payload: calls that do not meet them are counted and start nothing. Null: all start runs.';
comment on column public.triggers.replay_window_seconds is
  'How much the signed time may differ from now, with senders that sign one.';
comment on column public.triggers.enabled is
  'Whether calls are accepted. The service switches it off with a `paused_reason`.';
comment on column public.triggers.calls_per_minute is 'More calls get 429.';
comment on column public.triggers.max_payload_bytes is 'Longer bodies get 413.';
comment on column public.triggers.retention_days is 'How long calls are kept. At most 10,000 are.';
comment on column public.triggers.max_tokens is 'A budget of tokens for each run, beside all others that apply.';
comment on column public.triggers.max_cost_usd is 'A budget of US dollars for each run.';
comment on column public.triggers.allowed_tools is
  'Names of tools that act for you and can write, and that need no approval in conversations of the trigger.';
comment on column public.triggers.pause_after_failures is
  'How many failures in a row switch the trigger off; 0: none do.';
comment on column public.triggers.has_secret is 'Whether a secret is stored. Nobody can read it.';
comment on column public.triggers.failures is 'Failures in a row.';
comment on column public.triggers.skipped is 'How many calls did not meet the filter.';
comment on column public.triggers.paused_reason is
  'Why the service has switched the trigger off: `failures`, or the code of the error that ended it.';
comment on column public.triggers.limited_at is 'When `calls_per_minute` was exceeded last.';
comment on column public.triggers.unverified_at is 'When a call was not verified last; written about once a minute.';
comment on column public.triggers.api_key_id is 'The API key that wrote the trigger last; null: none did.';
comment on column public.triggers.api_key_scopes is 'The scopes of this key.';
comment on column public.triggers.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.triggers.updated_at is 'When the row changed last. A sent value is ignored.';

comment on table public.trigger_calls is
'Calls of triggers: what other systems have sent, and what came of it.

The service writes the rows, and deletes them after `retention_days`. Headers are not kept.

Guide: triggers';
comment on column public.trigger_calls.id is 'The id, a UUID that sorts by time.';
comment on column public.trigger_calls.trigger_id is 'The trigger.';
comment on column public.trigger_calls.user_id is 'The owner of the trigger.';
comment on column public.trigger_calls.event_id is
  'The id of the event; a digest of the body where the sender signs none.';
comment on column public.trigger_calls.event_type is 'The type of the event, where the sender names one.';
comment on column public.trigger_calls.payload is 'The body, or the fields of a form.';
comment on column public.trigger_calls.status is
  '`waiting` for a limit of the owner; `started`, then the status of the run, or `deleted` with it; `rejected` if the '
  'owner may not start the run; `loop_detected` if runs of triggers led to the call.';
comment on column public.trigger_calls.error is
  '`code` and `message` of what the call waits for, or of why there is no answer.';
comment on column public.trigger_calls.run_id is 'The run.';
comment on column public.trigger_calls.swarm_id is 'The conversation of the run.';
comment on column public.trigger_calls.depth is 'How many runs of triggers, one after the other, led to the call.';
comment on column public.trigger_calls.replays is 'The call whose payload was sent again.';
comment on column public.trigger_calls.retry_at is 'When a call that waits is tried again.';
comment on column public.trigger_calls.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.trigger_calls.finished_at is 'When the run ended, or the call without one.';
