-- Runs, turns and their events.

comment on table public.runs is
'One row for each time that the agents of a swarm respond.

`agent-respond` creates, cancels and continues runs.

`turns` embeds `run_turns`: `select=*,turns(*,model_calls(*),tool_executions(*))` is the whole trace of a run.

The computed field `duration_ms` is how long a run took; null before it ends. `order=duration_ms.desc.nullslast` lists
the slowest first.

Event run.updated: a change of `status`
Event swarm.completed: a run that ends as `completed` or `partial`
Guide: agents';
comment on column public.runs.id is 'The id, a UUID that sorts by time.';
comment on column public.runs.swarm_id is 'The swarm.';
comment on column public.runs.user_id is 'The user who started the run.';
comment on column public.runs.client_id is
  'The OAuth client of the program that started the run for the user; null: none did. It stays after the program was '
  'disconnected.';
comment on column public.runs.message_id is 'The message that the run responds to.';
comment on column public.runs.status is
  '`requires_action` waits for an approval or for a result of the client, `waiting` for a time or a signal.';
comment on column public.runs.stop_reason is 'Why the run ended; null before that.';
comment on column public.runs.strategy is 'The strategy of the swarm when the run was created.';
comment on column public.runs.request is
  'The options of the call. Of a sub-task: `source` is `sub_task`, and `parent_run_id` the run that it is a part of.';
comment on column public.runs.cause is
  'What started the run in place of a call: the `extension`, and its `type` and `id`. Null for a call or a message of '
  'a user.';
comment on column public.runs.error is 'The error of a run that failed.';
comment on column public.runs.usage is 'Tokens and cost of all turns; null before the run ends.';
comment on column public.runs.turn_count is 'How many turns there were.';
comment on column public.runs.queued_at is 'When the run was accepted.';
comment on column public.runs.started_at is 'When the first turn started.';
comment on column public.runs.finished_at is 'When the run ended.';
comment on column public.runs.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.runs.pending_waits is
  'The tool calls that wait for a time or a signal: `tool_execution_id`, `tool_name`, `agent_id`, `kind` (`time` or '
  '`event`), `until`, and of an event `name` and `from`. Null without any.';
comment on column public.runs.can_continue is
  'All that the run waited for has ended; it continues when no other run of the swarm is running.';

comment on table public.run_turns is
'One row for each response of one agent in a run.

Event agent.error: a turn that fails
Event agent.status_changed: a turn that starts, writes or ends
Event message.created: a turn that wrote a message
Guide: agents';
comment on column public.run_turns.id is 'The id, a UUID that sorts by time.';
comment on column public.run_turns.run_id is 'The run.';
comment on column public.run_turns.swarm_id is 'The swarm.';
comment on column public.run_turns.agent_id is 'The agent; null after it was deleted.';
comment on column public.run_turns.agent_name is 'The name of the agent at that time.';
comment on column public.run_turns.position is 'The order in the run.';
comment on column public.run_turns.status is 'How far the turn is. `waiting`: its run waits.';
comment on column public.run_turns.framework is 'The AI provider that answered.';
comment on column public.run_turns.model is 'The model that answered.';
comment on column public.run_turns.message_id is 'The message that the turn wrote.';
comment on column public.run_turns.finish_reason is 'Why the model stopped; `empty_response` if it wrote no text.';
comment on column public.run_turns.error is 'The error of a turn that failed.';
comment on column public.run_turns.warnings is
  'Settings that the model did not accept, and messages that did not fit into its context.';
comment on column public.run_turns.attempts is 'Calls of the model, retries included.';
comment on column public.run_turns.first_token_ms is 'Milliseconds until the first text.';
comment on column public.run_turns.duration_ms is 'Milliseconds of the whole turn.';
comment on column public.run_turns.input_tokens is 'Tokens that the model read.';
comment on column public.run_turns.cached_input_tokens is
  'The part of `input_tokens` that the provider had in its cache.';
comment on column public.run_turns.output_tokens is 'Tokens that the model wrote.';
comment on column public.run_turns.reasoning_tokens is 'The part of `output_tokens` that was reasoning.';
comment on column public.run_turns.estimated is 'True if the provider reported no usage and the service estimated it.';
comment on column public.run_turns.cost_usd is 'The cost; null if the price is unknown.';
comment on column public.run_turns.started_at is 'When the turn started.';
comment on column public.run_turns.finished_at is 'When the turn ended.';
comment on column public.run_turns.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.run_turns.agent_version is
  'The `number` of the version in `agent_versions` that answered; null for turns before there were versions.';
comment on column public.run_turns.asked is
  'What another agent asks in the turn: `by_agent_id`, `by_agent_name` and `message`; null for a turn of the '
  'strategy.';
comment on column public.run_turns.handoff is
  'The agent that goes on: `agent_id`, `agent_name` and the `reason`; null for a turn without a handoff.';
comment on column public.run_turns.grant_id is
  'The grant by which the run asks an agent of somebody else. Whoever asks does not see the row.';
comment on column public.run_turns.hides_usage is
  'Whether the owner of the agent pays, so that whoever asks does not see the usage.';

comment on table public.run_events is
'The stream of a run, stored so that a client can resume it.

Rows of an ended run are removed after `RUN_EVENTS_RETENTION_DAYS`.

Guide: agents';
comment on column public.run_events.run_id is 'The run.';
comment on column public.run_events.seq is
  'The number of the event in its run, which is the id of the event in the stream.';
comment on column public.run_events.swarm_id is 'The swarm.';
comment on column public.run_events.agent_id is 'The agent that the event is about.';
comment on column public.run_events.restricted is
  'Only the owner and admins of the swarm and the owner of the agent can read the event.';
comment on column public.run_events.type is 'The type of the event in the stream, such as `message.delta`.';
comment on column public.run_events.data is 'The members of the event.';
comment on column public.run_events.created_at is 'When the row was created. A sent value is ignored.';
