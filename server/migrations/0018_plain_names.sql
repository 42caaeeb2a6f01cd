-- Plain names for objects of the schema. Renames only what has its old name: a new database has the new names already.

alter table if exists private.webhook_lanes rename to webhook_endpoint_queues;
alter index if exists private.webhook_lanes_due_idx rename to webhook_endpoint_queues_due_idx;
alter index if exists private.webhook_queue_lane_idx rename to webhook_queue_webhook_id_idx;

do $do$
declare
  renamed record;
begin
  -- The primary key, and since PostgreSQL 18 the not-null constraints, which have names of their own.
  for renamed in
    select c.conname, replace(c.conname, 'webhook_lanes_', 'webhook_endpoint_queues_') as new_name
    from pg_catalog.pg_constraint c
    where c.conrelid = 'private.webhook_endpoint_queues'::regclass and c.conname like 'webhook\_lanes\_%'
  loop
    execute format('alter table private.webhook_endpoint_queues rename constraint %I to %I', renamed.conname,
      renamed.new_name);
  end loop;

  if exists (select 1 from pg_catalog.pg_constraint
             where conrelid = 'public.agents'::regclass and conname = 'agents_sound') then
    alter table public.agents rename constraint agents_sound to agents_valid;
  end if;

  if exists (select 1 from pg_catalog.pg_policy
             where polrelid = 'private.webhook_endpoint_queues'::regclass and polname = 'webhook_lanes_service') then
    alter policy webhook_lanes_service on private.webhook_endpoint_queues rename to webhook_endpoint_queues_service;
  end if;

  for renamed in
    select t.tgrelid::regclass as table_name, t.tgname, r.new_name
    from (values
      ('agent_tools_own', 'agent_tools_assign_owner'),
      ('message_flags_place', 'message_flags_assign_swarm'),
      ('messages_a_sign', 'messages_a_set_sender'),
      ('messages_b_number', 'messages_b_assign_seq'),
      ('messages_bury', 'messages_soft_delete'),
      ('messages_forget', 'messages_delete_run_events'),
      ('swarm_agents_own', 'swarm_agents_assign_owner'),
      ('swarm_agents_place', 'swarm_agents_assign_position'),
      ('swarm_members_withdraw_agents', 'swarm_members_remove_agents'),
      ('swarms_a_seat_owner', 'swarms_a_add_owner'),
      ('tools_keep_secrets', 'tools_store_secrets'),
      ('user_settings_mark_sessions', 'user_settings_sync_sessions'),
      ('users_make_profile', 'users_create_profile'),
      ('users_withdraw', 'users_withdraw_from_swarms'),
      ('webhooks_note_resumption', 'webhooks_record_resumption')) as r (old_name, new_name)
    join pg_catalog.pg_trigger t on t.tgname = r.old_name
    join pg_catalog.pg_proc p on p.oid = t.tgfoid and p.pronamespace = 'private'::regnamespace
  loop
    execute format('alter trigger %I on %s rename to %I', renamed.tgname, renamed.table_name, renamed.new_name);
  end loop;

  -- Functions that checks, triggers or functions of numbered migrations call: the first two refer to the function
  -- itself, so that they follow.
  for renamed in
    select to_regprocedure(r.signature) as signature, r.new_name
    from (values
      ('private.are_delivery_headers(jsonb)', 'is_valid_delivery_headers'),
      ('private.are_stop_sequences(jsonb)', 'is_valid_stop_sequences'),
      ('private.bury_message()', 'soft_delete_message'),
      ('private.forget_deleted_words()', 'delete_message_run_events'),
      ('private.is_agent_sound(text, text, text, text, text, jsonb)', 'is_valid_agent'),
      ('private.is_moderation(jsonb)', 'is_valid_moderation'),
      ('private.is_run_budget(jsonb)', 'is_valid_run_budget'),
      ('private.is_swarm_setting(text, jsonb)', 'is_valid_swarm_setting'),
      ('private.keep_tool_secrets()', 'store_tool_secrets'),
      ('private.make_profile()', 'create_profile'),
      ('private.mark_sessions_signed()', 'sync_signature_requirement'),
      ('private.may_number_message(uuid)', 'may_write_message'),
      ('private.note_resumption()', 'record_webhook_resumption'),
      ('private.number_message()', 'assign_message_seq'),
      ('private.own_by_agent()', 'assign_agent_owner'),
      ('private.place_message_flag()', 'assign_message_flag_swarm'),
      ('private.place_swarm_agent()', 'assign_swarm_agent_position'),
      ('private.refuse_change()', 'reject_change'),
      ('private.refuse_transfer()', 'reject_transfer'),
      ('private.seat_swarm_owner()', 'add_swarm_owner'),
      ('private.sign_message()', 'set_message_sender'),
      ('private.trimmed(text)', 'trim_whitespace'),
      ('private.withdraw_emptied_account()', 'remove_user_from_swarms'),
      ('private.withdraw_member_agents()', 'remove_member_agents')) as r (signature, new_name)
    where to_regprocedure(r.signature) is not null
  loop
    execute format('alter function %s rename to %I', renamed.signature, renamed.new_name);
  end loop;

  -- Bodies call by name. Function files have the bodies of the other functions.
  for renamed in
    select pg_get_functiondef(p.oid) as definition
    from pg_catalog.pg_proc p
    where p.pronamespace = 'private'::regnamespace
      and p.proname in ('is_valid_agent', 'is_valid_moderation', 'is_valid_swarm_setting')
  loop
    execute replace(replace(replace(replace(renamed.definition,
      'private.are_stop_sequences(', 'private.is_valid_stop_sequences('),
      'private.is_moderation(', 'private.is_valid_moderation('),
      'private.is_run_budget(', 'private.is_valid_run_budget('),
      'private.trimmed(', 'private.trim_whitespace(');
  end loop;
