-- Messages of agents and people in a swarm. A message stays when its author is deleted; a deleted message leaves a
-- tombstone.

create table public.messages (
  id uuid default private.new_id() constraint messages_pkey primary key,
  swarm_id uuid not null constraint messages_swarm_id_fkey references public.swarms on delete cascade,
  seq bigint not null,
  sender_type text not null default 'user'
    constraint messages_sender_type_known check (sender_type in ('user', 'agent', 'system')),
  sender_id uuid,
  sender_user_id uuid constraint messages_sender_user_id_fkey references auth.users on delete set null,
  sender_agent_id uuid constraint messages_sender_agent_id_fkey references public.agents on delete set null,
  sender_name text not null,
  sender_deleted boolean not null default false,
  content text constraint messages_content_length check (char_length(content) between 1 and 100000),
  content_type text not null default 'text'
    constraint messages_content_type_known check (content_type in ('text', 'markdown')),
  reply_to_id uuid,
  run_id uuid,
  turn_id uuid,
  finish_reason text,
  mentions uuid[] not null default '{}' constraint messages_mentions_count check (cardinality(mentions) <= 100),
  metadata jsonb not null default '{}'
    constraint messages_metadata_object check (jsonb_typeof(metadata) = 'object')
    constraint messages_metadata_size check (octet_length(metadata::text) <= 32768),
  client_message_id text constraint messages_client_message_id_length
    check (char_length(client_message_id) between 1 and 255),
  edited_at timestamptz,
  deleted_at timestamptz,
  deleted_by uuid,
  flagged boolean not null default false,
  created_at timestamptz not null default now(),
  -- The parsed value of an answer that a response_schema asked for. Only the run engine writes it. The bound is larger
  -- than any value that the engine accepts, because numbers can take more bytes here than in the text of the answer.
  data jsonb constraint messages_data_size check (octet_length(data::text) <= 2097152),
  constraint messages_content_present check (content is not null or deleted_at is not null),
  constraint messages_swarm_id_id_key unique (swarm_id, id),
  constraint messages_swarm_id_seq_key unique (swarm_id, seq),
  constraint messages_client_message_id_key unique (swarm_id, sender_id, client_message_id),
  constraint messages_reply_to_id_fkey foreign key (swarm_id, reply_to_id)
    references public.messages (swarm_id, id) on delete set null (reply_to_id)
);
create index messages_sender_user_id_idx on public.messages (sender_user_id) where sender_user_id is not null;
create index messages_sender_agent_id_idx on public.messages (sender_agent_id) where sender_agent_id is not null;
create index messages_reply_to_id_idx on public.messages (swarm_id, reply_to_id) where reply_to_id is not null;
alter table public.messages replica identity using index messages_swarm_id_id_key;
alter table public.messages enable row level security;
grant select, insert, update, delete on public.messages to authenticated, service_role, sb_service;

create table private.message_counters (
  swarm_id uuid constraint message_counters_pkey primary key
    constraint message_counters_swarm_id_fkey references public.swarms on delete cascade,
  last_seq bigint not null
) with (fillfactor = 50);
alter table private.message_counters enable row level security;
grant select, insert, update, delete on private.message_counters to sb_service;

create table public.message_revisions (
  message_id uuid not null,
  revision integer not null,
  swarm_id uuid not null,
  content text not null,
  edited_by uuid constraint message_revisions_edited_by_fkey references auth.users on delete set null,
  created_at timestamptz not null default now(),
  constraint message_revisions_pkey primary key (message_id, revision),
  -- Realtime checks the read access to a deleted row with the columns that the WAL has of it, so these include
  -- swarm_id.
  constraint message_revisions_swarm_id_key unique (swarm_id, message_id, revision),
  constraint message_revisions_message_id_fkey foreign key (swarm_id, message_id)
    references public.messages (swarm_id, id) on delete cascade
);
create index message_revisions_edited_by_idx on public.message_revisions (edited_by) where edited_by is not null;
alter table public.message_revisions replica identity using index message_revisions_swarm_id_key;
alter table public.message_revisions enable row level security;
grant select on public.message_revisions to authenticated;
grant select, insert, update, delete on public.message_revisions to service_role, sb_service;

