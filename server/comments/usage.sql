-- Usage.

comment on table public.usage_records is
'Tokens and cost of each turn, for the user who pays for it.

Rows stay when the swarm, the run or the agent is deleted.

Guide: swarms';
comment on column public.usage_records.id is 'The id, a UUID that sorts by time.';
comment on column public.usage_records.payer_id is 'The user whose budget is charged. Only the payer reads the row.';
comment on column public.usage_records.user_id is 'The user who started the run.';
comment on column public.usage_records.swarm_id is 'The swarm.';
comment on column public.usage_records.run_id is 'The run.';
comment on column public.usage_records.turn_id is 'The turn.';
comment on column public.usage_records.agent_id is 'The agent.';
comment on column public.usage_records.framework is 'The AI provider.';
comment on column public.usage_records.model is 'The model.';
comment on column public.usage_records.input_tokens is 'Tokens that the model read.';
comment on column public.usage_records.cached_input_tokens is
  'The part of `input_tokens` that the provider had in its cache.';
comment on column public.usage_records.output_tokens is 'Tokens that the model wrote.';
comment on column public.usage_records.reasoning_tokens is 'The part of `output_tokens` that was reasoning.';
comment on column public.usage_records.cost_usd is 'The cost; null if the price is unknown.';
comment on column public.usage_records.estimated is
  'True if the provider reported no usage and the service estimated it.';
comment on column public.usage_records.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.usage_records.grant_id is 'The grant by which the run asks an agent of somebody else.';

comment on view public.usage_daily is
'The sums of `usage_records` for each day, swarm, agent and model.

Guide: swarms';
comment on column public.usage_daily.day is 'A day in UTC.';
comment on column public.usage_daily.payer_id is 'The user whose budget is charged.';
comment on column public.usage_daily.swarm_id is 'The swarm.';
comment on column public.usage_daily.agent_id is 'The agent.';
comment on column public.usage_daily.framework is 'The AI provider.';
comment on column public.usage_daily.model is 'The model.';
comment on column public.usage_daily.turns is 'How many turns there were.';
comment on column public.usage_daily.input_tokens is 'Tokens that the model read.';
comment on column public.usage_daily.cached_input_tokens is
  'The part of `input_tokens` that the provider had in its cache.';
comment on column public.usage_daily.output_tokens is 'Tokens that the model wrote.';
comment on column public.usage_daily.reasoning_tokens is 'The part of `output_tokens` that was reasoning.';
comment on column public.usage_daily.cost_usd is 'The known cost; null if no price is known.';