end
$do$;

comment on column private.events.audience is 'users who could read the changed rows when the event occurred';
comment on column private.mail_outbox.sender_id is
  'the user on whose behalf the mail is sent; null for mails of the service itself';

-- A parameter gets another name only with a new function.
drop function if exists private.fan_out_events(integer, interval, uuid, interval, integer, integer, uuid[],
  integer[], uuid[], integer);
drop function if exists private.claim_webhook_deliveries(uuid, interval, integer, integer, integer, uuid[], integer[],
  uuid[], integer);
drop function if exists private.read_due_webhook_users(integer, uuid[], integer[], uuid[], uuid[], integer);
drop function if exists private.divide_webhook_sends(uuid[], uuid[], integer[], uuid[], integer[], integer);
drop function if exists private.take_due_deliveries(uuid[], uuid[], integer[], integer, integer, uuid, interval);
drop function if exists private.require_at_most(bigint, bigint);
drop function if exists private.claim_runs(text, integer, integer, text[], integer[]);

-- after functions

drop function if exists private.actor();
drop function if exists private.agent_toolbox(uuid, uuid);
drop function if exists private.blocked_term_in(uuid, text);
drop function if exists private.budget_amount(jsonb);
drop function if exists private.budget_left(public.swarms, uuid, public.runs, boolean);
drop function if exists private.change_context();
drop function if exists private.changed_fields(jsonb, jsonb, text[]);
drop function if exists private.clear_webhook_lanes(uuid[]);
drop function if exists private.earliest_webhook_send(timestamptz, bigint, integer);
drop function if exists private.folded(text);
drop function if exists private.hold_calls(jsonb, text, uuid[]);
drop function if exists private.host_of_tool(jsonb);
drop function if exists private.is_lane_claimable(timestamptz, integer, uuid, uuid[]);
drop function if exists private.judge_followers(jsonb);
drop function if exists private.keep_runs(uuid[], bigint[], integer);
drop function if exists private.lock_due_webhook_lanes(integer, uuid[], integer[], uuid[], uuid[], integer);
drop function if exists private.lock_run_for(uuid, uuid, boolean);
drop function if exists private.may_run_go_on(public.runs);
drop function if exists private.pending_approvals(public.runs, uuid, boolean);
drop function if exists private.postpone_webhook_lanes(uuid[], timestamptz[], integer);
drop function if exists private.recall_steps(public.runs, jsonb);
drop function if exists private.refuse_call(text, jsonb);
drop function if exists private.refuse_unsigned(uuid);
drop function if exists private.resume_webhook_lanes(uuid[]);
drop function if exists private.run_bodies(uuid[], uuid, boolean);
drop function if exists private.run_body(uuid, uuid, boolean);
drop function if exists private.run_frameworks(public.runs);
drop function if exists private.settled_usage(uuid, uuid);
drop function if exists private.swarm_audience(uuid);
drop function if exists private.tell_of_tool(public.runs, uuid);
drop function if exists private.tools_without_secrets(jsonb);
drop function if exists private.usage_body(bigint, bigint, bigint, numeric, boolean);