-- What an agent reads instead of the oldest messages, which its context has no room for: one row for each number up to
-- which it has summarised them. Made from messages alone. A row is deleted when a message that it covers changes, so
-- that no text outlives its message here.
create table public.conversation_summaries (
  swarm_id uuid not null,
  agent_id uuid not null,
  up_to_seq bigint not null,
  text text not null constraint conversation_summaries_text_length check (char_length(text) between 1 and 20000),
  created_at timestamptz not null default now(),
  constraint conversation_summaries_pkey primary key (swarm_id, agent_id, up_to_seq),
  constraint conversation_summaries_agent_id_fkey foreign key (swarm_id, agent_id)
    references public.swarm_agents (swarm_id, agent_id) on delete cascade
);
alter table public.conversation_summaries enable row level security;
grant select, delete on public.conversation_summaries to authenticated;
grant select, insert, update, delete on public.conversation_summaries to service_role, sb_service;

create table public.message_flags (
  id uuid default private.new_id() constraint message_flags_pkey primary key,
  message_id uuid not null,
  swarm_id uuid not null,
  source text not null default 'user' constraint message_flags_source_known
    check (source in ('user', 'moderation', 'guardrail')),
  flagged_by uuid constraint message_flags_flagged_by_fkey references auth.users on delete set null,
  category text constraint message_flags_category_length check (char_length(category) <= 100),
  reason text constraint message_flags_reason_length check (char_length(reason) <= 1000),
  status text not null default 'open' constraint message_flags_status_known
    check (status in ('open', 'upheld', 'dismissed')),
  resolved_by uuid constraint message_flags_resolved_by_fkey references auth.users on delete set null,
  resolved_at timestamptz,
  created_at timestamptz not null default now(),
  -- No foreign key: a flag keeps the id after its guardrail was deleted.
  guardrail_id uuid,
  constraint message_flags_message_id_flagged_by_key unique (message_id, flagged_by),
  constraint message_flags_message_id_guardrail_id_key unique (message_id, guardrail_id),
  constraint message_flags_message_id_fkey foreign key (swarm_id, message_id)
    references public.messages (swarm_id, id) on delete cascade
);
create index message_flags_swarm_id_idx on public.message_flags (swarm_id, message_id);
create index message_flags_flagged_by_idx on public.message_flags (flagged_by) where flagged_by is not null;
create index message_flags_resolved_by_idx on public.message_flags (resolved_by) where resolved_by is not null;
alter table public.message_flags replica identity full;
alter table public.message_flags enable row level security;
grant select, insert, update, delete on public.message_flags to authenticated, service_role, sb_service;

