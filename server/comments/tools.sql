-- Tools and models.

comment on table public.agent_tools is
'Which tools an agent can use.

An agent has a tool once. The embedding `tool` returns the tool itself as one object.

Guide: tools';
comment on column public.agent_tools.id is 'The id, a UUID that sorts by time.';
comment on column public.agent_tools.agent_id is 'The agent. It cannot change.';
comment on column public.agent_tools.tool_id is
  'The tool: your own, one of a swarm that you share, a public or a built-in one. It cannot change.';
comment on column public.agent_tools.user_id is 'The owner of the agent, set by the service.';
comment on column public.agent_tools.enabled is 'False keeps the assignment without offering the tool to the model.';
comment on column public.agent_tools.configuration is 'Overrides of the input, and lower limits, for this agent.';
comment on column public.agent_tools.approver is
  'Who decides on calls that wait for an approval: `owner` of the agent, or `asker`. Null: as the grant says, without '
  'one the owner. The starter of a run always decides on a tool that acts for them.';
comment on column public.agent_tools.is_vouched is
  'The service role wrote the configuration last, not the owner. Set by the service.';
comment on column public.agent_tools.created_at is 'When the row was created. A sent value is ignored.';

comment on table public.tools is
'Functions that agents can call: built-in, HTTP, or of an MCP server.

Names are unique for each owner.

A response never contains a secret. `secrets` is written, `secret_names` is read.

Only the service role creates public tools and built-in tools.

Alias secrets: Values by name, which replace all stored secrets. They are encrypted, and never returned.
Guide: tools';
comment on column public.tools.id is 'The id, a UUID that sorts by time.';
comment on column public.tools.owner_id is
  'The owner; null for built-in and public tools of the operator. It cannot change.';
comment on column public.tools.name is 'The name by which a model calls the tool.';
comment on column public.tools.description is 'What the tool does, for the model.';
comment on column public.tools.category is 'For grouping in a user interface.';
comment on column public.tools.icon is 'For a user interface: a URL or a name.';
comment on column public.tools.input_schema is 'JSON Schema of the input; its `type` must be `object`.';
comment on column public.tools.kind is
  '`http`, `mcp`, `client`, `swarm`, `builtin`, or a kind of an extension: `<extension>.<kind>`, or only its name, '
  'such as `rpc`, `function`, `schedule` or `a2a`. It cannot change.';
comment on column public.tools.config is
  'Where and how the tool is called. Its keys depend on `kind`; an empty object means that the tool cannot run yet.';
comment on column public.tools.visibility is
  '`private`: the owner. `shared`: members of the owner''s swarms. `public`: everybody.';
comment on column public.tools.requires_approval is 'True makes a call wait until a person approves it.';
comment on column public.tools.timeout_ms is 'The time limit of one call. It does not apply to tools of kind `client`.';
comment on column public.tools.max_output_chars is
  'The model reads this many characters of the output; longer output is truncated.';
comment on column public.tools.enabled is 'False offers the tool to no agent.';
comment on column public.tools.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.tools.updated_at is 'When the row changed last. A sent value is ignored.';
comment on column public.tools.secret_names is 'The names of the stored secrets.';
comment on column public.tools.max_retries is 'How often a `GET` or `HEAD` request that got no response is repeated.';
comment on column public.tools.idempotent is
  'A call has the same effect once and twice. If its node is lost, the call is repeated; otherwise the model is told '
  'that its outcome is unknown.';
comment on column public.tools.is_vouched is
  'The service role wrote the definition last, not the owner. A tool that acts for the person who asks is offered to '
  'others than its owner only then. Set by the service.';

comment on table public.models is
'The models that agents can use, as the operator configured them.

The service writes the table at every start. Nobody can change it, the service role included.

Guide: models';
comment on column public.models.framework is 'The AI provider.';
comment on column public.models.id is 'The name for `agents.model`.';
comment on column public.models.is_default is 'Used by agents of the framework whose `model` is null.';
comment on column public.models.position is 'The order in the configuration.';
comment on column public.models.context_window is 'Tokens of input and output together; null if unknown.';
comment on column public.models.max_output_tokens is 'The longest response; null if unknown.';
comment on column public.models.price_input is 'USD per million tokens of input; null if unknown.';
comment on column public.models.price_cached_input is
  'USD per million tokens of input that the provider had in its cache; null if unknown.';
comment on column public.models.price_output is 'USD per million tokens of output; null if unknown.';
comment on column public.models.supports is 'Which settings and features the model accepts.';
comment on column public.models.is_simulated is 'The service itself creates the responses, without a provider.';
comment on column public.models.is_list_open is 'The framework also accepts models that are not in the list.';
comment on column public.models.is_default_framework is
  'The first framework that can answer: what the console and files choose for agents that name none.';
