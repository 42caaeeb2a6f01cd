-- Realtime: topics, and the messages that the database sends to them.

-- The topic that a policy is evaluated for.
create or replace function realtime.topic() returns text language sql stable parallel safe
as $$ select nullif(pg_catalog.current_setting('realtime.topic', true), '') $$;
grant execute on function realtime.topic() to anon, authenticated, sb_service, service_role;

-- The private channel `swarm:<id>` is for the members of that swarm: all of them see presence and receive broadcasts,
-- and those who may write messages may send broadcasts.
create or replace function private.my_swarm_topics() returns setof text
language sql stable rows 20 set search_path = pg_catalog, pg_temp
as $$ select 'swarm:' || mine.id from private.my_swarm_ids() as mine (id) $$;
grant execute on function private.my_swarm_topics() to authenticated, sb_service, service_role;

create or replace function private.my_writable_swarm_topics() returns setof text
language sql stable rows 20 set search_path = pg_catalog, pg_temp
as $$ select 'swarm:' || mine.id from private.my_writable_swarm_ids() as mine (id) $$;
grant execute on function private.my_writable_swarm_topics() to authenticated, sb_service, service_role;

-- Written to the WAL, so nodes receive it when the transaction commits, or never.
create or replace function private.send_realtime(
  topic text, event text, private boolean, payload jsonb, binary_payload bytea
) returns void
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
    -- Each insert also deletes a few expired rows.
    delete from realtime.messages m where m.id in (
      select o.id from realtime.messages o where o.inserted_at < pg_catalog.now() - interval '3 days'
      order by o.inserted_at limit 10 for update skip locked);
  end if;
  perform pg_catalog.pg_logical_emit_message(true, 'realtime.send',
    pg_catalog.jsonb_build_object('id', id, 'topic', topic, 'event', event,
    'private', send_realtime.private, 'payload', payload,
    'binary', pg_catalog.translate(pg_catalog.encode(binary_payload, 'base64'), E'\n', ''))::text);
end
$$;

create or replace function realtime.send(payload jsonb, event text, topic text, private boolean default true)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$ select private.send_realtime(topic, event, coalesce(private, true), payload, null) $$;
grant execute on function realtime.send(jsonb, text, text, boolean) to anon, authenticated, sb_service, service_role;

create or replace function realtime.send_binary(
  payload bytea, event text, topic text, private boolean default true
) returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$ select private.send_realtime(topic, event, coalesce(private, true), null, payload) $$;
grant execute on function realtime.send_binary(bytea, text, text, boolean)
  to anon, authenticated, sb_service, service_role;

create or replace function realtime.broadcast_changes(topic_name text, event_name text, operation text, table_name text,
  table_schema text, new record, old record, level text default 'ROW') returns void language plpgsql
as $$
begin
  if level = 'STATEMENT' then
    raise exception 'broadcast_changes is for triggers on rows' using errcode = 'feature_not_supported';
  end if;
  perform realtime.send(pg_catalog.jsonb_build_object('operation', operation, 'schema', table_schema,
    'table', table_name,
    'record', pg_catalog.to_jsonb(new), 'old_record', pg_catalog.to_jsonb(old)), event_name, topic_name);
end
$$;
grant execute on function realtime.broadcast_changes(text, text, text, text, text, record, record, text)
  to anon, authenticated, sb_service, service_role;
