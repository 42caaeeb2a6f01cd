-- Realtime: the publications that nodes read from the WAL, and the schema for policies of private channels.

create schema realtime;
grant usage on schema realtime to anon, authenticated, service_role, sb_service;

-- Policies on this table control private channels: select allows to receive, insert allows to send. Rows are messages
-- that the database has sent to private topics, kept for some days for replay.
create table realtime.messages (
  id uuid default private.new_id() constraint messages_pkey primary key,
  topic text not null,
  extension text not null,
  event text,
  payload jsonb,
  binary_payload bytea,
  private boolean not null default false,
  inserted_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index messages_topic_idx on realtime.messages (topic, inserted_at);
create index messages_inserted_at_idx on realtime.messages (inserted_at);
alter table realtime.messages enable row level security;
grant select, insert on realtime.messages to anon, authenticated;
grant select, insert, update, delete on realtime.messages to service_role, sb_service;

-- Changes that clients may subscribe to. Add your own tables with: alter publication swarmbase add table public.mine;
-- Tables of the webhook queue are left out, because every node decodes all published changes.
create publication swarmbase for table
  public.agent_tools,
  public.agents,
  public.conversation_summaries,
  public.eval_cases,
  public.eval_datasets,
  public.eval_results,
  public.eval_runs,
  public.message_flags,
  public.message_revisions,
  public.messages,
  public.models,
  public.profiles,
  public.read_positions,
  public.run_events,
  public.run_turns,
  public.runs,
  public.swarm_agents,
  public.swarm_members,
  public.swarms,
  public.tool_execution_payloads,
  public.tool_executions,
  public.tools,
  public.usage_records,
  public.user_settings,
  public.webhook_recoveries,
  public.webhooks
with (publish_via_partition_root = true);

-- Changes that nodes use and never send to clients: memberships, and the end of sessions and accounts. Publishes only
-- some columns of accounts and sessions, without password hashes.
create publication swarmbase_access for table
  public.swarm_members,
  public.agents,
  auth.sessions (id, suspended_until),
  auth.users (id, banned_until, deleted_at)
with (publish_via_partition_root = true);

do $do$
begin
  if current_setting('server_version_num')::int >= 180000 then
    alter publication swarmbase set (publish_generated_columns = stored);
    alter publication swarmbase_access set (publish_generated_columns = stored);
  end if;
end
$do$;

-- The publication of applications that come from Supabase. It belongs to the owner of the schema, who may alter, drop
-- and create it. A database may have it already.
do $do$
begin
  if not exists (select 1 from pg_catalog.pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
end
$do$;

-- The topics of signals that clients follow, by the node that has their sockets. Writers send a signal only for these.
-- Nodes renew their rows, so rows of a node that died expire. Unlogged, because they mean nothing after a restart.
create unlogged table private.followed_topics (
  topic text not null,
  node uuid not null,
  lease_until timestamptz not null,
  constraint followed_topics_pkey primary key (topic, node)
);
create index followed_topics_lease_until_idx on private.followed_topics (lease_until);
alter table private.followed_topics enable row level security;
grant select, insert, update, delete on private.followed_topics to sb_service;

-- after functions

create policy messages_service on realtime.messages to service_role, sb_service using (true) with check (true);
create policy messages_of_swarm_select on realtime.messages for select to authenticated
  using (topic = any (array(select private.my_swarm_topics())));
create policy messages_of_swarm_insert on realtime.messages for insert to authenticated
  with check ((extension = 'presence' and topic = any (array(select private.my_swarm_topics())))
    or topic = any (array(select private.my_writable_swarm_topics())));

create policy followed_topics_service on private.followed_topics to sb_service using (true) with check (true);

-- Nobody may send to these topics: their messages are signals of the service.
create policy messages_of_signals_select on realtime.messages for select to authenticated
  using (extension = 'broadcast' and topic = any (array(select private.my_signal_topics())));

-- The publication that nodes read.
select private.sync_feed_publication();
