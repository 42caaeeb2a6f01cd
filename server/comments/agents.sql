-- Agents, their versions and guardrails.

comment on table public.agents is
'The AI agents of a user.

A user has at most `AGENT_LIMIT_PER_USER` agents; one more returns 403 `AGENT_LIMIT_REACHED`.

Only the owner reads the whole row. Members of a swarm read `agent_cards`.

An update of `settings` replaces the whole object.

Event agent.created: an insert
Event agent.updated: an update of any column except `status`
Event agent.status_changed: a change of `status`, by the owner or by a run
Event agent.error: a turn of the agent that fails
Event agent.deleted: a delete
Event swarm.agent_removed: a delete, for each swarm that the agent was in
Guide: agents';
comment on column public.agents.id is 'The id, a UUID that sorts by time.';
comment on column public.agents.user_id is 'The owner. It cannot change.';
comment on column public.agents.name is 'Shown to people and to other agents. Spaces at both ends are removed.';
comment on column public.agents.role is 'What the agent is for, in a few words. It is part of its instructions.';
comment on column public.agents.avatar is 'An `http` or `https` URL of a picture.';
comment on column public.agents.description is
  'What the agent does, for the people who choose it. The model does not read it.';
comment on column public.agents.starter_questions is
  'Questions that a user interface can offer to begin with. Spaces at both ends of each are removed.';
comment on column public.agents.framework is 'The AI provider, as the operator configured it.';
comment on column public.agents.model is
  'One of the `models` of the framework; null uses the default model. An empty text is stored as null, and '
  '`openai/<model>` as the framework of that vendor and its model.';
comment on column public.agents.system_prompt is 'The instructions of the agent.';
comment on column public.agents.settings is
  'Parameters of the model. Known keys are checked, other keys are kept as sent.';
comment on column public.agents.acts_for_askers is
  'Tools of the agent may act for whoever asks it, also for others than its owner. Only the service role changes it.';
comment on column public.agents.status is
  'What the agent is doing. The service sets it during a run; the owner can set it too.';
comment on column public.agents.status_changed_at is 'When `status` changed last.';
comment on column public.agents.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.agents.updated_at is 'When the row changed last. A sent value is ignored.';

comment on table public.agent_versions is
'The state of an agent after each change: its instructions, model, parameters, tools and guardrails.

The service stores a version with each transaction that changes one of these, also when it changes a tool of the owner
that the agent uses. A change of the name, the avatar, the description, the starter questions or the status stores none.

`POST /rest/v1/rpc/restore_agent_version` restores a version of the agent with its assignments and guardrails, as a new
version. The rows of tools stay as they are.

An agent keeps its latest `AGENT_VERSIONS_KEPT` versions, and older ones that a turn or an eval run used.

Guide: agents';
comment on column public.agent_versions.agent_id is 'The agent.';
comment on column public.agent_versions.number is 'Counts the versions of the agent from 1.';
comment on column public.agent_versions.role is 'The role of the agent.';
comment on column public.agent_versions.framework is 'The AI provider.';
comment on column public.agent_versions.model is 'The model; null is the default model of the framework.';
comment on column public.agent_versions.system_prompt is 'The instructions of the agent.';
comment on column public.agent_versions.settings is 'Parameters of the model.';
comment on column public.agent_versions.tools is
  'The assigned tools, each with `tool_id`, its `name` at that time, `enabled`, `configuration`, `approver` and '
  '`is_vouched`, and for a tool of the owner its `definition`, without secrets.';
comment on column public.agent_versions.guardrails is
  'The guardrails of the agent in the order in which they apply, each with `guardrail_id`, without secrets.';
comment on column public.agent_versions.changed_by is
  'The owner, if the change was a request of theirs; null is the service or a migration.';
comment on column public.agent_versions.created_at is 'When the change was made.';

comment on table public.guardrails is
'Checks of what an agent, or every agent of a swarm, reads and answers.

A guardrail belongs to an agent, whose owner manages it, or to a swarm, whose owner and admins manage it. Each has at
most 20.

A run uses the guardrails that were active when it began or was resumed: those of the swarm first, then those of the
agent, each by `position`. With `agent_version`, the agent has the guardrails of that version.

A message or answer that a guardrail stops or changes gets a row in `message_flags`, unless no message is stored.

Guide: guardrails';
comment on column public.guardrails.id is 'The id, a UUID that sorts by time.';
comment on column public.guardrails.agent_id is 'The agent; null for a guardrail of a swarm. It cannot change.';
comment on column public.guardrails.swarm_id is 'The swarm; null for a guardrail of an agent. It cannot change.';
comment on column public.guardrails.name is 'Shown in errors and flags.';
comment on column public.guardrails.kind is 'How the text is checked. It cannot change.';
comment on column public.guardrails.stage is '`input`: the messages that the agent reads. `output`: its answer.';
comment on column public.guardrails.action is '`block` ends the turn; `rewrite` replaces the text.';
comment on column public.guardrails.config is
  'By kind: `pattern`; `schema`; `policy`, `framework`, `model`, `on_error`; or `url`, `headers`, `timeout_ms`, '
  '`on_error`. All kinds take `replacement`.';
comment on column public.guardrails.position is 'The order among the guardrails of the agent or the swarm.';
comment on column public.guardrails.is_active is 'Switches the guardrail off.';
comment on column public.guardrails.secret is 'Signs the requests of a webhook; created by the service.';
comment on column public.guardrails.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.guardrails.updated_at is 'When the row changed last. A sent value is ignored.';

comment on view public.agent_cards is
'What members of a swarm can see of each other''s agents.

Contains your own agents and those of every swarm that you are a member of.

Guide: swarms';
comment on column public.agent_cards.id is 'The id, a UUID that sorts by time.';
comment on column public.agent_cards.name is 'The name of the agent.';
comment on column public.agent_cards.role is 'What the agent is for.';
comment on column public.agent_cards.avatar is 'A URL of a picture.';
comment on column public.agent_cards.status is 'What the agent is doing.';

comment on function public.restore_agent_version(uuid, integer) is
'Restore a version of your agent

Restores the values of the version, and stores them as a new version.';
