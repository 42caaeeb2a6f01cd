-- Writes cost less. What a write may do, and what it causes, does not change.

-- Without a function: PostgreSQL reads the text of an SQL function again for each statement.
alter table private.events
  drop constraint events_traceparent_valid,
  add constraint events_traceparent_valid
    check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$');

-- after functions

-- PostgreSQL reads the condition of a trigger anew for every statement that can fire it. So triggers that guard columns
-- name them, and the functions of the others decide for themselves.
drop trigger swarms_freeze on public.swarms;
create trigger swarms_freeze before update of id on public.swarms for each row
  when (new.id is distinct from old.id) execute function private.reject_change('id');
drop trigger swarms_keep_owner on public.swarms;
create trigger swarms_keep_owner before update of owner_id on public.swarms for each row
  when (new.owner_id is distinct from old.owner_id) execute function private.reject_transfer('owner_id');
drop trigger swarms_check_coordinator on public.swarms;
create trigger swarms_check_coordinator after insert or update of coordinator_agent_id on public.swarms for each row
  when (new.coordinator_agent_id is not null) execute function private.check_coordinator();

drop trigger swarm_members_freeze on public.swarm_members;
create trigger swarm_members_freeze
  before update of id, swarm_id, user_id, invited_email, invited_by, expires_at on public.swarm_members for each row
  when (current_user in ('anon', 'authenticated', 'service_role')
    and (new.id, new.swarm_id, new.user_id, new.invited_email, new.invited_by, new.expires_at)
      is distinct from (old.id, old.swarm_id, old.user_id, old.invited_email, old.invited_by, old.expires_at))
  execute function private.reject_change('id', 'swarm_id', 'user_id', 'invited_email', 'invited_by', 'expires_at');

drop trigger messages_freeze on public.messages;
create trigger messages_freeze before update of id, swarm_id, seq, sender_type, sender_id on public.messages
  for each row when ((new.id, new.swarm_id, new.seq, new.sender_type, new.sender_id)
    is distinct from (old.id, old.swarm_id, old.seq, old.sender_type, old.sender_id))
  execute function private.reject_change('id', 'swarm_id', 'seq', 'sender_type', 'sender_id');
drop trigger messages_freeze_data on public.messages;
create trigger messages_freeze_data before update of data on public.messages for each row
  when (current_user in ('anon', 'authenticated', 'service_role') and new.data is distinct from old.data)
  execute function private.reject_change('data');
drop trigger messages_freeze_managed on public.messages;
create trigger messages_freeze_managed
  before update of sender_user_id, sender_agent_id, sender_name, sender_deleted, reply_to_id, run_id, turn_id,
    finish_reason, client_message_id, deleted_at, deleted_by, flagged on public.messages for each row
  when (current_user in ('anon', 'authenticated')
    and (new.sender_user_id, new.sender_agent_id, new.sender_name, new.sender_deleted, new.reply_to_id, new.run_id,
      new.turn_id, new.finish_reason, new.client_message_id, new.deleted_at, new.deleted_by, new.flagged)
    is distinct from (old.sender_user_id, old.sender_agent_id, old.sender_name, old.sender_deleted, old.reply_to_id,
      old.run_id, old.turn_id, old.finish_reason, old.client_message_id, old.deleted_at, old.deleted_by, old.flagged))
  execute function private.reject_change('sender_user_id', 'sender_agent_id', 'sender_name', 'sender_deleted',
    'reply_to_id', 'run_id', 'turn_id', 'finish_reason', 'client_message_id', 'deleted_at', 'deleted_by', 'flagged');
drop trigger messages_moderate on public.messages;
create trigger messages_moderate before update of content on public.messages for each row
  when (new.content is not null and new.content is distinct from old.content)
  execute function private.moderate_message();
drop trigger messages_delete_run_events on public.messages;
create trigger messages_delete_run_events after update of deleted_at on public.messages for each row
  when (old.deleted_at is null and new.deleted_at is not null) execute function private.delete_message_run_events();

drop trigger tools_freeze on public.tools;
create trigger tools_freeze before update of id, kind on public.tools for each row
  when ((new.id, new.kind) is distinct from (old.id, old.kind))
  execute function private.reject_change('id', 'kind');
drop trigger tools_keep_owner on public.tools;
create trigger tools_keep_owner before update of owner_id on public.tools for each row
  when (new.owner_id is distinct from old.owner_id) execute function private.reject_transfer('owner_id');
