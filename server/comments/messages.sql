-- Messages, and what is kept about them.

comment on table public.messages is
'What people and agents say in a swarm.

The sender of a user''s message is always the caller.

A deleted message stays as a tombstone: `content` is null and `deleted_at` is set. `return=representation` returns no
row for it.

Read pages by `seq`, which increases in commit order.

Event message.created: an insert, by a user or by an agent
Event message.updated: a change of `content`, `content_type`, `mentions` or `metadata`, and `flagged` that becomes false
Event message.deleted: a delete
Guide: swarms';
comment on column public.messages.id is 'The id, a UUID that sorts by time.';
comment on column public.messages.swarm_id is 'The swarm. It cannot change.';
comment on column public.messages.seq is 'The number of the message in its swarm.';
comment on column public.messages.sender_type is 'Only the service role can send for agents and the system.';
comment on column public.messages.sender_id is
  '`sender_user_id` or `sender_agent_id`, also after the sender was deleted.';
comment on column public.messages.sender_user_id is 'The user who wrote the message.';
comment on column public.messages.sender_agent_id is 'The agent that wrote the message.';
comment on column public.messages.sender_name is 'The name of the sender at the time of writing.';
comment on column public.messages.sender_deleted is 'The sender''s account or agent no longer exists.';
comment on column public.messages.content is 'The text; null after the message was deleted.';
comment on column public.messages.content_type is 'How to display `content`.';
comment on column public.messages.reply_to_id is 'The message of the same swarm that this one replies to.';
comment on column public.messages.run_id is 'The run in which an agent wrote the message.';
comment on column public.messages.turn_id is 'The turn in which an agent wrote the message.';
comment on column public.messages.finish_reason is 'Why an agent stopped writing.';
comment on column public.messages.mentions is 'Ids of mentioned agents and users.';
comment on column public.messages.metadata is 'Anything the application wants to store with the message.';
comment on column public.messages.client_message_id is
  'An id of the sender that makes a repeated insert a conflict (409).';
comment on column public.messages.edited_at is 'When `content` changed last.';
comment on column public.messages.deleted_at is 'When the message was deleted.';
comment on column public.messages.deleted_by is 'The user who deleted the message.';
comment on column public.messages.flagged is 'A flag on the message is open or upheld.';
comment on column public.messages.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.messages.data is
  'The parsed value of an answer with a `response_schema`. Only the service writes it.';

comment on table public.message_revisions is
'Earlier texts of edited messages.

The service writes a row at each edit, and removes the rows of a message when it is deleted.

Guide: swarms';
comment on column public.message_revisions.message_id is 'The edited message.';
comment on column public.message_revisions.revision is '1 is the first text.';
comment on column public.message_revisions.swarm_id is 'The swarm.';
comment on column public.message_revisions.content is 'The text before the edit.';
comment on column public.message_revisions.edited_by is 'The user who replaced it.';
comment on column public.message_revisions.created_at is 'When it was replaced.';

comment on table public.conversation_summaries is
'What agents read instead of the oldest messages of a long conversation.

A model writes a row when messages no longer fit into the context of an agent, from the messages and the summary before.
Tools and other tables are no source.

Who can read the messages can read their summaries. The owner and admins of the swarm can delete them; the agent then
has a new one written when it needs it.

A row is deleted when a message that it covers is edited or deleted, and when the agent leaves the swarm. Tokens and
costs stand in `model_calls`.

An agent reads its latest row. Of each agent, the service keeps ten.

Guide: swarms';
comment on column public.conversation_summaries.swarm_id is 'The conversation.';
comment on column public.conversation_summaries.agent_id is 'The agent that reads the summary.';
comment on column public.conversation_summaries.up_to_seq is 'The number of the last message that the summary covers.';
comment on column public.conversation_summaries.text is 'The summary.';
comment on column public.conversation_summaries.created_at is 'When it was written.';

comment on table public.message_flags is
'Reports of messages, by people, by moderation and by guardrails.

A user flags a message once.

Owner and admins resolve a flag by changing `status`. The reporter can delete an open flag.

Event message.flagged: an insert
Guide: swarms';
comment on column public.message_flags.id is 'The id, a UUID that sorts by time.';
comment on column public.message_flags.message_id is 'The message. It cannot change.';
comment on column public.message_flags.swarm_id is 'The swarm of the message, set by the service.';
comment on column public.message_flags.source is
  '`moderation` is the blocklist of the swarm; `guardrail` is a row of `guardrails`.';
comment on column public.message_flags.flagged_by is
  'The user who flagged the message; null for moderation and guardrails.';
comment on column public.message_flags.category is 'A word of the application, or the name of the guardrail.';
comment on column public.message_flags.reason is 'The reporter''s explanation, or why the guardrail tripped.';
comment on column public.message_flags.status is '`upheld` and `dismissed` are decisions.';
comment on column public.message_flags.resolved_by is 'The user who decided.';
comment on column public.message_flags.resolved_at is 'When it was decided.';
comment on column public.message_flags.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.message_flags.guardrail_id is
  'The guardrail, which may have been deleted since; null for other sources.';

comment on table public.read_positions is
'How far each user has read a swarm.

A user has one row for each swarm, reads only own rows, and writes them as a member of the swarm.

The unread messages of a swarm are the `seq` of its newest message minus `last_read_seq`.

A smaller `last_read_seq` changes nothing, so devices can report in any order.

The row is deleted with the swarm and with the account.

Guide: swarms';
comment on column public.read_positions.id is 'The id, a UUID that sorts by time.';
comment on column public.read_positions.swarm_id is 'The swarm. It cannot change.';
comment on column public.read_positions.user_id is 'The user; by default the caller.';
comment on column public.read_positions.last_read_seq is
  '`seq` of the last message that the user has read; 0 for none.';
comment on column public.read_positions.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.read_positions.updated_at is 'When the row changed last. A sent value is ignored.';
