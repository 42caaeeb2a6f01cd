-- Agents that are published or granted to others.

comment on table public.agent_grants is
'Who may ask an agent beside its owner, and on which terms.

Exactly one grant applies to a caller: the one for the user, else the matching claim of the highest `priority`, else the
one for everyone. Of equal ones the oldest applies. Expired ones do not count.

Only the service role and operators write grants to everyone or to a claim, unless `AGENT_PUBLISHERS` is `users`.

A grant to a user is an offer until that user accepts it, with the function `agent-grants`. A change of `payer`,
`approver` or `transcripts` needs a new acceptance, and so does an assignment of a tool that gives its calls to the
owner.

Guide: serve-customers';
comment on column public.agent_grants.id is 'The id, a UUID that sorts by time.';
comment on column public.agent_grants.agent_id is 'The agent. It cannot change.';
comment on column public.agent_grants.audience is
  '`everyone` is every signed-in user, `claim` the accounts with `claim`, `user` the one account of `user_id`. It '
  'cannot change.';
comment on column public.agent_grants.claim is
  'With the audience `claim`: an object that the stored `app_metadata` of the account contains.';
comment on column public.agent_grants.user_id is 'With the audience `user`: the account. It cannot change.';
comment on column public.agent_grants.include_anonymous is
  'Whether a grant to everyone or to a claim is also for anonymous users.';
comment on column public.agent_grants.priority is 'Of several matching grants of one audience, the highest applies.';
comment on column public.agent_grants.agent_version is
  'The version of the agent that answers. Edits reach nobody until it changes. Null is the agent as it is.';
comment on column public.agent_grants.approver is
  'Who decides on tool calls that wait for an approval: `owner` of the agent, or `asker`.';
comment on column public.agent_grants.payer is 'Who pays for the answers: `owner` of the agent, or `asker`.';
comment on column public.agent_grants.runs_per_day is
  'Runs of each asker in a UTC day; null is no limit. 0 blocks at once, without an acceptance.';
comment on column public.agent_grants.cost_per_day is 'Cost in USD of each asker in a UTC day; null is no limit.';
comment on column public.agent_grants.total_runs_per_day is
  'Runs of all askers together in a UTC day; null is no limit.';
comment on column public.agent_grants.total_cost_per_day is
  'Cost in USD of all askers together in a UTC day; null is no limit.';
comment on column public.agent_grants.transcripts is
  'Who reads the conversations: `private` is whoever asks alone, `owner` also the owner of the agent.';
comment on column public.agent_grants.accepts_messages is 'Whether a call may bring its own conversation.';
comment on column public.agent_grants.accepts_client_tools is
  'Whether a call may bring tools that the client executes.';
comment on column public.agent_grants.shows_owner is 'Whether whoever asks sees the name of the owner.';
comment on column public.agent_grants.expires_at is 'When the grant ends; null if it does not.';
comment on column public.agent_grants.accepted_at is 'When the user accepted the offer; set by the service.';
comment on column public.agent_grants.accepted_approver is
  'Who approves tool calls, as the user was told then; set by the service.';
comment on column public.agent_grants.declined_at is 'When the user declined the offer; set by the service.';
comment on column public.agent_grants.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.agent_grants.updated_at is 'When the row changed last. A sent value is ignored.';

comment on view public.published_agents is
'The agents of others that you may ask, and what you should know before.

`POST /functions/v1/agent-respond` with `agent_id` asks one, in a private conversation.

Guide: serve-customers';
comment on column public.published_agents.id is 'The id, a UUID that sorts by time.';
comment on column public.published_agents.name is 'The name of the agent.';
comment on column public.published_agents.role is 'What the agent is for.';
comment on column public.published_agents.avatar is 'A URL of a picture.';
comment on column public.published_agents.description is 'What the agent does.';
comment on column public.published_agents.starter_questions is 'Questions to begin with.';
comment on column public.published_agents.payer is 'Who pays for the answers: `owner` of the agent, or `asker`.';
comment on column public.published_agents.approver is
  'Who decides on tool calls that wait for an approval: `owner` of the agent, or `asker`.';
comment on column public.published_agents.transcripts is
  'Who reads the conversations: `private` is whoever asks alone, `owner` also the owner of the agent.';
comment on column public.published_agents.receivers is
  'The origins that receive text of conversations: of HTTP tools and of webhooks that check messages. `https://*` '
  'stands for an address that the model chooses.';
comment on column public.published_agents.provider is
  'Whose models answer and check messages, fallbacks that the operator has set included.';
comment on column public.published_agents.owner_name is 'The name of the owner, if the grant shows it.';
comment on column public.published_agents.acts_for_asker is
  'Tools of the agent act in your name, with your rights or your connected accounts, or make schedules for you.';

comment on view public.agent_offers is
'The grants that name you and wait for your answer.

The function `agent-grants` accepts or declines one.

Guide: serve-customers';
comment on column public.agent_offers.id is 'The id, a UUID that sorts by time.';
comment on column public.agent_offers.agent_id is 'The agent.';
comment on column public.agent_offers.name is 'The name of the agent.';
comment on column public.agent_offers.role is 'What the agent is for.';
comment on column public.agent_offers.avatar is 'A URL of a picture.';
comment on column public.agent_offers.description is 'What the agent does.';
comment on column public.agent_offers.payer is 'Who pays for the answers: `owner` of the agent, or `asker`.';
comment on column public.agent_offers.approver is
  'Who decides on tool calls that wait for an approval: `owner` of the agent, or `asker`.';
comment on column public.agent_offers.transcripts is
  'Who reads the conversations: `private` is whoever asks alone, `owner` also the owner of the agent.';
comment on column public.agent_offers.runs_per_day is 'How many runs you may start in a UTC day; null is no limit.';
comment on column public.agent_offers.cost_per_day is 'What your runs may cost in a UTC day, in USD; null is no limit.';
comment on column public.agent_offers.owner_name is 'The name of the owner, if the grant shows it.';
comment on column public.agent_offers.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.agent_offers.expires_at is 'When the offer ends; null if it does not.';

comment on view public.agent_customers is
'Who has asked your agents by a grant: figures without content.

Guide: serve-customers';
comment on column public.agent_customers.agent_id is 'The agent.';
comment on column public.agent_customers.user_id is 'Whoever asked.';
comment on column public.agent_customers.full_name is 'Their name.';
comment on column public.agent_customers.runs is 'How many runs they started.';
comment on column public.agent_customers.cost_usd is 'What the answers have cost, in USD.';
comment on column public.agent_customers.errors is 'How many answers failed.';
comment on column public.agent_customers.last_run_at is 'When they asked last.';

comment on view public.customer_turns is
'The answers of your agents to those who ask by a grant: figures without content.

Guide: serve-customers';
comment on column public.customer_turns.id is 'The id, a UUID that sorts by time.';
comment on column public.customer_turns.agent_id is 'The agent.';
comment on column public.customer_turns.user_id is 'Whoever asked.';
comment on column public.customer_turns.run_id is 'The run.';
comment on column public.customer_turns.status is 'How far the answer is.';
comment on column public.customer_turns.duration_ms is 'Milliseconds of the whole answer.';
comment on column public.customer_turns.cost_usd is 'What the answer has cost, in USD.';
comment on column public.customer_turns.error_code is 'The code of the error of an answer that failed.';
comment on column public.customer_turns.tool_names is 'The tools that were called, in their order.';
comment on column public.customer_turns.created_at is 'When the row was created. A sent value is ignored.';