drop trigger tools_require_approve_scope on public.tools;
create trigger tools_require_approve_scope before update of requires_approval on public.tools for each row
  when (old.requires_approval and not new.requires_approval) execute function private.require_key_scope('approve');

drop trigger webhooks_freeze on public.webhooks;
create trigger webhooks_freeze before update of id, api_version, run_id, bodies on public.webhooks for each row
  when ((new.id, new.api_version, new.run_id, new.bodies)
    is distinct from (old.id, old.api_version, old.run_id, old.bodies))
  execute function private.reject_change('id', 'api_version', 'run_id', 'bodies');
drop trigger webhooks_freeze_managed on public.webhooks;
create trigger webhooks_freeze_managed before update of disabled_reason, disabled_at on public.webhooks for each row
  when (current_user in ('anon', 'authenticated') and not new.is_active
    and (new.disabled_reason, new.disabled_at) is distinct from (old.disabled_reason, old.disabled_at))
  execute function private.reject_change('disabled_reason', 'disabled_at');
drop trigger webhooks_keep_owner on public.webhooks;
create trigger webhooks_keep_owner before update of user_id on public.webhooks for each row
  when (new.user_id is distinct from old.user_id) execute function private.reject_transfer('user_id');
drop trigger webhooks_record_resumption on public.webhooks;
create trigger webhooks_record_resumption after update of is_active on public.webhooks for each row
  when (new.is_active and not old.is_active) execute function private.record_webhook_resumption();

drop trigger agent_tools_stamp on public.agent_tools;
create trigger agent_tools_stamp before insert or update on public.agent_tools for each row
  execute function private.stamp_created();
drop trigger eval_cases_stamp on public.eval_cases;
create trigger eval_cases_stamp before insert or update on public.eval_cases for each row
  execute function private.stamp_created_and_updated();
drop trigger eval_datasets_stamp on public.eval_datasets;
create trigger eval_datasets_stamp before insert or update on public.eval_datasets for each row
  execute function private.stamp_created_and_updated();
drop trigger eval_results_stamp on public.eval_results;
create trigger eval_results_stamp before insert or update on public.eval_results for each row
  execute function private.stamp_created();
drop trigger eval_runs_stamp on public.eval_runs;
create trigger eval_runs_stamp before insert or update on public.eval_runs for each row
  execute function private.stamp_created();
drop trigger guardrails_stamp on public.guardrails;
create trigger guardrails_stamp before insert or update on public.guardrails for each row
  execute function private.stamp_created_and_updated();
drop trigger message_flags_stamp on public.message_flags;
create trigger message_flags_stamp before insert or update on public.message_flags for each row
  execute function private.stamp_created();
drop trigger profiles_stamp on public.profiles;
create trigger profiles_stamp before insert or update on public.profiles for each row
  execute function private.stamp_created_and_updated();
drop trigger read_positions_stamp on public.read_positions;
create trigger read_positions_stamp before insert or update on public.read_positions for each row
  execute function private.stamp_created_and_updated();
drop trigger swarm_agents_stamp on public.swarm_agents;
create trigger swarm_agents_stamp before insert or update on public.swarm_agents for each row
  execute function private.stamp_created();
drop trigger swarm_members_stamp on public.swarm_members;
create trigger swarm_members_stamp before insert or update on public.swarm_members for each row
  execute function private.stamp_created();
drop trigger swarms_stamp on public.swarms;
create trigger swarms_stamp before insert or update on public.swarms for each row
  execute function private.stamp_created_and_updated();
drop trigger tools_stamp on public.tools;
create trigger tools_stamp before insert or update on public.tools for each row
  execute function private.stamp_created_and_updated();
drop trigger user_settings_stamp on public.user_settings;
create trigger user_settings_stamp before insert or update on public.user_settings for each row
  execute function private.stamp_created_and_updated();
drop trigger webhooks_stamp on public.webhooks;
create trigger webhooks_stamp before insert or update on public.webhooks for each row
  execute function private.stamp_created_and_updated();

-- The swarm of a row cannot change, so that its new version needs no second look at the caller's swarms.
alter policy messages_update on public.messages with check (sender_user_id = (select auth.uid()));
alter policy swarms_update on public.swarms with check (true);
-- The cheaper condition comes first. It decides the row that an insert returns, whose owner is no member yet.
alter policy swarms_select on public.swarms using (
  (owner_id = (select auth.uid()) and id <> all (array(select private.my_hidden_swarm_ids())))
  or id = any (array(select private.my_swarm_ids())));
