-- Calls of models and tools.

comment on table public.model_calls is
'One row for each request to a model provider: the first attempt, retries and fallbacks.

Written with the step of the run that follows the call: a tool call, or the end of the turn. A call that is in progress
when its node is lost has no row.

Rows are removed after `MODEL_CALLS_RETENTION_DAYS`, and with their run.

Guide: tracing';
comment on column public.model_calls.id is 'The id, a UUID that sorts by time.';
comment on column public.model_calls.run_id is 'The run.';
comment on column public.model_calls.turn_id is 'The turn; null for the selection of the next speaker.';
comment on column public.model_calls.swarm_id is 'The swarm.';
comment on column public.model_calls.agent_id is
  'The agent whose model was called; null if it was deleted during the turn.';
comment on column public.model_calls.attempt is '1 for the first request of a call; higher for retries and fallbacks.';
comment on column public.model_calls.framework is 'The AI provider that was called.';
comment on column public.model_calls.model is 'The model that was called.';
comment on column public.model_calls.status is '`cancelled`: aborted before the answer was complete.';
comment on column public.model_calls.finish_reason is 'Why the model stopped; null if the answer is incomplete.';
comment on column public.model_calls.error is 'The error of a call that failed.';
comment on column public.model_calls.first_token_ms is
  'Milliseconds until the first text or reasoning; null if there was none.';
comment on column public.model_calls.duration_ms is 'Milliseconds of the call.';
comment on column public.model_calls.input_tokens is
  'Tokens that the model read; null if the attempt failed and another one followed.';
comment on column public.model_calls.cached_input_tokens is
  'The part of `input_tokens` that the provider had in its cache.';
comment on column public.model_calls.output_tokens is 'Tokens that the model wrote.';
comment on column public.model_calls.reasoning_tokens is 'The part of `output_tokens` that was reasoning.';
comment on column public.model_calls.estimated is
  'True if the provider reported no usage and the service estimated it.';
comment on column public.model_calls.cost_usd is 'The cost; null if the price is unknown.';
comment on column public.model_calls.started_at is 'When the request was sent.';
comment on column public.model_calls.finished_at is 'When the call ended.';
comment on column public.model_calls.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.model_calls.grant_id is 'The grant by which the run asks an agent of somebody else.';

comment on table public.model_call_prompts is
'What a model call sent: system prompt, messages, tools and settings. The owner of the agent can read it.

One row for each call, with the id of its first attempt; retries and fallbacks send the same. Checks of guardrails have
none.

A part of a message is a text, or the `seq` of a message of the swarm, or the number up to which a `summary` reaches;
their text follows the `prefix`. Two line feeds join the parts.

A tool call of an earlier turn has the id of its execution, `execution_id`, in the place of its input and output.

`sha256` is the hash of the system prompt and of the text of each message (of a tool''s result: the output, or nothing
for one of an earlier turn), joined with line feeds. It differs if a message was edited or deleted since.

Images are counted, not stored. Reasoning that a provider signs and gets back is not part of the row.

Rows are removed with their call.

Guide: tracing';
comment on column public.model_call_prompts.model_call_id is 'The first attempt of the call.';
comment on column public.model_call_prompts.swarm_id is 'The swarm.';
comment on column public.model_call_prompts.agent_id is 'The agent whose model was called.';
comment on column public.model_call_prompts.kept_messages is
  'How many messages of the call before in the turn were sent again, before `messages`; 0 for the first call.';
comment on column public.model_call_prompts.system is 'The system prompt; null: that of the call before in the turn.';
comment on column public.model_call_prompts.messages is 'The messages, the oldest first.';
comment on column public.model_call_prompts.tools is
  'The tools that the model was offered; null: those of the call before in the turn.';
comment on column public.model_call_prompts.tool_choice is
  '`auto`, `none` (the model had to answer), or the name of the tool that it had to call.';
comment on column public.model_call_prompts.settings is 'The settings of the agent, with those of the call.';
comment on column public.model_call_prompts.max_output_tokens is 'The limit that a budget set; null if none applied.';
comment on column public.model_call_prompts.sha256 is
  'A hash of all texts that were sent, also of those that `kept_messages` counts.';

comment on table public.tool_executions is
'One row for each tool call of an agent.

Inputs and outputs are in `tool_execution_payloads`, which fewer people can read.

Event tool.executed: a call that succeeds
Event tool.error: a call that fails
Guide: tools';
comment on column public.tool_executions.id is 'The id, a UUID that sorts by time.';
comment on column public.tool_executions.run_id is 'The run.';
comment on column public.tool_executions.turn_id is 'The turn.';
comment on column public.tool_executions.swarm_id is 'The swarm.';
comment on column public.tool_executions.agent_id is 'The agent; null after it was deleted.';
comment on column public.tool_executions.tool_id is
  'The tool; null after it was deleted, and for tools that the call brought.';
comment on column public.tool_executions.tool_name is 'The name of the tool at that time.';
comment on column public.tool_executions.tool_call_id is 'The id that the model gave the call.';
comment on column public.tool_executions.sub_run_id is
  'The run of the sub-task that the call began; null for calls of other tools.';
comment on column public.tool_executions.output_chars is 'The length of the whole output.';
comment on column public.tool_executions.truncated is 'The model read only the first `max_output_chars` of the output.';
comment on column public.tool_executions.status is
  '`pending_approval` waits for a decision with `agent-respond`, `pending_client` for a result, `waiting` for a time '
  'or a signal.';
comment on column public.tool_executions.error is 'The error of a call that failed.';
comment on column public.tool_executions.attempts is 'Requests, retries included.';
comment on column public.tool_executions.duration_ms is 'Milliseconds of the call.';
comment on column public.tool_executions.decided_by is
  'The user who approved or denied the call, submitted its result, or sent the signal; null where that is the owner '
  'of an agent of somebody else.';
comment on column public.tool_executions.approver_id is
  'The user who decides on the call while it waits for an approval. Null: the owner of the agent, who is no member of '
  'the swarm. The computed field `may_decide` says whether it is the caller.';
comment on column public.tool_executions.expires_at is
  'When a call that waits for an approval is denied, one that waits for the client fails, and another wait ends. '
  'Null: the call waits without end, or does not wait.';
comment on column public.tool_executions.started_at is 'When the call started.';
comment on column public.tool_executions.finished_at is 'When the call ended.';
comment on column public.tool_executions.created_at is 'When the row was created. A sent value is ignored.';

comment on table public.tool_execution_payloads is
'Inputs and outputs of tool calls.

The owner and admins of the swarm and the owner of the agent can read a row, unless `private_to` names its only reader.

Guide: tools';
comment on column public.tool_execution_payloads.tool_execution_id is 'The tool call.';
comment on column public.tool_execution_payloads.swarm_id is 'The swarm.';
comment on column public.tool_execution_payloads.agent_id is 'The agent; null after it was deleted.';
comment on column public.tool_execution_payloads.input is
  'The arguments of the call: those of the model, and those that the assignment fixes.';
comment on column public.tool_execution_payloads.output is 'What the model read as the result.';
comment on column public.tool_execution_payloads.question is
  'The latest question of the tool to the owner of the agent: `id`, `message` and the `schema` of the answer.';
comment on column public.tool_execution_payloads.answer is
  'The answer to the question, until the tool has received it.';
comment on column public.tool_execution_payloads.private_to is
  'The only user who can read the row: the starter of a run, where the tool acts for them, except in a private '
  'conversation. Null: the row has more readers.';
