-- Swarms, their agents and their members.

comment on table public.swarms is
'Conversations between agents and people.

The user who inserts a swarm becomes its owner and first member.

Agents respond only in a swarm whose `status` is `active`.

An update of `settings` replaces the whole object.

Event swarm.created: an insert
Event swarm.updated: an update, unless it only completes the swarm
Event swarm.completed: a change of `status` to `completed`
Event swarm.deleted: a delete
Guide: swarms';
comment on column public.swarms.id is 'The id, a UUID that sorts by time.';
comment on column public.swarms.owner_id is 'The owner. It cannot change.';
comment on column public.swarms.name is 'Spaces at both ends are removed.';
comment on column public.swarms.description is 'What the swarm is about.';
comment on column public.swarms.avatar is 'An `http` or `https` URL of a picture.';
comment on column public.swarms.status is 'Whether agents respond.';
comment on column public.swarms.strategy is 'Which agents respond to a message, and in which order.';
comment on column public.swarms.coordinator_agent_id is
  'An agent of the swarm that leads the strategies `selector` and `supervisor`.';
comment on column public.swarms.settings is
  'Limits of runs, budgets, moderation, `preamble` (which only the owner can change), and `a2a_published`. Known keys '
  'are checked, other keys are kept as sent.';
comment on column public.swarms.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.swarms.updated_at is 'When the row changed last. A sent value is ignored.';
comment on column public.swarms.parent_run_id is
  'Of the conversation of a sub-task: the run whose tool call began it. Only the service role sees such rows.';

comment on table public.swarm_agents is
'The agents of a swarm.

An agent is in a swarm once. Its owner can add it, and whoever holds a grant, with the role `owner` or `admin` in the
swarm.

The computed field `agent_owner_id` is the owner of the agent, for members of the swarm if the owner is one; null
otherwise.

Event swarm.agent_added: an insert
Event swarm.agent_removed: a delete
Guide: swarms';
comment on column public.swarm_agents.id is 'The id, a UUID that sorts by time.';
comment on column public.swarm_agents.swarm_id is 'The swarm. It cannot change.';
comment on column public.swarm_agents.agent_id is 'The agent. It cannot change.';
comment on column public.swarm_agents.position is
  'The order in which agents speak; without a value the agent comes last.';
comment on column public.swarm_agents.enabled is 'False keeps the agent in the swarm without a response.';
comment on column public.swarm_agents.role_override is 'Replaces `agents.role` in this swarm.';
comment on column public.swarm_agents.added_by is 'The user who added the agent.';
comment on column public.swarm_agents.created_at is 'When the row was created. A sent value is ignored.';

comment on table public.swarm_members is
'The people of a swarm, and invitations that are not accepted yet.

A new row names the person by `user_id` or by `email`, and has the status `invited`.

The invited person accepts with `{"status": "active"}`, and declines by deleting the row. An account whose address was
not proven answers an invitation by address with the secret of its link, through the function `invitations`.

An invitation that has expired cannot be accepted; a new one for the same person replaces it.

Nobody can become `owner`, and the owner cannot leave.

Alias email: Another name of `invited_email`.
Event user.joined: an invitation that is accepted, and an active membership that the service role inserts
Event user.role_changed: a change of `role` of an active member
Event user.removed: a delete of an active membership
Guide: swarms';
comment on column public.swarm_members.id is 'The id, a UUID that sorts by time.';
comment on column public.swarm_members.swarm_id is 'The swarm. It cannot change.';
comment on column public.swarm_members.user_id is
  'The member; null until the invited address belongs to an account that accepts.';
comment on column public.swarm_members.invited_email is 'The invited address, in lower case.';
comment on column public.swarm_members.role is 'What the member may do.';
comment on column public.swarm_members.status is '`active` members take part; `invited` ones have not accepted.';
comment on column public.swarm_members.invited_by is 'The user who invited the member.';
comment on column public.swarm_members.joined_at is 'When the member accepted.';
comment on column public.swarm_members.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.swarm_members.expires_at is
  'When the invitation expires (`INVITATION_TTL_DAYS`); null if it does not, and after it was accepted. The service '
  'sets it.';

comment on view public.swarm_invitations is
'Your own open invitations, with the names that help to decide about them.

Accept or decline the row of `swarm_members` with the same `id`.

Invitations by address are here only when your address was proven: by a link or code in a mail, or by the service role.

Guide: swarms';
comment on column public.swarm_invitations.id is 'The id, a UUID that sorts by time.';
comment on column public.swarm_invitations.swarm_id is 'The swarm.';
comment on column public.swarm_invitations.swarm_name is 'The name of the swarm.';
comment on column public.swarm_invitations.role is 'The role that you would have.';
comment on column public.swarm_invitations.inviter_name is
  'The name of the person who invited you, or their e-mail address.';
comment on column public.swarm_invitations.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.swarm_invitations.expires_at is 'When the invitation expires; null if it does not.';
