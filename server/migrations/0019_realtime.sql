-- Realtime: what nodes read from the WAL, and the schema that private channels are ruled by.

-- Changes that clients may subscribe to. Tables of one's own are added with: alter publication swarmbase add table public.mine;
-- What the webhook queue writes stays out, because every node decodes whatever is in here.
create publication swarmbase with (publish_via_partition_root = true);
-- What nodes need for themselves: who belongs where, and whose access has ended. Never handed to a client.
create publication swarmbase_access with (publish_via_partition_root = true);
do $do$
declare
  changing text;
begin
  if current_setting('server_version_num')::int >= 180000 then
    alter publication swarmbase set (publish_generated_columns = stored);
    alter publication swarmbase_access set (publish_generated_columns = stored);
  end if;
  for changing in
    select c.oid::regclass::text from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not in ('webhook_deliveries', 'webhook_delivery_attempts')
    order by 1
  loop
    execute 'alter publication swarmbase add table ' || changing;
  end loop;
end
$do$;
alter publication swarmbase_access add table public.swarm_members, public.agents;
-- A hash of a password has no business in anybody's feed.
alter publication swarmbase_access add table auth.sessions (id, suspended_until), auth.users (id, banned_until, deleted_at);

-- Who may see a deleted row is decided by what the WAL keeps of it, so that includes the column that the rules ask for.
alter table public.message_revisions add constraint message_revisions_swarm_id_key unique (swarm_id, message_id, revision);
drop index public.message_revisions_swarm_id_idx;
alter table public.message_revisions replica identity using index message_revisions_swarm_id_key;
alter table public.tool_execution_payloads
  add constraint tool_execution_payloads_swarm_id_key unique (swarm_id, tool_execution_id);
alter table public.tool_execution_payloads replica identity using index tool_execution_payloads_swarm_id_key;

create schema realtime;
grant usage on schema realtime to anon, authenticated, service_role, sb_service;

-- Rules of private channels are policies on this table: who may select may listen, who may insert may speak. Rows are what
-- the database itself has sent to private topics, kept for a while for those who ask for what they missed.
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
create policy messages_service on realtime.messages to service_role, sb_service using (true) with check (true);
grant select, insert on realtime.messages to anon, authenticated;
grant select, insert, update, delete on realtime.messages to service_role, sb_service;

-- The topic that a policy is being asked about.
create function realtime.topic() returns text language sql stable parallel safe
as $$ select nullif(pg_catalog.current_setting('realtime.topic', true), '') $$;
grant execute on function realtime.topic() to anon, authenticated, service_role, sb_service;

-- Travels in the WAL: nodes get it when the transaction commits, or never.
create function private.send_realtime(topic text, event text, private boolean, payload jsonb, binary_payload bytea) returns void
language plpgsql
as $$
declare
  id uuid := private.new_id();
begin
  if coalesce(topic, '') = '' or coalesce(event, '') = '' then
    raise exception 'a message needs a topic and an event' using errcode = 'invalid_parameter_value';
  end if;
  if send_realtime.private then
    insert into realtime.messages (id, topic, extension, event, payload, binary_payload, private)
      values (id, topic, 'broadcast', event, payload, binary_payload, true);
    -- Whoever writes also clears a little of what is too old to be asked for.
    delete from realtime.messages m where m.id in (
      select o.id from realtime.messages o where o.inserted_at < pg_catalog.now() - interval '3 days'
      order by o.inserted_at limit 10 for update skip locked);
  end if;
  perform pg_catalog.pg_logical_emit_message(true, 'realtime.send', pg_catalog.jsonb_build_object('id', id, 'topic', topic, 'event', event,
    'private', send_realtime.private, 'payload', payload,
    'binary', pg_catalog.translate(pg_catalog.encode(binary_payload, 'base64'), E'\n', ''))::text);
end
$$;

create function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$ select private.send_realtime(topic, event, coalesce(private, true), payload, null) $$;

create function realtime.send_binary(payload bytea, event text, topic text, private boolean default true) returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$ select private.send_realtime(topic, event, coalesce(private, true), null, payload) $$;

create function realtime.broadcast_changes(topic_name text, event_name text, operation text, table_name text,
  table_schema text, new record, old record, level text default 'ROW') returns void language plpgsql
as $$
begin
  if level = 'STATEMENT' then
    raise exception 'broadcast_changes is for triggers on rows' using errcode = 'feature_not_supported';
  end if;
  perform realtime.send(pg_catalog.jsonb_build_object('operation', operation, 'schema', table_schema, 'table', table_name,
    'record', pg_catalog.to_jsonb(new), 'old_record', pg_catalog.to_jsonb(old)), event_name, topic_name);
end
$$;

grant execute on function realtime.send(jsonb, text, text, boolean), realtime.send_binary(bytea, text, text, boolean),
  realtime.broadcast_changes(text, text, text, text, text, record, record, text)
  to anon, authenticated, service_role, sb_service;