-- How far each member has read a swarm. A row lives as long as its user and its swarm: one who leaves and comes back
-- continues where they were. The messages of a swarm are numbered without gaps, so the number of unread ones is a
-- difference, and nothing is counted.
create table public.read_positions (
  id uuid default private.new_id() constraint read_positions_pkey primary key,
  swarm_id uuid not null constraint read_positions_swarm_id_fkey references public.swarms on delete cascade,
  user_id uuid not null default auth.uid()
    constraint read_positions_user_id_fkey references auth.users on delete cascade,
  last_read_seq bigint not null constraint read_positions_last_read_seq_range check (last_read_seq >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint read_positions_swarm_id_user_id_key unique (swarm_id, user_id)
) with (fillfactor = 70);
create index read_positions_user_id_idx on public.read_positions (user_id);
-- Realtime checks the read access to a deleted row with the columns that the WAL has of it.
alter table public.read_positions replica identity full;
alter table public.read_positions enable row level security;
grant select, insert, update, delete on public.read_positions to authenticated, service_role, sb_service;

-- after functions

create policy messages_select on public.messages for select to authenticated
  using (swarm_id = any (array(select private.my_swarm_ids()))
    or swarm_id = any (array(select private.my_transcript_ids())));
create policy messages_insert on public.messages for insert to authenticated
  with check (sender_user_id = (select auth.uid()) and swarm_id = any (array(select private.my_writable_swarm_ids())));
-- The swarm of a message cannot change, so that its new version needs no second look at the caller's swarms.
create policy messages_update on public.messages for update to authenticated
  using (sender_user_id = (select auth.uid()) and deleted_at is null
    and swarm_id = any (array(select private.my_writable_swarm_ids())))
  with check (sender_user_id = (select auth.uid()));
create policy messages_delete on public.messages for delete to authenticated
  using (deleted_at is null
         and ((sender_user_id = (select auth.uid()) and swarm_id = any (array(select private.my_swarm_ids())))
              or swarm_id = any (array(select private.my_managed_swarm_ids()))));
create policy messages_service on public.messages to service_role, sb_service using (true) with check (true);

create trigger messages_a_require before insert on public.messages for each row
  when (new.swarm_id is null) execute function private.require_columns('swarm_id');
create trigger messages_a_set_sender before insert on public.messages for each row
  execute function private.set_message_sender();
-- Only for callers with write access: others must learn nothing about the blocklist. One trigger for all that a new
-- message needs, so that the rights of its writer are looked up once.
create trigger messages_b_prepare before insert on public.messages for each row
  when (private.may_write_message(new.swarm_id)) execute function private.prepare_message();
create trigger messages_freeze before update of id, swarm_id, seq, sender_type, sender_id on public.messages
  for each row when ((new.id, new.swarm_id, new.seq, new.sender_type, new.sender_id)
    is distinct from (old.id, old.swarm_id, old.seq, old.sender_type, old.sender_id))
  execute function private.reject_change('id', 'swarm_id', 'seq', 'sender_type', 'sender_id');
create trigger messages_freeze_data before update of data on public.messages for each row
  when (current_user in ('anon', 'authenticated', 'api_key', 'service_role') and new.data is distinct from old.data)
  execute function private.reject_change('data');
create trigger messages_freeze_managed
  before update of sender_user_id, sender_agent_id, sender_name, sender_deleted, reply_to_id, run_id, turn_id,
    finish_reason, client_message_id, deleted_at, deleted_by, flagged on public.messages for each row
  when (current_user in ('anon', 'authenticated', 'api_key')
    and (new.sender_user_id, new.sender_agent_id, new.sender_name, new.sender_deleted, new.reply_to_id, new.run_id,
      new.turn_id, new.finish_reason, new.client_message_id, new.deleted_at, new.deleted_by, new.flagged)
    is distinct from (old.sender_user_id, old.sender_agent_id, old.sender_name, old.sender_deleted, old.reply_to_id,
      old.run_id, old.turn_id, old.finish_reason, old.client_message_id, old.deleted_at, old.deleted_by, old.flagged))
  execute function private.reject_change('sender_user_id', 'sender_agent_id', 'sender_name', 'sender_deleted',
    'reply_to_id', 'run_id', 'turn_id', 'finish_reason', 'client_message_id', 'deleted_at', 'deleted_by', 'flagged');
create trigger messages_revise before update on public.messages for each row execute function private.revise_message();
create trigger messages_soft_delete before delete on public.messages for each row
  execute function private.soft_delete_message();
create trigger messages_emit_created after insert on public.messages referencing new table as new_rows
  for each statement execute function private.emit_messages_created();
create trigger messages_emit_updated after update on public.messages
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.emit_messages_updated();
create trigger messages_moderate before update of content on public.messages for each row
  when (new.content is not null and new.content is distinct from old.content)
  execute function private.moderate_message();
create trigger messages_flag_blocked after insert on public.messages referencing new table as new_rows
  for each statement execute function private.flag_new_messages();
create trigger messages_flag_blocked_edit after update on public.messages
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.flag_edited_messages();
-- Only for rows from the interface: messages that the service stores belong to a run already.
create trigger messages_queue_responses after insert on public.messages referencing new table as new_rows
  for each statement when (current_user in ('authenticated', 'api_key', 'service_role'))
    execute function private.queue_auto_responses();
create trigger messages_forget_text after update of content on public.messages for each row
  when (new.content is distinct from old.content) execute function private.forget_message_text();
create trigger messages_delete_run_events after update of deleted_at on public.messages for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function private.delete_message_run_events();

create policy message_counters_service on private.message_counters to sb_service using (true) with check (true);

create policy message_revisions_select on public.message_revisions for select to authenticated
  using (swarm_id = any (array(select private.my_swarm_ids())));
create policy message_revisions_service on public.message_revisions to service_role, sb_service
  using (true) with check (true);

create policy conversation_summaries_select on public.conversation_summaries for select to authenticated
  using (swarm_id = any (array(select private.my_swarm_ids()))
    or swarm_id = any (array(select private.my_transcript_ids())));
create policy conversation_summaries_delete on public.conversation_summaries for delete to authenticated
  using (swarm_id = any (array(select private.my_managed_swarm_ids())));
create policy conversation_summaries_service on public.conversation_summaries to service_role, sb_service
  using (true) with check (true);

create policy message_flags_select on public.message_flags for select to authenticated
  using (flagged_by = (select auth.uid()) or swarm_id = any (array(select private.my_managed_swarm_ids())));
create policy message_flags_insert on public.message_flags for insert to authenticated
  with check (flagged_by = (select auth.uid()) and source = 'user' and status = 'open'
              and swarm_id = any (array(select private.my_swarm_ids())));
create policy message_flags_update on public.message_flags for update to authenticated
  using (swarm_id = any (array(select private.my_managed_swarm_ids())))
  with check (swarm_id = any (array(select private.my_managed_swarm_ids())));
create policy message_flags_delete on public.message_flags for delete to authenticated
  using (flagged_by = (select auth.uid()) and status = 'open');
create policy message_flags_service on public.message_flags to service_role, sb_service using (true) with check (true);

create trigger message_flags_a_require before insert on public.message_flags for each row
  when (new.message_id is null) execute function private.require_columns('message_id');
create trigger message_flags_assign_swarm before insert on public.message_flags for each row
  execute function private.assign_message_flag_swarm();
create trigger message_flags_prepare before insert or update on public.message_flags for each row
  execute function private.prepare_message_flag();
create trigger message_flags_stamp before insert or update on public.message_flags for each row
  execute function private.stamp_created();
create trigger message_flags_freeze before update on public.message_flags for each row
  when (current_user in ('anon', 'authenticated', 'api_key', 'service_role') and
        (new.id, new.message_id, new.swarm_id, new.source, new.flagged_by, new.category, new.reason) is distinct from
        (old.id, old.message_id, old.swarm_id, old.source, old.flagged_by, old.category, old.reason))
  execute function private.reject_change('id', 'message_id', 'swarm_id', 'source', 'flagged_by', 'category', 'reason');
create trigger message_flags_freeze_guardrail before update on public.message_flags for each row
  when (current_user in ('anon', 'authenticated', 'api_key', 'service_role')
        and new.guardrail_id is distinct from old.guardrail_id)
  execute function private.reject_change('guardrail_id');
create trigger message_flags_a_project_insert after insert on public.message_flags referencing new table as new_rows
  for each statement execute function private.project_message_flags();
create trigger message_flags_a_project_update after update on public.message_flags referencing new table as new_rows
  for each statement execute function private.project_message_flags();
create trigger message_flags_a_project_delete after delete on public.message_flags referencing old table as old_rows
  for each statement execute function private.project_message_flags();
create trigger message_flags_emit_flagged after insert on public.message_flags referencing new table as new_rows
  for each statement execute function private.emit_messages_flagged();

create policy read_positions_select on public.read_positions for select to authenticated
  using (user_id = (select auth.uid()));
create policy read_positions_insert on public.read_positions for insert to authenticated
  with check (user_id = (select auth.uid()) and swarm_id = any (array(select private.my_swarm_ids())));
create policy read_positions_update on public.read_positions for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()) and swarm_id = any (array(select private.my_swarm_ids())));
create policy read_positions_delete on public.read_positions for delete to authenticated
  using (user_id = (select auth.uid()));
create policy read_positions_service on public.read_positions to service_role, sb_service
  using (true) with check (true);

create trigger read_positions_a_require before insert on public.read_positions for each row
  when (new.swarm_id is null) execute function private.require_columns('swarm_id');
create trigger read_positions_advance before update on public.read_positions for each row
  when (new.last_read_seq < old.last_read_seq) execute function private.keep_last_read_seq();
create trigger read_positions_stamp before insert or update on public.read_positions for each row
  execute function private.stamp_created_and_updated();
create trigger read_positions_freeze before update on public.read_positions for each row
  when ((new.id, new.swarm_id) is distinct from (old.id, old.swarm_id))
  execute function private.reject_change('id', 'swarm_id');
create trigger read_positions_keep_owner before update on public.read_positions for each row
  when (new.user_id is distinct from old.user_id) execute function private.reject_transfer('user_id');
